// Reads a rule of a kind that the module adds.
package main

import (
	"log"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/crd"
)

const annotation = `[{"name": "cores", "rule": "cel", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "expression": "self % 2 == 0"}]`

func main() {
	if _, err := vmrules.ParseRules(annotation, crd.Kinds()...); err != nil {
		log.Fatal(err)
	}
}
