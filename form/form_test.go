package form_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A vector is one case of testdata/conformance.
type vector struct{ conformance.Vector }

func readVectors(t testing.TB) map[string][]vector {
	t.Helper()
	all := map[string][]vector{}
	for file, vectors := range conformance.Read(t, "../testdata/conformance") {
		for _, v := range vectors {
			all[file] = append(all[file], vector{v})
		}
	}
	return all
}

func (v vector) parseOptions() []vmrules.ParseOption {
	var opts []vmrules.ParseOption
	if v.IsOld() {
		opts = append(opts, vmrules.V201901())
	}
	if v.Options.Strict {
		opts = append(opts, vmrules.Strict())
	}
	if v.Options.Root == "object" {
		opts = append(opts, vmrules.WholeObjects())
	}
	return opts
}

func (v vector) validateOptions(t testing.TB, decode func(json.RawMessage) map[string]any) []vmrules.ValidateOption {
	opts := []vmrules.ValidateOption{withTime}
	if v.Options.Partial {
		opts = append(opts, vmrules.Partial())
	}
	if v.Instancetype != nil || v.Preference != nil {
		opts = append(opts, vmrules.WithInstancetype(decode(v.Instancetype), decode(v.Preference)))
	}
	if v.Cluster != nil {
		opts = append(opts, vmrules.WithInstancetypes(v.Find(decode)))
	}
	if v.Options.WithoutInstancetypes {
		opts = append(opts, vmrules.WithoutInstancetypes())
	}
	for path, value := range v.Options.Defaults {
		opts = append(opts, defaultOf(t, path, value))
	}
	return opts
}

// withTime lets a regex that backtracks match on a machine that is busy.
var withTime = vmrules.WithBudget(vmrules.Budget{Backtracking: time.Minute})

var decodeExactly, decodeOddly = conformance.DecodeExactly, conformance.DecodeOddly

func mustParse(t testing.TB, annotation string, opts ...vmrules.ParseOption) vmrules.Rules {
	t.Helper()
	rules, err := vmrules.ParseRules(annotation, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// vmWith returns a VM with this domain.
func vmWith(domain string) map[string]any {
	return decodeExactly(json.RawMessage(`{"kind": "VirtualMachine", "apiVersion": "kubevirt.io/v1",
		"spec": {"template": {"spec": {"domain": ` + domain + `}}}}`))
}

// defaultOf returns WithDefaults for one field.
func defaultOf(t testing.TB, path string, value any) vmrules.ValidateOption {
	t.Helper()
	d, err := vmrules.NewDefault(vmrules.MustParsePath(path), value)
	if err != nil {
		t.Fatal(err)
	}
	return vmrules.WithDefaults(d)
}

// keyOf returns a text that is the same for Equal paths.
func keyOf(p vmrules.Path) string {
	key := ""
	for _, step := range fieldpath.Steps(p) {
		key += step.String()
	}
	return key
}

func detailOf(r vmrules.Result) string {
	if len(r.Violations) == 0 {
		return ""
	}
	return r.Violations[0].Detail
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// below returns the value at a path of members; nil if there is none.
func below(v any, path ...string) any {
	for _, name := range path {
		v, _ = value.Member(v, name)
	}
	return v
}

func stringIn(v any, name string) string {
	s, _ := below(v, name).(string)
	return s
}

func budgetOf(backtracking time.Duration) *meter.Budget {
	return &meter.Budget{Meter: meter.New(math.MaxInt, meter.DefaultKept), Backtracking: backtracking}
}

type (
	namedList []any

	resourceQuantity struct{ text string } // with MarshalJSON, as resource.Quantity has it
	broken           struct{}              // with a MarshalJSON that fails
)

func (q resourceQuantity) MarshalJSON() ([]byte, error) { return json.Marshal(q.text) }
func (broken) MarshalJSON() ([]byte, error)             { return nil, errors.New("no") }

// limitsJSON returns the limits as JSON, without messages and without the rules that
// constraints come from.
func limitsJSON(t testing.TB, limits []form.Limit) any {
	t.Helper()
	decoded, err := value.ThroughJSON(limits)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// narrowed returns a value with only those members that another value has. A missing member
// becomes null.
func narrowed(v, like any) any {
	switch like := like.(type) {
	case map[string]any:
		narrow := map[string]any{}
		m, ok := v.(map[string]any)
		if !ok {
			return v
		}
		for name, next := range like {
			narrow[name] = narrowed(m[name], next)
		}
		return narrow
	case []any:
		list, _ := v.([]any)
		if len(list) != len(like) {
			return v
		}
		narrow := []any{}
		for i := range like {
			narrow = append(narrow, narrowed(list[i], like[i]))
		}
		return narrow
	}
	return v
}

// limitRules reads rules whose paths begin at .spec.domain.
func limitRules(t testing.TB, text string) vmrules.Rules {
	t.Helper()
	var rules []map[string]any
	if err := json.Unmarshal([]byte("["+text+"]"), &rules); err != nil {
		t.Fatal(err)
	}
	for i, r := range rules {
		r["name"], r["message"] = fmt.Sprint("r", i), fmt.Sprint("m", i)
		for _, key := range []string{"path", "valid"} {
			if path, ok := r[key].(string); ok {
				r[key] = "jsonpath::.spec.domain" + path
			}
		}
	}
	return mustParse(t, string(mustJSON(rules)))
}

func decodeAny(text string) any {
	v, _ := value.ThroughJSON(json.RawMessage(text))
	return v
}
