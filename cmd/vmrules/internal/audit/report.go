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

// A reportStream writes a Report for each object that has rules, as documents of YAML.
type reportStream struct {
	w     io.Writer
	yaml  *yaml.Encoder
	now   time.Time
	rules []string // the files of --rules
}

func newReports(w io.Writer, rules []string) writer {
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	return reportStream{w, encoder, time.Now(), rules}
}

func (s reportStream) add(vm audited) error {
	err := vm.err
	if vm.fails && vm.class == judged.NoRules {
		err = errors.New("the object has no rules")
	}
	switch report := openreports.New(vm.object, openreports.Validation{
		Policy: s.policyOf(vm), Template: vm.template, Report: vm.report, Err: err, Time: s.now,
	}); {
	case vm.Name == "" && err != nil: // nobody would know what the Report is about
		for line := range strings.Lines(vm.title() + ": " + err.Error()) {
			fmt.Fprintf(s.w, "# %s\n", output.OneLine(strings.TrimSuffix(line, "\n")))
		}
	case report != nil:
		return s.yaml.Encode(report)
	}
	return nil
}

func (reportStream) finish() error { return nil }

// policyOf returns where the rules of an object come from, for its Report.
func (s reportStream) policyOf(vm audited) string {
	if s.rules != nil {
		return strings.Join(s.rules, ", ")
	}
	for _, t := range vm.report.Targets() {
		if t.From == vmrules.SourceTemplate || t.Coverage == vmrules.CoverageNoTemplate {
			return t.Template
		}
	}
	return openreports.OwnPolicy
}
