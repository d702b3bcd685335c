package lint

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/topic"
)

func (r *run) writeFormat(name string) error {
	return output.Formats[name](r.streams.Out, r.Build, output.Findings{All: r.found.Shown(), Topics: topic.ForFindings(), Unusable: r.found.Unusable})
}

func writeList(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSEVERITY\tFIXED BY")
	flags := map[string]string{"safe": "--fix", "unsafe": "--fix --unsafe-fixes"}
	for _, c := range topic.Checks() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", c.Name, c.Severity, cmp.Or(flags[c.Fixes], "-"))
	}
	return table.Flush()
}

func (r *run) write(form func(output.Finding) string) error {
	text := output.Text{Quiet: r.options.Quiet, All: r.options.All, Form: form}
	findings := r.found.Shown()
	text.Count(findings)
	text.Write(r.streams.Out, findings)
	return r.writeSummary(r.streams.Out)
}

// writeSummary writes a line about all findings.
func (r *run) writeSummary(w io.Writer) error {
	if r.options.Quiet {
		return nil
	}
	text := output.Counted(r.found.Annotations, "annotation") + ": " + r.found.Counts() + r.Exclude.String()
	if r.options.fixes() {
		text += fmt.Sprintf(map[bool]string{false: ", %d fixed", true: ", %d would be fixed"}[r.options.Diff], r.found.Fixed)
		if n := r.found.NeedUnsafe(); n > 0 && !r.options.UnsafeFixes {
			text += fmt.Sprintf(", %d fixable with --unsafe-fixes", n)
		}
	}
	_, err := fmt.Fprintln(w, text)
	return err
}
