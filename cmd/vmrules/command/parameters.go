package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// parameters holds the values that -p gives to parameters of templates.
type parameters struct {
	given  []string // as NAME=VALUE
	values map[string]string

	mutex    sync.Mutex
	declared map[string]bool // the parameters of the templates so far
}

func newParameters() parameters {
	return parameters{values: map[string]string{}, declared: map[string]bool{}}
}

func (p *parameters) flag(command *cobra.Command) {
	command.Flags().StringArrayVarP(&p.given, "param", "p", nil, "value of a template's parameter, as NAME=VALUE")
}

func (p *parameters) read() error {
	for _, given := range p.given {
		name, value, ok := strings.Cut(given, "=")
		if !ok || name == "" {
			return fmt.Errorf("-p %s: write NAME=VALUE", given)
		}
		p.values[name] = value
	}
	return nil
}

// fill fills in the parameters of a template. It leaves any other object unchanged. It is safe
// for concurrent use.
func (p *parameters) fill(o manifest.Object) (manifest.Filled, error) {
	p.mutex.Lock()
	for _, declared := range o.Parameters() {
		p.declared[declared.Name] = true
	}
	p.mutex.Unlock()
	return o.Fill(p.values)
}

// meant asks whether a word is one of some names, misspelt; "" if it is near none of them.
func meant(word string, names []string) string {
	all := &cobra.Command{}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for all.SuggestionsMinimumDistance < min(2, len(word)/3) {
		all.SuggestionsMinimumDistance++
		if near := all.SuggestionsFor(word); len(near) > 0 {
			return "; did you mean " + near[0] + "?"
		}
	}
	return ""
}

// allDeclared returns an error if no template declares a parameter that -p sets.
func (p *parameters) allDeclared() error {
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		if err := p.isDeclared(name); err != nil {
			return err
		}
	}
	return nil
}

// isDeclared returns an error if no template declares a parameter.
func (p *parameters) isDeclared(name string) error {
	if p.declared[name] {
		return nil
	}
	return fmt.Errorf("-p %s: no template has this parameter%s", name, meant(name, slices.Sorted(maps.Keys(p.declared))))
}
