package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/vmapi"
	"github.com/vmrules/vmrules/lint"
	"github.com/vmrules/vmrules/lint/ssp"
)

// TestSSPUnsetIsSo checks of every field of a VM that if Annotation says ssp-unset, some VM passes
// KubeVirt's template validator that breaks the rule here.
func TestSSPUnsetIsSo(t *testing.T) {
	said := 0
	for _, path := range scalarsIn(vmapi.OfVM(), "", nil) {
		for _, limits := range []string{`"rule": "string", "maxLength": 99`, `"rule": "integer", "max": 100`} {
			annotation := fmt.Sprintf(`[{"name": "n", "message": "m", "path": "jsonpath::%s", %s}]`, path, limits)
			saysUnset := func(f lint.Finding) bool { return f.ID == "ssp-unset" }
			if !slices.ContainsFunc(lint.Annotation(annotation, lint.For(lint.SSP)), saysUnset) {
				continue
			}
			said++
			if !passesOnlySSP(t, annotation, path) {
				t.Errorf("no VM passes that validator and breaks the rule: %s", annotation)
			}
		}
	}
	if said < 60 {
		t.Errorf("only %d findings", said)
	}
}

// scalarsIn appends the paths of the fields of a VM that are strings, numbers or booleans.
func scalarsIn(f *vmapi.Field, path string, all []string) []string {
	switch f.Shape {
	case vmapi.Scalar:
		return append(all, path)
	case vmapi.Array:
		return scalarsIn(f.Items, path+"[*]", all)
	case vmapi.Map:
		return scalarsIn(f.Items, path+".x", all)
	}
	for name, member := range f.Members {
		if name != "affinity" { // which is deep
			all = scalarsIn(member, path+"."+name, all)
		}
	}
	return all
}

// passesOnlySSP reports whether a VM that lacks some part of a path passes that validator, and breaks
// the rules here.
func passesOnlySSP(t *testing.T, annotation, path string) bool {
	rules, err := vmrules.ParseRules(annotation)
	if err != nil {
		t.Fatal(err)
	}
	steps := strings.Split(strings.TrimPrefix(path, "."), ".")
	for n := range steps {
		vm := vmWith(steps[:n])
		if ssp.Judge(annotation, vm).Accepted && !vmrules.Validate(rules, vm).Valid() {
			return true
		}
	}
	return false
}

// vmWith returns a VM with the objects and items at the steps of a path.
func vmWith(steps []string) map[string]any {
	template := map[string]any{"spec": map[string]any{"domain": map[string]any{"devices": map[string]any{}}}}
	at := template
	for _, step := range steps {
		name, isArray := strings.CutSuffix(step, "[*]")
		next, isThere := at[name].(map[string]any)
		switch {
		case isArray:
			next = map[string]any{}
			at[name] = []any{next}
		case !isThere:
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	return map[string]any{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": map[string]any{"template": template}}
}
