package vmrules_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// Find returns the values that other paths select, with defaults, and spends the Budget of the
// call. If the values cannot be known, the rule is Undecided, whatever the Checker says.
func TestInputFind(t *testing.T) {
	const vm = `{"kind": "VirtualMachine", "spec": {%s"template": {"spec": {"domain": {"cpu": {}, "disks": [{"name": "a"},
		{"name": "b"}]}}}}}`
	for _, test := range []struct {
		name, path, spec string
		want             []vmrules.Match
		doubt            vmrules.Doubt
		opts             []vmrules.ValidateOption
	}{
		{"values", ".spec.domain.disks[*].name", "", []vmrules.Match{
			{"spec.template.spec.domain.disks[0].name", "a"}, {"spec.template.spec.domain.disks[1].name", "b"},
		}, "", nil},
		{"nothing", ".spec.none", "", nil, "", nil},
		{"a default", ".spec.domain.cpu.cores", "", []vmrules.Match{{"spec.template.spec.domain.cpu.cores", int64(1)}}, "", nil},
		{"what an instance type may set", ".spec.domain.cpu.cores", `"instancetype": {"name": "u1"}, `, nil, vmrules.DoubtInstancetype,
			nil},
		{"too little Budget", ".spec.domain.disks[*].name", "", nil, vmrules.DoubtBound,
			[]vmrules.ValidateOption{vmrules.WithBudget(vmrules.Budget{Work: 9000})}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []vmrules.Match
			result := ask(t, func(in *vmrules.Input) vmrules.Verdict {
				var err error
				if got, err = in.Find(vmrules.MustParsePath("jsonpath::" + test.path)); (err != nil) != (test.doubt != "") {
					t.Errorf("error %v", err)
				}
				return vmrules.Verdict{Outcome: vmrules.Satisfied}
			}, `"path": "jsonpath::.spec.domain"`, fmt.Sprintf(vm, test.spec), test.opts...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if result.Undecided != test.doubt {
				t.Errorf("%s, want the doubt %q", result, test.doubt)
			}
		})
	}
	in := &vmrules.Input{Root: map[string]any{"a": 1}} // as a test makes it
	if got, err := in.Find(vmrules.MustParsePath("jsonpath::.a")); err != nil || len(got) != 1 {
		t.Errorf("without a call: %v, %v", got, err)
	}
}

func TestInputIsPartial(t *testing.T) {
	for _, opts := range [][]vmrules.ValidateOption{nil, {vmrules.Partial()}} {
		var got bool
		ask(t, func(in *vmrules.Input) vmrules.Verdict {
			got = in.IsPartial
			return vmrules.Verdict{Outcome: vmrules.Satisfied}
		}, `"path": "jsonpath::.spec"`, twoDisks, opts...)
		if want := opts != nil; got != want {
			t.Errorf("partial: %t, want %t", got, want)
		}
	}
}

// A Checker may say why it cannot decide.
func TestVerdictDoubt(t *testing.T) {
	for _, test := range []struct{ said, want vmrules.Doubt }{{"", vmrules.DoubtKind}, {vmrules.DoubtParameter, vmrules.DoubtParameter}} {
		got := ask(t, func(*vmrules.Input) vmrules.Verdict {
			return vmrules.Verdict{Outcome: vmrules.Undecided, Doubt: test.said}
		}, `"path": "jsonpath::.spec"`, twoDisks)
		if got.Undecided != test.want {
			t.Errorf("%q: %s, %q", test.said, got, got.Undecided)
		}
	}
}
