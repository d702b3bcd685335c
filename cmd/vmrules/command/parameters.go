package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// parameters are those of templates that -p gives a value.
type parameters struct {
	given    []string // as NAME=VALUE
	values   map[string]string
	declared map[string]bool // those of templates that were met
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
			return fmt.Errorf("-p %s: a parameter is given as NAME=VALUE", given)
		}
		p.values[name] = value
	}
	return nil
}

// fill fills in the parameters of a template; any other object stays as it is.
func (p *parameters) fill(o manifest.Object) (manifest.Filled, error) {
	for _, declared := range o.Parameters() {
		p.declared[declared.Name] = true
	}
	return o.Fill(p.values)
}

// allDeclared returns an error about a parameter that would have had no effect.
func (p *parameters) allDeclared() error {
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		if !p.declared[name] {
			return fmt.Errorf("-p %s: no template here has a parameter of this name", name)
		}
	}
	return nil
}
