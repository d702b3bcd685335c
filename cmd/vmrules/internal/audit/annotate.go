package audit

import (
	"fmt"
	"io"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/form"
)

// commands writes a command for a shell for each VM that has lost its rules.
type commands struct{ w io.Writer }

func (c commands) add(vm audited) error {
	if vm.annotation == "" {
		return nil
	}
	for r := range form.References(vm.annotation) {
		text := fmt.Sprintf("%s: the annotation in %s has parameters, such as ${%s}, whose values for this VM are not known: write it by hand",
			vm.title(), vm.report.Targets()[0].Template, r.Name)
		_, err := fmt.Fprintln(c.w, "# "+output.OneLine(text))
		return err
	}
	namespace := ""
	if vm.Namespace != "" {
		namespace = " --namespace=" + quoted(vm.Namespace)
	}
	name, annotation := quoted("virtualmachines.kubevirt.io/"+vm.Name), quoted(vmrules.Annotation+"="+vm.annotation)
	_, err := fmt.Fprintf(c.w, "kubectl annotate%s %s %s\n", namespace, name, annotation)
	return err
}

func (commands) finish() error { return nil }

// quoted returns a text as a shell reads it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
