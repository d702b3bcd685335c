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
func commands(w io.Writer, _ Options) writer {
	return writer{add: func(vm audited) error {
		if vm.annotation == "" {
			return nil
		}
		for r := range form.References(vm.annotation) {
			text := fmt.Sprintf("%s: the annotation in %s has parameters, such as ${%s}, whose values for this VM are not known: write it by hand",
				vm.title(), vm.report.Targets()[0].Template, r.Name)
			_, err := fmt.Fprintln(w, "# "+output.OneLine(text))
			return err
		}
		namespace := ""
		if vm.Namespace != "" {
			namespace = " --namespace=" + quoted(vm.Namespace)
		}
		name, annotation := quoted("virtualmachines.kubevirt.io/"+vm.Name), quoted(vmrules.Annotation+"="+vm.annotation)
		_, err := fmt.Fprintf(w, "kubectl annotate%s %s %s\n", namespace, name, annotation)
		return err
	}}
}

// quoted returns a text as a shell reads it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
