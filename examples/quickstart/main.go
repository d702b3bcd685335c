// Quickstart validates a VM by the rules of its template. Both are JSON files. Run it at the
// root of the repository:
//
//	go run ./examples/quickstart
//
// The command in cmd/vmrules does the same for any files.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/vmrules/vmrules"
)

func main() {
	report, err := judge("testdata/quickstart/vm.json", "testdata/quickstart/template.json")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report)
}

// judge has all calls of the library that a program needs.
func judge(vmFile, templateFile string) (*vmrules.Report, error) {
	vm, err := read(vmFile)
	if err != nil {
		return nil, err
	}
	template, err := read(templateFile)
	if err != nil {
		return nil, err
	}
	rules, err := vmrules.RulesFor(vm, template)
	if err != nil {
		return nil, err
	}
	return vmrules.Validate(rules, vm), nil
}

func read(file string) (map[string]any, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return vmrules.ParseObject(text)
}
