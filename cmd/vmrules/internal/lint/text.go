package lint

import (
	"fmt"
	"io"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/linting"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// mostAlike is how many findings that say the same are written.
const mostAlike = 3

// write writes findings and a summary. Of more than mostAlike findings that say the same, it writes
// only the first, unless all are wanted. Quiet, it writes only findings that set the exit status.
func (r *run) write(text func(linting.Finding) string) error {
	w := r.streams.Out
	alike := map[string]int{}
	for _, f := range r.found.Findings {
		alike[f.Said()]++
	}
	for _, f := range r.found.Findings {
		n := alike[f.Said()]
		if r.options.Quiet && !f.Fails || n == 0 {
			continue
		}
		fmt.Fprintln(w, text(f))
		if n > mostAlike && !r.options.All {
			fmt.Fprintf(w, "    and %d more like it: --all shows them\n", n-1)
			alike[f.Said()] = 0
		}
	}
	return r.writeSummary(w)
}

// writeSummary writes a line about all findings.
func (r *run) writeSummary(w io.Writer) error {
	found := r.found
	if r.options.Quiet {
		return nil
	}
	fmt.Fprintf(w, "%s: %s, %s, %s", output.Counted(found.Annotations, "annotation"),
		found.Count(lint.SeverityError), found.Count(lint.SeverityWarning), found.Count(lint.SeverityInfo))
	if found.Accepted > 0 {
		fmt.Fprintf(w, ", %d accepted", found.Accepted)
	}
	fmt.Fprint(w, r.Exclude.String())
	if r.options.fixes() {
		fmt.Fprintf(w, map[bool]string{false: ", %d fixed", true: ", %d would be fixed"}[r.options.Diff], found.Fixed)
		n := found.Number(func(f linting.Finding) bool { return f.Fix != nil && !f.Fix.IsSafe })
		if n > 0 && !r.options.UnsafeFixes {
			fmt.Fprintf(w, ", %d fixable with --unsafe-fixes", n)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}
