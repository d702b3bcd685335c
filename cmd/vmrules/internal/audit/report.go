package audit

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/openreports"
)

// reports writes a Report for each object that has rules, as documents of YAML.
func reports(w io.Writer, o Options) writer {
	encoder, now := yaml.NewEncoder(w), time.Now()
	encoder.SetIndent(2)
	return writer{add: func(vm audited) error {
		err := vm.err
		if vm.fails && vm.class == judged.NoRules {
			err = errors.New("the object has no rules")
		}
		switch report := openreports.New(vm.object, openreports.Validation{
			Policy: policyOf(vm, o.Rules), Template: vm.template, Report: vm.report, Err: err, Time: now,
		}); {
		case vm.Name == "" && err != nil: // nobody would know what the Report is about
			for line := range strings.Lines(vm.title() + ": " + err.Error()) {
				fmt.Fprintf(w, "# %s\n", output.OneLine(strings.TrimSuffix(line, "\n")))
			}
		case report != nil:
			return encoder.Encode(report)
		}
		return nil
	}}
}

// policyOf returns where the rules of an object come from, for its Report.
func policyOf(vm audited, rules []string) string {
	if rules != nil {
		return strings.Join(rules, ", ")
	}
	for _, t := range vm.report.Targets() {
		if t.From == vmrules.SourceTemplate || t.Coverage == vmrules.CoverageNoTemplate {
			return t.Template
		}
	}
	return openreports.OwnPolicy
}
