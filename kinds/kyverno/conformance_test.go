package kyverno

import (
	"encoding/json"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
)

func TestConformance(t *testing.T) {
	for file, vectors := range conformance.Read(t, "testdata/conformance") {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				conformance.Run(t, v, func(decode func(json.RawMessage) map[string]any) (*vmrules.Report, error) {
					rules, err := vmrules.ParseRules(v.Text(), append(Kinds(), vmrules.WholeObjects())...)
					if err != nil {
						return nil, err
					}
					return vmrules.Validate(rules, decode(v.Object)), nil
				})
			})
		}
	}
}
