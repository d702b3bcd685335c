// Package vmrulestest tests the templates of a repository with go test:
//
//	func TestTemplates(t *testing.T) {
//		vmrulestest.Templates(t, os.DirFS("templates"))
//	}
package vmrulestest

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/unjudged"
	"github.com/vmrules/vmrules/lint"
)

// Templates runs a subtest for each template of OpenShift or KubeVirt in a file system. It
// reads the files whose names end in .yaml, .yml or .json. The options are for reading
// annotations, such as vmrules.WithKind.
//
// A subtest fills in the template's parameters with their own values, or with generated values
// that are the same in each run. It fails if lint finds an error in the template's rules, or if
// a VM in the template does not satisfy them. Warnings are logged as such. It is skipped if no
// rule judges any value.
//
// A VM that names an instance type or a preference is judged as KubeVirt expands it, if they
// are in the file system too.
//
// The test fails if a file cannot be read, or if the file system has no template.
func Templates(t *testing.T, fsys fs.FS, opts ...vmrules.ParseOption) {
	t.Helper()
	TemplatesWithParameters(t, fsys, nil, opts...)
}

// TemplatesWithParameters is Templates with values for parameters, by their names, as vmrules
// check -p gives them. Each template that declares a parameter gets the value in place of its
// own. The test also fails if no template declares one of the parameters.
func TemplatesWithParameters(t *testing.T, fsys fs.FS, values map[string]string, opts ...vmrules.ParseOption) {
	t.Helper()
	var templates []manifest.Object
	var set instancetypes.Set
	for file, err := range manifest.ReadFS(fsys) {
		if err != nil {
			t.Error(err)
			continue
		}
		for _, o := range file.Objects() {
			if err := set.AddObject(o); err != nil {
				t.Error(err)
			}
			if o.IsTemplate() {
				templates = append(templates, o.Loaded())
			}
		}
	}
	for _, warning := range set.Warnings {
		t.Log("warning: " + warning.Error())
	}
	for _, o := range templates {
		t.Run(o.File().Name+"/"+o.Name, func(t *testing.T) { look(o, &set, values, opts).report(t) })
	}
	if templates == nil {
		t.Error("the file system has no template in a .yaml, .yml or .json file")
	}
	for _, name := range undeclared(templates, values) {
		t.Errorf("no template has a parameter %q: correct its name, or remove its value", name)
	}
}

// undeclared returns the names of the values that no template has a parameter for.
func undeclared(templates []manifest.Object, values map[string]string) []string {
	left := maps.Clone(values)
	for _, o := range templates {
		for _, p := range o.Parameters() {
			delete(left, p.Name)
		}
	}
	return slices.Sorted(maps.Keys(left))
}

// A verdict holds the errors and warnings about a template, and why no rule judged it.
type verdict struct {
	errors, warnings []string
	unjudged         string
}

func (v verdict) report(t *testing.T) {
	t.Helper()
	for _, text := range v.warnings {
		t.Log("warning: " + text)
	}
	for _, text := range v.errors {
		t.Error(text)
	}
	if v.errors == nil && v.unjudged != "" {
		t.Skip(v.unjudged)
	}
}

func look(o manifest.Object, set *instancetypes.Set, values map[string]string, opts []vmrules.ParseOption) verdict {
	var v verdict
	filled, err := o.Fill(values)
	if err != nil {
		v.errors = append(v.errors, err.Error())
		return v
	}
	for _, name := range filled.Missing {
		v.warnings = append(v.warnings, fmt.Sprintf("parameter %s is required and has no value: write one in the template, or give one with TemplatesWithParameters", name))
	}
	for _, a := range filled.Annotations() {
		v.lint(a, opts)
	}
	if v.errors == nil { // the rules can be read
		v.check(filled, set, opts)
	}
	return v
}

func (v *verdict) lint(a manifest.Annotation, opts []vmrules.ParseOption) {
	for _, f := range a.Lint(opts...) {
		place := fmt.Sprintf("%s:%d:%d", a.Object.File().Name, f.Line, f.Column)
		f.Line = 0 // the message already has the line
		text := fmt.Sprintf("%s: %v", place, f)
		if f.Severity == lint.SeverityError {
			v.errors = append(v.errors, text)
		} else {
			v.warnings = append(v.warnings, text)
		}
	}
}

func (v *verdict) check(filled manifest.Filled, set *instancetypes.Set, opts []vmrules.ParseOption) {
	report, err := unjudged.Own(filled.Content(), set.For(filled.Kind, filled.Namespace).Option(), vmrules.WithParseOptions(opts...))
	if err != nil { // the rules cannot be read, although lint has no error
		v.errors = append(v.errors, err.Error())
	}
	v.unjudged = unjudged.Why(report)
	for _, vm := range unjudged.VMs(filled.Content(), report) {
		v.warnings = append(v.warnings, vm+" has no rules")
	}
	for _, violation := range report.Violations() {
		v.errors = append(v.errors, violation.Error())
	}
	for _, violation := range report.Warnings() {
		v.warnings = append(v.warnings, violation.Error())
	}
}
