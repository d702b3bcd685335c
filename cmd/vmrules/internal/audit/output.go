package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/openreports"
)

var outputs = map[string]func(io.Writer, Options) writer{
	"text": summarized((*summary).text), "json": summarized((*summary).json),
	"jsonl": lines, "report": reports, "annotate": commands,
}

// A writer writes the results of VMs, in the order in which they were read.
type writer struct {
	add    func(audited) error
	finish func() error // nil if nothing remains to be written
}

// A violationLine of -o jsonl is a violation, or says why the rules of a VM cannot be used.
type violationLine struct {
	audited
	*vmrules.Violation
	Problem string `json:"problem,omitempty"`
}

func lines(w io.Writer, _ Options) writer {
	buffer := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	return writer{func(vm audited) error {
		for _, line := range linesOf(vm) {
			if err := encoder.Encode(line); err != nil {
				return err
			}
		}
		return nil
	}, buffer.Flush}
}

func linesOf(vm audited) (all []violationLine) {
	if vm.err != nil {
		all = append(all, violationLine{audited: vm, Problem: vm.err.Error()})
	}
	for _, g := range vm.named() {
		all = append(all, violationLine{audited: vm, Problem: g.String()})
	}
	for _, result := range vm.results {
		for _, v := range result.Violations {
			if !judged.IsGap(result, vm.gaps) {
				all = append(all, violationLine{audited: vm, Violation: &v})
			}
		}
	}
	if len(all) == 0 && vm.SSP.Refuses() {
		all = append(all, violationLine{audited: vm})
	}
	return all
}

// named returns the gaps to name: those of VMs that have no rules only if they fail.
func (vm audited) named() []judged.Gap {
	return slices.DeleteFunc(slices.Clone(vm.gaps), func(g judged.Gap) bool { return g.LacksRules() && !vm.fails })
}

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

// commands writes a command for a shell for each VM that has lost its rules.
func commands(w io.Writer, _ Options) writer {
	return writer{add: func(vm audited) error {
		if vm.annotation == "" {
			return nil
		}
		for r := range form.References(vm.annotation) {
			text := fmt.Sprintf("%s: the annotation in %s has parameters, such as ${%s}, whose values for this VM are not known: write it by hand",
				vm.title(), vm.report.Targets()[0].Template, r.Name)
			_, err := fmt.Fprintln(w, "# "+output.OneLine(text))
			return err
		}
		namespace := ""
		if vm.Namespace != "" {
			namespace = " --namespace=" + quoted(vm.Namespace)
		}
		name, annotation := quoted("virtualmachines.kubevirt.io/"+vm.Name), quoted(vmrules.Annotation+"="+vm.annotation)
		_, err := fmt.Fprintf(w, "kubectl annotate%s %s %s\n", namespace, name, annotation)
		return err
	}}
}

// quoted returns a text as a shell reads it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
