package export

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
)

// notInName matches what cannot be in the name of a Kubernetes object.
var notInName = regexp.MustCompile(`[^a-z0-9.-]+|(^|\.)-+|-+(\.|$)|\.\.+`)

// maxName leaves room for a suffix in the 253 characters that a name may have.
const maxName = 180

// byAnnotationSuffix ends the names of policies about VMs with a copy of the rules.
const byAnnotationSuffix = "-by-annotation"

// exportName returns the name for the policy of a template. A name gets a hash if it is not valid as
// it is, or may be that of another template: a dot may end a namespace, and -by-annotation and -warnings
// are appended.
func exportName(namespace, template string) string {
	if template == "" {
		return "vmrules"
	}
	name := strings.TrimPrefix(namespace+"."+template, ".")
	valid := strings.Trim(notInName.ReplaceAllString(strings.ToLower(name[:min(len(name), maxName)]), "-"), "-.")
	isAmbiguous := namespace == "" && strings.Contains(name, ".") || strings.HasSuffix(name, "-warnings") || strings.HasSuffix(name, byAnnotationSuffix)
	if valid == name && !isAmbiguous {
		return "vmrules." + name
	}
	return fmt.Sprintf("vmrules.%s-%.4x", strings.ReplaceAll(valid, ".", "-"), sha256.Sum256([]byte(name)))
}
