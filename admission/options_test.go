package admission_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission"
)

func TestWrongOptions(t *testing.T) {
	_, err := admission.New(nil,
		admission.WithUndecided(vmrules.DoubtBound, admission.Warn),
		admission.WithUndecided(vmrules.DoubtParameter, "ignore"),
		admission.WithUndecided(vmrules.DoubtTemplate, ""),
		admission.WithBrokenTemplate("allow"),
		admission.WithTemplateNamespaces("openshift", "Open Shift"),
	)
	want := `what becomes of a rule that is Undecided because of "Bound" cannot be set: only Instancetype, Preference, Template and Parameter may warn
the action is "ignore": it must be "refuse" or "warn"
the action is "": it must be "refuse" or "warn"
the action is "allow": it must be "refuse" or "warn"
there cannot be a namespace "Open Shift": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
there is no reader`
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
