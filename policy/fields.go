package policy

import (
	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/vmapi"
	"github.com/vmrules/vmrules/internal/vmfields"
)

const unknown vmapi.Sort = -1

// hasShape reports whether steps select a field of KubeVirt's API with this shape.
func hasShape(steps jp.Expr, shape vmapi.Shape) bool {
	f := vmapi.OfVM().At(steps)
	return f != nil && f.Shape == shape
}

// sortAt returns what the values of the field are that steps select. KubeVirt's CRD does not declare the fields
// of the metadata, of which only labels and annotations are known to be texts.
func sortAt(steps jp.Expr) vmapi.Sort {
	isDeclared := nameIn(steps[0]) == "spec" || hasShape(steps[:len(steps)-1], vmapi.Map)
	if !isDeclared || !hasShape(steps, vmapi.Scalar) {
		return unknown
	}
	return vmapi.OfVM().At(steps).Type.Value().Sort
}

// defaultAt returns what vmrules knows about the field that steps select, of which the VM says nothing.
// Its Default is nil if the field has none.
func defaultAt(steps jp.Expr) *jsonpath.Implied { return vmfields.OpenVM.Of(steps) }
