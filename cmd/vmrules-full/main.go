// Vmrules-full is the vmrules command with more kinds of rules. Rules of the kinds schema and
// cel are validated by Kubernetes' own validators of custom resources, and rules of the kind
// pattern by Kyverno's engine. The option --rules also takes schemas and policies of Kyverno.
//
//	vmrules-full check --rules policy.yaml vm.yaml
//	vmrules-full explain cel
package main

import (
	"os"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/command"
	"github.com/vmrules/vmrules/kinds/crd"
	"github.com/vmrules/vmrules/kinds/kyverno"
)

func main() { os.Exit(command.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, full)) }

var full = command.Build{
	Name: "vmrules-full",
	Kinds: map[vmrules.Kind]vmrules.KindCompiler{
		"schema":  crd.Schema,
		"cel":     crd.CEL,
		"pattern": kyverno.Pattern,
	},
	Documents: map[string]command.DocumentReader{
		"":                         crd.Rules, // a schema
		"ClusterPolicy.kyverno.io": kyverno.Rules,
		"Policy.kyverno.io":        kyverno.Rules,
	},
}
