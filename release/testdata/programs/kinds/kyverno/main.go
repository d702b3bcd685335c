// Reads a rule of a kind that the module adds.
package main

import (
	"log"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/kyverno"
)

const annotation = `[{"name": "cores", "rule": "pattern", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "pattern": "<8"}]`

func main() {
	if _, err := vmrules.ParseRules(annotation, kyverno.Kinds()...); err != nil {
		log.Fatal(err)
	}
}
