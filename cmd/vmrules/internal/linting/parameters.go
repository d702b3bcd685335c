package linting

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// MissingText returns a message about a required parameter without a value.
func MissingText(name string) string {
	name = output.OneLine(name)
	return fmt.Sprintf("parameter %s is required and has no value: set it with -p %s=…", name, name)
}

// MissingIn returns the parameters to which a text refers, of those without a value.
func MissingIn(text string, missing []string) []string {
	return slices.DeleteFunc(slices.Clone(missing), func(name string) bool {
		return !strings.Contains(text, "{"+name+"}")
	})
}

var inMarks = regexp.MustCompile(`^[^\w"]*(\w+)`) // a name in marks, such as those of another template language

// aboutParameters says what a parameter may have to do with what cannot be read in an annotation; "" if none has.
func aboutParameters(a manifest.Annotation, offset int, missing []string) string {
	if all := MissingIn(a.Text(), missing); len(all) > 0 {
		return "; " + MissingText(all[0])
	}
	if reference := a.ReferenceAt(offset); reference != "" {
		return "; this is the value of " + reference
	}
	name := inMarks.FindStringSubmatch(a.Text()[offset:])
	for _, p := range a.Object.Parameters() {
		if name != nil && name[1] == p.Name {
			return fmt.Sprintf("; the parameter is written ${%s}", p.Name)
		}
	}
	return ""
}
