package parameter_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/parameter"
)

func TestParameters(t *testing.T) {
	for _, test := range []struct{ in, first, ofAnyType string }{
		{"", "", ""},
		{"plain $ {text}", "", ""},
		{"${NAME}", "${NAME}", ""},
		{"a-${NAME}-${OTHER}", "${NAME}", ""},
		{"${{NAME}}", "${{NAME}}", "${{NAME}}"},
		{"${{NAME}} and more", "${{NAME}}", "${{NAME}}"},
		{"a${{NAME}}", "${{NAME}}", ""},
		{"${OTHER}${{NAME}}", "${OTHER}", ""},
		{"${a_Z09}", "${a_Z09}", ""},
		{"${0}", "${0}", ""},
		{"${}", "", ""},
		{"${{}}", "", ""},
		{"${NAME", "", ""},
		{"${{NAME}", "", ""},
		{"${{NAME} }", "", ""},
		{"${NAME}}", "${NAME}", ""},
		{"${A-B}", "", ""},
		{"${ A}", "", ""},
		{"${é}", "", ""},
		{"${\xff}", "", ""},
		{"${A${B}", "${B}", ""},
		{"${${{A}}", "${{A}}", ""},
		{"$${A}", "${A}", ""},
		{"${", "", ""},
		{"${{", "", ""},
	} {
		want := [2]string{test.first, test.ofAnyType}
		if diff := cmp.Diff(want, [2]string{parameter.First(test.in), parameter.OfAnyType(test.in)}); diff != "" {
			t.Errorf("%q: First, OfAnyType (-want +got):\n%s", test.in, diff)
		}
	}
}
