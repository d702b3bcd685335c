// Package vmrulestest tests the templates of a repository with go test:
//
//	func TestTemplates(t *testing.T) {
//		vmrulestest.Templates(t, os.DirFS("templates"))
//	}
package vmrulestest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/deployed"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// An Option changes what Templates asks of templates.
type Option func(*suite)

// WithParameters gives values to parameters, by their names, as vmrules check -p does. Each template
// that declares a parameter gets the value in place of its own. The test fails if none declares it.
func WithParameters(values map[string]string) Option {
	return func(s *suite) { s.values = values }
}

// WithParseOptions sets how annotations are read, such as with which kinds beyond the format.
func WithParseOptions(opts ...vmrules.ParseOption) Option {
	return func(s *suite) { s.reading = append(s.reading, opts...) }
}

// WithoutRules lets templates of these names pass although no rule applies to their VMs.
func WithoutRules(templates ...string) Option {
	return func(s *suite) { s.withoutRules = append(s.withoutRules, templates...) }
}

// AllowWarnings only logs the warnings of lint.
func AllowWarnings() Option { return func(s *suite) { s.allowsWarnings = true } }

// ForSSP also tests that KubeVirt's template validator, which runs on OpenShift, understands the
// rules as this library does, and accepts the VMs.
func ForSSP() Option {
	return func(s *suite) { s.isForSSP, s.reading = true, append(s.reading, lint.For(lint.SSP)) }
}

// Templates runs a subtest for each template of OpenShift or KubeVirt in a file system. It
// reads the files whose names end in .yaml, .yml or .json.
//
// A subtest fills in the template's parameters with their own values, or with generated values
// that are the same in each run. It fails if lint finds an error or a warning, if a VM in the
// template does not satisfy its rules, or if no rule applies to it, although it is not exempt and has no
// rules that do not apply. What only warns of a VM is logged.
//
// A VM without rules has those of the template that it names, and a VM that names an instance type or
// a preference is validated as KubeVirt expands it, if they are in the file system too.
//
// The test fails if a file cannot be read, or if the file system has no template.
func Templates(t *testing.T, fsys fs.FS, opts ...Option) {
	t.Helper()
	var s suite
	for _, opt := range opts {
		opt(&s)
	}
	for _, err := range s.read(fsys) {
		t.Error(err)
	}
	for _, warning := range s.With.Set.Warnings {
		t.Log("warning: " + warning.Error())
	}
	for _, o := range s.Templates.All {
		t.Run(o.File.Name+"/"+o.Name, func(t *testing.T) {
			v := s.look(o.Object)
			for _, text := range v.warnings {
				t.Log("warning: " + text)
			}
			for _, text := range v.errors {
				t.Error(text)
			}
		})
	}
	for _, name := range s.undeclared() {
		t.Errorf("no template has a parameter %q: correct its name, or remove its value", name)
	}
}

// A suite is what Templates is asked to test.
type suite struct {
	values                   map[string]string
	reading                  []vmrules.ParseOption
	withoutRules             []string
	allowsWarnings, isForSSP bool

	judging.Ruling
}

// read reads the templates, and returns all errors.
func (s *suite) read(fsys fs.FS) (wrong []error) {
	s.Ruling = judging.NewRuling(build.Build{}, s.reading...)
	s.Values = s.values
	asNamed := func(name string) string { return name }
	for file, err := range manifest.ReadInputs(manifest.InputsIn(fsys, ".", asNamed)) {
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		for _, o := range file.Objects() {
			if err := s.With.Set.AddObject(o); err != nil {
				wrong = append(wrong, err)
			}
			s.Templates.Add(o)
		}
	}
	if s.Templates.All == nil && wrong == nil {
		wrong = append(wrong, errors.New("the file system has no template in a .yaml, .yml or .json file"))
	}
	return wrong
}

// undeclared returns the names of the values that no template has a parameter for.
func (s *suite) undeclared() []string {
	left := maps.Clone(s.values)
	for _, o := range s.Templates.All {
		for _, p := range o.Parameters() {
			delete(left, p.Name)
		}
	}
	return slices.Sorted(maps.Keys(left))
}

// A verdict holds what is wrong with a template, and what is only logged.
type verdict struct{ errors, warnings []string }

func (v *verdict) add(fails bool, text string) {
	if fails {
		v.errors = append(v.errors, text)
	} else {
		v.warnings = append(v.warnings, text)
	}
}

func (s *suite) look(o manifest.Object) verdict {
	filled, err := s.Fill(o)
	if err != nil {
		return verdict{errors: []string{err.Error()}}
	}
	var v verdict
	for _, name := range filled.Missing {
		v.add(false, fmt.Sprintf("parameter %s is required and has no value: write one in the template, or give one by WithParameters", name))
	}
	isJudged := func(f lint.Finding) bool { return f.ID == "unjudged-template" } // by judge, which knows WithoutRules
	s.addFindings(&v, o, slices.DeleteFunc(o.Mistakes(), isJudged))
	for _, a := range filled.Annotations() {
		s.addFindings(&v, o, a.Lint(s.reading...))
	}
	s.judge(&v, filled)
	if s.isForSSP {
		for _, line := range deployed.Judge(filled.Content(), o, s.Templates.Content).Lines() {
			v.add(line.Refuses, line.Text)
		}
	}
	return v
}

func (s *suite) addFindings(v *verdict, o manifest.Object, findings []lint.Finding) {
	for _, f := range findings {
		place := fmt.Sprintf("%s:%d:%d", o.File.Name, f.Line, f.Column)
		f.Line = 0 // the message already has the line
		fails := f.Severity == lint.SeverityError || f.Severity == lint.SeverityWarning && !s.allowsWarnings
		v.add(fails, fmt.Sprintf("%s: %v", place, f))
	}
}

// judge adds what is wrong with the VMs in a template, unless lint has said it.
func (s *suite) judge(v *verdict, filled manifest.Object) {
	isRead := v.errors == nil
	with := s.With.Set.For(filled.Kind, filled.Namespace).Option()
	j, _ := s.Judge(filled.Content(), with) // only a template that VMs need not name can fail
	gaps := j.Gaps()
	for _, g := range gaps {
		if isRead || g.Doubt != vmrules.DoubtRules {
			v.add(!g.LacksRules() || !slices.Contains(s.withoutRules, filled.Name), g.String())
		}
	}
	for _, result := range j.Results() {
		for _, violation := range result.Violations {
			if !judged.IsGap(result, gaps) {
				v.add(!violation.Warned, violation.Error())
			}
		}
	}
}
