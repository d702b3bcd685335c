package command

import (
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
)

// installFull installs the build that knows more kinds.
const installFull = "go install github.com/vmrules/vmrules/cmd/vmrules-full@latest"

// kindsOfFull returns the kinds of ignored rules that vmrules-full knows.
func (c *checker) kindsOfFull() []string {
	found := map[string]bool{}
	for _, o := range c.checked {
		if o.Report == nil {
			continue
		}
		for _, result := range o.Report.Results(vmrules.Ignored) {
			if _, known := c.book.build.Kinds[result.Kind]; !known && isOfFull(result.Kind) {
				found[string(result.Kind)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// isOfFull reports whether a kind is one that vmrules-full adds to the format.
func isOfFull(kind vmrules.Kind) bool {
	return slices.ContainsFunc(topics(), func(t topic) bool { return t.Group == furtherKind && t.Name == string(kind) })
}
