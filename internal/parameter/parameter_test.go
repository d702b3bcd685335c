package parameter_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/parameter"
)

func TestParameters(t *testing.T) {
	for _, test := range []struct {
		in, first, ofAnyType string
		references           []string // their names
	}{
		{"", "", "", nil},
		{"plain $ {text}", "", "", nil},
		{"${NAME}", "${NAME}", "", []string{"NAME"}},
		{"a-${NAME}-${OTHER}", "${NAME}", "", []string{"NAME", "OTHER"}},
		{"${{NAME}}", "${{NAME}}", "${{NAME}}", []string{"NAME"}},
		{"${{NAME}} and more", "${{NAME}}", "${{NAME}}", nil},
		{"a${{NAME}}", "${{NAME}}", "", nil},
		{"${OTHER}${{NAME}}", "${OTHER}", "", []string{"OTHER"}},
		{"${a_Z09}", "${a_Z09}", "", []string{"a_Z09"}},
		{"${0}", "${0}", "", []string{"0"}},
		{"${}", "", "", nil},
		{"${{}}", "", "", nil},
		{"${NAME", "", "", nil},
		{"${{NAME}", "", "", nil},
		{"${{NAME} }", "", "", nil},
		{"${NAME}}", "${NAME}", "", []string{"NAME"}},
		{"${A-B}", "", "", nil},
		{"${ A}", "", "", nil},
		{"${é}", "", "", nil},
		{"${\xff}", "", "", nil},
		{"${A${B}", "${B}", "", []string{"B"}},
		{"${${{A}}", "${{A}}", "", nil},
		{"$${A}", "${A}", "", []string{"A"}},
		{"${", "", "", nil},
		{"${{", "", "", nil},
	} {
		var references []string
		for start, end := range parameter.References(test.in) {
			references = append(references, parameter.Name(test.in[start:end]))
		}
		want := []any{test.first, test.ofAnyType, test.references}
		if diff := cmp.Diff(want, []any{parameter.First(test.in), parameter.OfAnyType(test.in), references}); diff != "" {
			t.Errorf("%q: First, OfAnyType, References (-want +got):\n%s", test.in, diff)
		}
	}
}
