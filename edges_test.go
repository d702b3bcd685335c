package vmrules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
)

// TestEdges tries the functions of the library with the objects that all edges are tried with.
func TestEdges(t *testing.T) {
	own := func(finds bool, opts ...vmrules.ValidateOption) conformance.Edge {
		return func(_ *testing.T, object json.RawMessage, templates []json.RawMessage) string {
			opts := slices.Clone(opts)
			if finds {
				opts = append(opts, vmrules.WithTemplates(finder(templates)))
			}
			return summaryOf(vmrules.ValidateOwn(objectOf(object), opts...))
		}
	}
	by := func(template int) conformance.Edge {
		return func(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
			rules, err := vmrules.RulesFor(nil, objectOf(templates[template]))
			if err != nil {
				t.Fatal(err)
			}
			return summaryOf(vmrules.Validate(rules, objectOf(object)))
		}
	}
	conformance.RunEdges(t, "testdata", "library.json", map[string]conformance.Edge{
		"Validate":                                    by(0),
		"Validate, no rules":                          by(1),
		"ValidateOwn":                                 own(false),
		"ValidateOwn, WithTemplates":                  own(true),
		"ValidateOwn, WithTemplates, Partial":         own(true, vmrules.Partial()),
		"ValidateOwn, WithTemplates, WarnIfUndecided": own(true, vmrules.WarnIfUndecided(vmrules.DoubtTemplate, vmrules.DoubtLookup)),
	})
}

// notEdges are functions that take Rules or return a Report and yet say nothing of an object.
var notEdges = map[string]string{
	"NewReport": "makes a report of results", "NewRules": "reads rules", "ParseRules": "reads rules", "RulesFor": "reads rules",
	"form.Limits": "says what may be", "form.Resolve": "says what may be", "form.Schema": "says what may be",
	"policy.Of": "writes rules",
}

// TestEdgesAreAll: a new function that takes Rules or returns a Report is tried above, or has a reason
// not to be.
func TestEdgesAreAll(t *testing.T) {
	var found []string
	for _, dir := range []string{".", "form", "policy", "lint", "lint/ssp", "instancetype"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				f, ok := d.(*ast.FuncDecl)
				if ok && f.Recv == nil && f.Name.IsExported() && mentions(f.Type, "Rules", "Report") {
					found = append(found, strings.TrimPrefix(parsed.Name.Name+".", "vmrules.")+f.Name.Name)
				}
			}
		}
	}
	want := []string{"Validate", "ValidateOwn"}
	for name := range notEdges {
		want = append(want, name)
	}
	slices.Sort(want)
	slices.Sort(found)
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-tried or excused +exported):\n%s", diff)
	}
}

// mentions reports whether a function takes or returns one of the types.
func mentions(f *ast.FuncType, types ...string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && slices.Contains(types, id.Name)
		return true
	})
	return found
}

// finder finds templates by their names, except for "unclear".
func finder(templates []json.RawMessage) func(vmrules.TemplateRef) (*vmrules.Template, error) {
	return func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
		if ref.Name == "unclear" {
			return nil, errors.New("there are two")
		}
		for _, text := range templates {
			template := objectOf(text)
			metadata := template["metadata"].(map[string]any)
			if metadata["name"] == ref.Name && metadata["namespace"] == ref.Namespace {
				return &vmrules.Template{Object: template}, nil
			}
		}
		return nil, nil
	}
}

func objectOf(text json.RawMessage) map[string]any {
	if text == nil {
		return nil
	}
	return conformance.DecodeExactly(text)
}

// summaryOf says whether a report passed, and what became of each target.
func summaryOf(r *vmrules.Report) string {
	said := "invalid"
	switch {
	case r.Passed():
		said = "passed"
	case r.Valid():
		said = "valid"
	}
	separator := ": "
	for _, target := range r.Targets() {
		said += fmt.Sprint(separator, target.Coverage)
		if separator = ", "; target.Doubt != "" {
			said += " by " + string(target.Doubt)
		}
	}
	return said
}
