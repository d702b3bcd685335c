// Package shelf holds templates, among which VMs find the one that they name.
package shelf

import (
	"fmt"
	"slices"
	"sync"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A Shelf holds templates. Once all are added, it is safe for concurrent use.
type Shelf struct {
	// Fill fills in the parameters of a template, and Reading has the options for its rules.
	Fill    func(manifest.Object) (manifest.Object, error)
	Reading []vmrules.ParseOption
	// Beside is a folder with more templates; it is read for the first VM that names one.
	Beside string

	All []*Template
}

// A Template is a template on a Shelf.
type Template struct {
	manifest.Object
	Written func() map[string]any         // the content, before its parameters are filled in
	rules   func() (vmrules.Rules, error) // reads them when they are first asked for
}

// Add adds an object, if it is a template.
func (s *Shelf) Add(o manifest.Object) {
	if !o.IsTemplate() {
		return
	}
	o = o.Loaded()
	s.All = append(s.All, &Template{o, sync.OnceValue(o.Content), sync.OnceValues(func() (vmrules.Rules, error) {
		rules, _, err := s.RulesIn(o)
		return rules, err
	})})
}

// readBeside adds the templates beside. It reads them again after an error.
func (s *Shelf) readBeside() error {
	if s.Beside == "" {
		return nil
	}
	for file, err := range manifest.Read([]string{s.Beside}, nil) {
		if err != nil {
			return err
		}
		for _, o := range file.Objects() {
			s.Add(o)
		}
	}
	s.Beside = ""
	return nil
}

// Named returns the template that a VM names; nil if there is none. The file of a template may leave
// out the namespace. Templates that have the same rules count as one.
func (s *Shelf) Named(ref vmrules.TemplateRef) (*Template, error) {
	if err := s.readBeside(); err != nil {
		return nil, err
	}
	all := s.find(ref.Name, func(namespace string) bool { return ref.Namespace == "" || namespace == ref.Namespace })
	if len(all) == 0 {
		all = s.find(ref.Name, func(namespace string) bool { return namespace == "" })
	}
	if len(all) == 0 {
		return nil, nil
	}
	for _, other := range all[1:] {
		rules, err := all[0].Rules()
		others, otherErr := other.Rules()
		if err != nil || otherErr != nil || !rules.Equal(others) {
			return nil, fmt.Errorf("%d templates of this name have different rules, at %s:%d and %s:%d: keep one",
				len(all), all[0].File.Name, all[0].Line, other.File.Name, other.Line)
		}
	}
	return all[0], nil
}

// find returns the templates with a name, in namespaces that fit.
func (s *Shelf) find(name string, fits func(namespace string) bool) []*Template {
	return slices.DeleteFunc(slices.Clone(s.All), func(t *Template) bool { return t.Name != name || !fits(t.Namespace) })
}

// Rules returns the rules of the template; none if it is nil.
func (t *Template) Rules() (vmrules.Rules, error) {
	if t == nil {
		return vmrules.Rules{}, nil
	}
	return t.rules()
}

// Content returns the template that a VM names as it is written, which is in the cluster; nil if it is not
// known.
func (s *Shelf) Content(ref vmrules.TemplateRef) map[string]any {
	if found, err := s.Named(ref); found != nil && err == nil {
		return found.Written()
	}
	return nil
}

// RulesIn returns the rules in a template, and the template with its parameters filled in.
func (s *Shelf) RulesIn(template manifest.Object) (vmrules.Rules, map[string]any, error) {
	filled, err := s.Fill(template)
	if err != nil {
		return vmrules.Rules{}, nil, err
	}
	content := filled.Content()
	rules, err := vmrules.RulesFor(nil, content, s.Reading...)
	return rules, content, err
}
