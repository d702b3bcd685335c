package crd_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/kinds/crd"
)

func TestConformance(t *testing.T) {
	for file, vectors := range conformance.Read(t, "testdata/conformance") {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				if v.Spec == "" {
					t.Error("the vector does not say which sentence it is about")
				}
				report, err := run(t, v, conformance.DecodeExactly)
				v.Compare(t, report, err)
				other, otherErr := run(t, v, conformance.DecodeOddly)
				if diff := cmp.Diff(err, otherErr); diff != "" {
					t.Errorf("the same object, decoded otherwise, gives other problems (-exact +odd):\n%s", diff)
				}
				if diff := cmp.Diff(report, other); diff != "" {
					t.Errorf("the same object, decoded otherwise, gives another report (-exact +odd):\n%s", diff)
				}
			})
		}
	}
}

// run reads the vector's annotation and judges its object.
func run(t *testing.T, v conformance.Vector, decode func(json.RawMessage) map[string]any) (*vmrules.Report, error) {
	opts := []vmrules.ParseOption{
		vmrules.WithKind("schema", crd.Schema), vmrules.WithKind("cel", crd.CEL), vmrules.WithKind("crd", crd.Definition),
		vmrules.WithRoot(vmrules.Root(v.Options.Root)),
	}
	if v.Options.Strict {
		opts = append(opts, vmrules.Strict())
	}
	rules, err := vmrules.ParseRules(v.Text(t), opts...)
	if err != nil {
		return nil, err
	}
	var how []vmrules.ValidateOption
	if v.Old != nil {
		how = append(how, vmrules.WithOldObject(decode(v.Old)))
	}
	if v.Options.Partial {
		how = append(how, vmrules.Partial())
	}
	return vmrules.Validate(rules, decode(v.Object), how...), nil
}
