package vmrules

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Find returns the values that other paths select, with defaults, and spends the Budget of the
// call. If the values cannot be known, the rule is Undecided, whatever the Checker says.
func TestInputFind(t *testing.T) {
	const vm = `{"kind": "VirtualMachine", "spec": {%s"template": {"spec": {"domain": {"cpu": {}, "disks": [{"name": "a"},
		{"name": "b"}]}}}}}`
	for _, test := range []struct {
		name, path, spec string
		want             []Match
		doubt            Doubt
		opts             []ValidateOption
	}{
		{"values", ".spec.domain.disks[*].name", "", []Match{
			{"spec.template.spec.domain.disks[0].name", "a"}, {"spec.template.spec.domain.disks[1].name", "b"},
		}, "", nil},
		{"nothing", ".spec.none", "", nil, "", nil},
		{"a default", ".spec.domain.cpu.cores", "", []Match{{"spec.template.spec.domain.cpu.cores", int64(1)}}, "", nil},
		{"what an instance type may set", ".spec.domain.cpu.cores", `"instancetype": {"name": "u1"}, `, nil, DoubtInstancetype, nil},
		{"too little Budget", ".spec.domain.disks[*].name", "", nil, DoubtBound, []ValidateOption{WithBudget(Budget{Work: 9000})}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []Match
			result := ask(t, func(in *Input) Verdict {
				var err error
				if got, err = in.Find(MustParsePath("jsonpath::" + test.path)); (err != nil) != (test.doubt != "") {
					t.Errorf("error %v", err)
				}
				return Verdict{Outcome: Satisfied}
			}, `"path": "jsonpath::.spec.domain"`, fmt.Sprintf(vm, test.spec), test.opts...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if result.Undecided != test.doubt {
				t.Errorf("%s, want the doubt %q", result, test.doubt)
			}
		})
	}
	in := &Input{Root: map[string]any{"a": 1}} // as a test makes it
	if got, err := in.Find(MustParsePath("jsonpath::.a")); err != nil || len(got) != 1 {
		t.Errorf("without a call: %v, %v", got, err)
	}
}

func TestInputIsPartial(t *testing.T) {
	for _, opts := range [][]ValidateOption{nil, {Partial()}} {
		var got bool
		ask(t, func(in *Input) Verdict {
			got = in.IsPartial
			return Verdict{Outcome: Satisfied}
		}, `"path": "jsonpath::.spec"`, twoDisks, opts...)
		if want := opts != nil; got != want {
			t.Errorf("partial: %t, want %t", got, want)
		}
	}
}

// A Checker may say why it cannot decide.
func TestVerdictDoubt(t *testing.T) {
	for _, test := range []struct{ said, want Doubt }{{"", DoubtKind}, {DoubtParameter, DoubtParameter}} {
		got := ask(t, func(*Input) Verdict { return Verdict{Outcome: Undecided, Doubt: test.said} }, `"path": "jsonpath::.spec"`, twoDisks)
		if got.Undecided != test.want {
			t.Errorf("%q: %s, %q", test.said, got, got.Undecided)
		}
	}
}
