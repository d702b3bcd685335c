package judging

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/form"
)

// Parameters holds the values that -p gives to parameters of templates.
type Parameters struct {
	Values map[string]string

	mutex    sync.Mutex
	Declared map[string]bool // the parameters of the templates so far
}

// NewParameters returns Parameters without values.
func NewParameters() *Parameters {
	return &Parameters{Values: map[string]string{}, Declared: map[string]bool{}}
}

// ParamFlag adds the flag for values of parameters.
func ParamFlag(command *cobra.Command, given *[]string) {
	command.Flags().StringArrayVarP(given, "param", "p", nil, "value of a template's parameter, as NAME=VALUE")
}

// Read reads values that are given as NAME=VALUE.
func (p *Parameters) Read(all []string) error {
	for _, given := range all {
		name, value, ok := strings.Cut(given, "=")
		if !ok || name == "" {
			return fmt.Errorf("-p %s: write NAME=VALUE", given)
		}
		p.Values[name] = value
	}
	return nil
}

// Fill fills in the parameters of a template. It leaves any other object unchanged. It is safe
// for concurrent use.
func (p *Parameters) Fill(o manifest.Object) (manifest.Object, error) {
	p.mutex.Lock()
	for _, declared := range o.Parameters() {
		p.Declared[declared.Name] = true
	}
	p.mutex.Unlock()
	return o.Fill(p.Values)
}

// AllDeclared returns an error if no template declares a parameter that -p sets.
func (p *Parameters) AllDeclared() error {
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		if err := p.IsDeclared(name); err != nil {
			return err
		}
	}
	return nil
}

// IsDeclared returns an error if no template declares a parameter.
func (p *Parameters) IsDeclared(name string) error {
	if p.Declared[name] {
		return nil
	}
	return fmt.Errorf("-p %s: no template has this parameter%s", name, cli.Meant(name, slices.Sorted(maps.Keys(p.Declared))))
}

// HasOwnValues reports whether a template has its own values, and none that is given.
func (p *Parameters) HasOwnValues(template manifest.Object) bool {
	return !slices.ContainsFunc(template.Parameters(), func(declared form.Parameter) bool {
		_, isGiven := p.Values[declared.Name]
		return isGiven
	})
}
