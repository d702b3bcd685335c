package audit

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
)

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
