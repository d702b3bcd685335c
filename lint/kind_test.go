package lint_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// most is the compiler of a kind with a limit, in a unit.
func most(s vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	raw, _ := s.Value("most")
	s.Value("unit")
	var limit float64
	if json.Unmarshal(raw, &limit) != nil {
		return nil, []vmrules.Problem{s.Problem("most", vmrules.ReasonTypeInvalid, "%q must be a number", "most")}
	}
	if limit < 0 {
		return nil, []vmrules.Problem{s.Problem("most", vmrules.ReasonInvalid, "%q must not be negative", "most")}
	}
	return never{}, nil
}

type never struct{}

func (never) Check(*vmrules.Input) vmrules.Verdict {
	return vmrules.Verdict{Outcome: vmrules.OutcomeViolated}
}

// TestOtherKinds checks rules of a kind from WithKind: the problems of its compiler are
// errors, and its paths are checked as usual, except that they may select any value.
func TestOtherKinds(t *testing.T) {
	annotation := `[{"name": "a", "rule": "most", "path": "jsonpath::.spec.domain.cpu.core", "message": "m", "most": []},
		{"name": "b", "rule": "most", "path": "jsonpath::.spec.domain.cpu.core", "message": "m", "most": 1, "unlt": 1},
		{"name": "c", "rule": "most", "path": "jsonpath::.spec.domain.cpu", "message": "m", "most": 1},
		{"name": "d", "rule": "most", "path": "jsonpath::.spec.domain.cpu", "message": "m", "most": -1}]`
	var got []string
	for _, f := range withoutSSP(lint.Annotation(annotation, vmrules.WithKind("most", most))) {
		got = append(got, fmt.Sprintf("%s %s %s %s %q", f.Severity, f.ID, f.Rule, f.Key, f.Suggestion))
	}
	want := []string{
		`error wrong-type a most ""`, `error misspelt-field b path "jsonpath::.spec.domain.cpu.cores"`,
		`error misspelt-key b unlt "unit"`,
		`error invalid-argument d most ""`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKindThatCannotBeAdded(t *testing.T) {
	findings := lint.Annotation("[]", vmrules.WithKind("enum", most))
	if len(findings) != 1 || findings[0].ID != "invalid-option" || findings[0].Severity != lint.SeverityError {
		t.Errorf("%v", findings)
	}
}

// TestWholeObjects checks that no field is unknown where objects of any kind are judged.
func TestWholeObjects(t *testing.T) {
	const annotation = `[{"name": "r", "rule": "integer", "path": "jsonpath::.spec.template.spec.replica", "message": "m", "min": 1}]`
	if findings := lint.Annotation(annotation, vmrules.WholeObjects()); len(findings) != 0 {
		t.Errorf("%v", findings)
	}
}
