// Vmrules checks KubeVirt VMs by the validation rules in their annotations or in those of
// their templates, and lints these rules.
//
//	vmrules check template.yaml
//	vmrules lint templates/
//	vmrules explain minLength
package main

import (
	"os"

	"github.com/vmrules/vmrules/cmd/vmrules/command"
)

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, command.Build{Name: "vmrules"}))
}
