// This program uses what the recipes in CONTRIBUTING.md add.
package main

import (
	"fmt"
	"log"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

const annotation = `[
  {"name": "host", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "BAD NAME", "prefix": "web-"},
  {"name": "zone", "rule": "string", "path": "jsonpath::.spec.subdomain", "message": "the zone follows the host",
   "prefix": "jsonpath::.spec.hostname"}
]`

func main() {
	rules, err := vmrules.ParseRules(annotation)
	if err != nil {
		log.Fatal(err)
	}
	for _, spec := range []map[string]any{
		{"hostname": "web-1", "subdomain": "web-1.example.com"},
		{"hostname": "db-1", "subdomain": "db-2.example.com"},
	} {
		vmi := map[string]any{"kind": "VirtualMachineInstance", "spec": spec}
		fmt.Println(vmrules.Validate(rules, vmi))
	}
	for _, finding := range lint.Annotation(annotation) {
		fmt.Println(finding)
	}
}
