package output

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// show returns an excerpt, and a line with carets below what is marked.
func show(e manifest.Excerpt) (shown, carets string) {
	left, right := e.Before, e.Behind
	if e.CutBefore {
		left = "…" + left
	} else {
		left = strings.TrimLeft(left, " \t")
	}
	if e.CutBehind {
		right += "…"
	} else {
		right = strings.TrimRight(right, " \t")
	}
	left, marked := OneLine(left), OneLine(e.Behind[:e.Marked])
	return left + OneLine(right), strings.Repeat(" ", uniseg.StringWidth(left)) + strings.Repeat("^", max(uniseg.StringWidth(marked), 1))
}
