package kyverno

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
)

func TestConformance(t *testing.T) {
	for file, vectors := range conformance.Read(t, "testdata/conformance") {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				if v.Spec == "" {
					t.Error("the vector does not say which sentence it is about")
				}
				rules, err := vmrules.ParseRules(v.Text(t), append(Kinds(), vmrules.WithRoot(vmrules.RootObject))...)
				if err != nil {
					v.Compare(t, nil, err)
					return
				}
				report := vmrules.Validate(rules, conformance.DecodeExactly(v.Object))
				v.Compare(t, report, nil)
				other := vmrules.Validate(rules, conformance.DecodeOddly(v.Object))
				if diff := cmp.Diff(report, other); diff != "" {
					t.Errorf("the same object, decoded otherwise, gives another report (-exact +odd):\n%s", diff)
				}
			})
		}
	}
}
