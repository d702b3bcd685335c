package manifest

import (
	"strings"
	"testing"
)

func TestRenderFirst(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"Helm", "metadata:\n  name: {{ .Values.name }}\n", "helm template . | vmrules check -"},
		{"Helm, at the beginning", "{{- if .Values.vm }}\nkind: VirtualMachine\n{{- end }}\n", "helm template . | vmrules check -"},
		{"Jinja", "{% for os in oses %}\nkind: {{ os }}\n{% endfor %}\n", "a template of Jinja: render it first"},
		{"a parameter", "a: ${{NAME}}\nb: [\n", ""},
		{"other mistakes", "a: [\n", ""},
	} {
		_, err := Parse("f.yaml", test.text)
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "render") != (test.want != "") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestSource(t *testing.T) {
	for name, want := range map[string]string{
		"kustomization.yaml": "kustomize build .", "a/b/kustomization.yml": "kustomize build a/b",
		"charts/vm/Chart.yaml": "helm template charts/vm", "a/Chart.yaml/vm.yaml": "", "vm.yaml": "",
	} {
		if got := (&File{Name: name}).Source(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
