package main

import (
	"encoding/json"
	"net/http"

	"github.com/vmrules/vmrules"
)

type object map[string]any // in which numbers keep their digits

func (o *object) UnmarshalJSON(text []byte) (err error) {
	*o, err = vmrules.ParseObject(text)
	return err
}

// A question is what @vmrules/vmrules/react asks.
type question struct {
	Rules struct {
		Annotation   *string
		VM, Template object
	}
	VM      object
	Options struct{ Partial bool }
}

// handle answers with the same JSON as the npm package: what Validate or form.Limits returns.
func handle[Answer any](by func(vmrules.Rules, map[string]any, ...vmrules.ValidateOption) Answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q question
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 2<<20))
		decoder.DisallowUnknownFields() // an option that is ignored could change the verdict
		err := decoder.Decode(&q)
		var rules vmrules.Rules
		if err == nil {
			rules, err = q.rules()
		}
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]string{"message": err.Error()})
			return
		}
		var opts []vmrules.ValidateOption
		if q.Options.Partial {
			opts = append(opts, vmrules.Partial())
		}
		_ = json.NewEncoder(w).Encode(by(rules, q.VM, opts...)) // if that fails, nobody reads it
	}
}

func (q question) rules() (vmrules.Rules, error) {
	if q.Rules.Annotation != nil {
		return vmrules.ParseRules(*q.Rules.Annotation)
	}
	return vmrules.RulesFor(q.Rules.VM, q.Rules.Template)
}
