package form_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// seedVectors adds some annotations and objects of the conformance vectors. A fuzzer runs
// its seeds first, and TestLimitsAgreeWithVectors runs all vectors.
func seedVectors(f *testing.F, add func(annotation, object string)) {
	for _, vectors := range readVectors(f) {
		for i, v := range vectors {
			if i%60 == 0 {
				add(v.Text(), string(v.Object))
			}
		}
	}
}

// decodes reports whether a text is a JSON object that Go decoders accept.
func decodes(text string) bool {
	var object map[string]any
	return len(text) < 10_000 && json.Unmarshal([]byte(text), &object) == nil
}

// FuzzLimits checks that nothing panics or hangs, that each run returns the same limits and
// schema, and that limits agree with Validate about the values in the object.
func FuzzLimits(f *testing.F) {
	seedVectors(f, func(annotation, object string) { f.Add(annotation, object, false) })
	f.Fuzz(func(t *testing.T, annotation, text string, partial bool) {
		rules, err := vmrules.ParseRules(annotation)
		if err != nil || !decodes(text) {
			return
		}
		opts := []vmrules.ValidateOption{vmrules.WithBudget(vmrules.Budget{Backtracking: -1})} // how long a match takes depends on the machine
		if partial {
			opts = append(opts, vmrules.Partial())
		}
		object := decodeExactly(json.RawMessage(text))
		limits := form.Limits(rules, object, opts...)
		if odd := form.Limits(rules, decodeOddly(json.RawMessage(text)), opts...); string(mustJSON(limits)) != string(mustJSON(odd)) {
			t.Fatalf("the limits depend on the decoder:\n%s", cmp.Diff(limits, odd))
		}
		checkLimits(t, rules, object, partial, append(slices.Clone(opts), vmrules.WithBudget(vmrules.Budget{Backtracking: 50 * time.Millisecond}))...)
		checkSchema(t, rules, object, opts...)
		if !reflect.DeepEqual(object, decodeExactly(json.RawMessage(text))) {
			t.Fatal("the object has changed")
		}
	})
}

// FuzzParameters checks that nothing panics, hangs or changes the template, and that the
// parameters are the same with both decoders.
func FuzzParameters(f *testing.F) {
	f.Add(openShift(`{"name": "A", "value": "1"}`, `{"n": "${A}", "x${A}": "${{A}}"}`,
		`{"name": "n", "rule": "integer", "path": "jsonpath::.spec.domain.n", "message": "m", "max": ${A}}`))
	seedVectors(f, func(_, object string) { f.Add(object) })
	f.Fuzz(func(t *testing.T, text string) {
		if !decodes(text) {
			return
		}
		template := decodeExactly(json.RawMessage(text))
		all, err := form.Parameters(template)
		odd, oddErr := form.Parameters(decodeOddly(json.RawMessage(text)))
		if diff := cmp.Diff(all, odd); diff != "" || (err == nil) != (oddErr == nil) {
			t.Fatalf("the parameters depend on the decoder:\n%s%v, %v", diff, err, oddErr)
		}
		filled, err := form.Fill(template, nil)
		oddFilled, oddErr := form.Fill(decodeOddly(json.RawMessage(text)), nil)
		if diff := cmp.Diff(filled, oddFilled); diff != "" || (err == nil) != (oddErr == nil) {
			t.Fatalf("the filled template depends on the decoder:\n%s%v, %v", diff, err, oddErr)
		}
		if !reflect.DeepEqual(template, decodeExactly(json.RawMessage(text))) {
			t.Fatal("the template has changed")
		}
	})
}
