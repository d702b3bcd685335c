package model_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/oracle/model"
)

// notModelled lists vectors about features that the model leaves out, by a part of their
// names. README.md says why.
var notModelled = map[string][]string{
	"arguments": {"a definite violation behind a comparison that has no answer"},
	"expanded":  {""},
	"instancetypes": {
		"a SATA disk gets no dedicated I/O thread",
		"masquerade",
	},
	"jsonpath": {
		"at sign first",
		"string beyond ASCII",
		"escape sequence in a quoted string",
		"word for output, at the root",
	},
	"outcomes":  {"10,001 matches", "beyond the bounds", "by backtracking"},
	"regex":     {""},
	"targets":   {"five lists inside each other"},
	"undecided": {"beyond the bounds"},
	"updates":   {""},
}

// TestVectors compares the model with the conformance vectors that judge an object by a
// readable annotation.
func TestVectors(t *testing.T) {
	for file, vectors := range conformance.Read(t, "../../testdata/conformance") {
		for _, v := range vectors {
			about := func(part string) bool { return strings.Contains(v.Name+v.Text(), part) }
			if v.Call != "" && v.Call != "validate" || len(v.Want.Problems) > 0 || v.Options.WithoutInstancetypes || slices.ContainsFunc(notModelled[file], about) {
				continue
			}
			t.Run(file+"/"+v.Name, func(t *testing.T) { runVector(t, v) })
		}
	}
}

// A verdict is what the model's results and a vector have in common.
type verdict struct {
	Outcomes   []string
	Targets    []string
	Violations []violation
}

type violation struct {
	Rule, Field, Reason, Argument string
	Warned                        bool
}

func runVector(t *testing.T, v conformance.Vector) {
	opts := model.Options{
		V201901:    v.Version == "201901-1",
		Partial:    v.Options.Partial,
		RootObject: v.Options.Root == "object",
	}
	for path, value := range v.Options.Defaults {
		opts.Defaults = append(opts.Defaults, model.Default{Path: path, Value: value})
	}
	got, err := model.Judge(v.Text(), conformance.DecodeExactly(v.Object), opts)
	if err != nil {
		t.Fatal(err)
	}
	want := verdict{Outcomes: v.Want.Outcomes, Targets: v.Want.Targets}
	for _, w := range v.Want.Violations {
		want.Violations = append(want.Violations, violation{w.Rule, w.Field, w.Reason, w.Argument, w.Warned})
	}
	if diff := cmp.Diff(want, verdictOf(got, v.Want.Targets != nil), cmpopts.EquateEmpty()); diff != "" {
		text, _ := json.Marshal(v.Options)
		t.Errorf("%s\n%s\n%s\n%s\n(-vector +model)\n%s", v.Spec, v.Text(), v.Object, text, diff)
	}
}

func verdictOf(results []model.Result, withTargets bool) verdict {
	var got verdict
	for _, r := range results {
		got.Outcomes = append(got.Outcomes, string(r.Outcome))
		if withTargets {
			got.Targets = append(got.Targets, r.Target)
		}
		for _, w := range r.Violations {
			got.Violations = append(got.Violations, violation{r.Rule, w.Field, w.Reason, w.Argument, w.Warned})
		}
	}
	return got
}
