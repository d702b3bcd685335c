package audit

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
)

// A violationLine is a line of -o jsonl. It is a violation, or says why the rules of a VM
// cannot be used.
type violationLine struct {
	audited
	*vmrules.Violation
	Problem string `json:"problem,omitempty"`
}

type lines struct {
	buffer  *bufio.Writer
	encoder *json.Encoder
}

func newLines(w io.Writer) *lines {
	buffer := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	return &lines{buffer, encoder}
}

func (l *lines) add(vm audited) error {
	all := []violationLine{}
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
	for _, line := range all {
		if err := l.encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// named returns the gaps to name: those of VMs that have no rules only if they fail.
func (vm audited) named() []judged.Gap {
	return slices.DeleteFunc(slices.Clone(vm.gaps), func(g judged.Gap) bool { return g.LacksRules() && !vm.fails })
}

func (l *lines) finish() error { return l.buffer.Flush() }
