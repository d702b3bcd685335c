package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/unjudged"
	"github.com/vmrules/vmrules/openreports"
)

// A reportStream writes a Report for each object that has rules, as documents of YAML.
type reportStream struct {
	w    io.Writer
	yaml *yaml.Encoder
	now  time.Time
}

func newReports(w io.Writer) auditOutput {
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	return reportStream{w, encoder, time.Now()}
}

func (s reportStream) add(vm audited) error {
	err := vm.err
	if vm.lacksRules && vm.unjudged == unjudged.NoRules {
		err = errors.New("the object has no rules")
	}
	switch report := openreports.New(vm.object, vm.policy, vm.report, err, s.now); {
	case vm.Name == "" && err != nil: // nobody would know what the Report is about
		for line := range strings.Lines(vm.title() + ": " + err.Error()) {
			fmt.Fprintf(s.w, "# %s\n", oneLine(strings.TrimSuffix(line, "\n")))
		}
	case report != nil:
		return s.yaml.Encode(report)
	}
	return nil
}

func (reportStream) finish() error { return nil }

// policyOf returns where the rules of an object come from, for its Report. The error says that they are those
// of a template that is not given.
func (a *auditor) policyOf(vm map[string]any, by *template) (string, error) {
	source := vmrules.SourceOf(vm)
	switch {
	case a.book.isGiven():
		return strings.Join(a.book.files, ", "), nil
	case by != nil:
		return openreports.TemplatePolicy(cmp.Or(source.Namespace, by.Namespace), by.Name), nil
	case source.From == vmrules.SourceTemplate && source.Namespace != "":
		return openreports.TemplatePolicy(source.Namespace, source.Name), openreports.Missing(source.Namespace, source.Name)
	}
	return openreports.OwnPolicy, nil
}

// saying returns the option to judge with what was found, and with an error that says what was not.
func saying(l *instancetypes.Lookup) vmrules.ValidateOption {
	return vmrules.WithInstancetypes(func(vm map[string]any) (given, preferred map[string]any, err error) {
		if given, preferred, err = l.Find(vm); err == nil && l.NotFound != nil {
			err = fmt.Errorf("the %s was not found", l.NotFound[0])
		}
		return given, preferred, err
	})
}
