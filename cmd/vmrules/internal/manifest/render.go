package manifest

import (
	"path/filepath"
	"regexp"
	"strings"
)

// expression matches the beginning of an expression of Helm or Jinja, and not ${{NAME}}, which
// is a parameter of OpenShift.
var expression = regexp.MustCompile(`(^|[^$])\{\{`)

// renderFirst returns what to do with a text that cannot be read, if it looks like a source of
// manifests rather than a manifest; otherwise "".
func renderFirst(text string) string {
	switch {
	case strings.Contains(text, "{%"):
		return "; the file looks like a template of Jinja: render it first, and check the result"
	case expression.MatchString(text):
		return "; the file looks like a template of Helm or Jinja: render it first, such as with: helm template . | vmrules check -"
	}
	return ""
}

// helm matches an expression of Helm in a line.
var helm = regexp.MustCompile(`^[^\n]*\{\{-?\s*(\.Values|\.Release|\.Chart|include|tpl)\b[^\n]*$`)

// unrendered returns a value in a document with VMs that Helm would replace; nil if there is none. Such a text
// can be read, and may even satisfy rules.
func (n *node) unrendered() *node {
	if kind := n.text("kind"); kind != "" && homes[kind] == "" && !strings.HasSuffix(kind, "List") {
		return nil
	}
	if text, isText := n.scalar.(string); isText && strings.Contains(text, "{{") && helm.MatchString(text) {
		return n
	}
	for _, m := range n.members {
		if found := m.value.unrendered(); found != nil {
			return found
		}
	}
	return nil
}

// Source returns how to render the manifests that the file describes, if it is the main file of
// a kustomization or of a Helm chart; otherwise "".
func (f *File) Source() string {
	folder := filepath.Dir(f.Name)
	switch filepath.Base(f.Name) {
	case "kustomization.yaml", "kustomization.yml":
		return "kustomize build " + folder
	case "Chart.yaml":
		return "helm template " + folder
	}
	return ""
}
