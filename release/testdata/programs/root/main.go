// Reads a rule, and asks each package of the root module about it.
package main

import (
	"log"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/lint"
)

const annotation = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8", "max": 8}]`

func main() {
	rules, err := vmrules.ParseRules(annotation)
	if err != nil {
		log.Fatal(err)
	}
	limits := form.Limits(rules, nil)
	findings := lint.Annotation(annotation)
	conflicts := instancetype.CheckRequirements(nil, nil, nil)
	if len(limits) != 1 || len(findings) != 0 || len(conflicts) != 0 {
		log.Fatal(limits, findings, conflicts)
	}
}
