package crd_test

import (
	"encoding/json"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/kinds/crd"
)

// kinds adds all kinds of this package, with paths from the root of the object.
var kinds = append(crd.Kinds(), vmrules.WholeObjects())

func TestConformance(t *testing.T) {
	t.Parallel()
	for file, vectors := range conformance.Read(t, "testdata/conformance") {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				conformance.Run(t, v, func(decode func(json.RawMessage) map[string]any) (*vmrules.Report, error) { return run(t, v, decode) })
			})
		}
	}
}

// run reads the vector's annotation and judges its object.
func run(t *testing.T, v conformance.Vector, decode func(json.RawMessage) map[string]any) (*vmrules.Report, error) {
	opts := crd.Kinds()
	if v.Options.Root == "object" {
		opts = append(opts, vmrules.WholeObjects())
	}
	if v.Options.Strict {
		opts = append(opts, vmrules.Strict())
	}
	rules, err := vmrules.ParseRules(v.Text(), opts...)
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
