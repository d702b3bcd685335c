// Quickstart judges a VM by the rules of its template and shows the report.
//
//	go run ./examples/quickstart [<template> <vm>]
//
// Without arguments it reads two files of this repository, so run it at the
// root. Both files are JSON. A VM with rules of its own is judged by those and
// not by the template's. The first file may also be a bare annotation, the array
// of rules itself: then the VM is judged by these, whatever it says.
//
// The exit status is 0 for a valid VM, 1 for one that is not valid, and 2 for
// input that cannot be used.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vmrules/vmrules"
)

const (
	exitValid = iota
	exitNotValid
	exitUnusable
)

var (
	defaultTemplate = filepath.Join("testdata", "quickstart", "template.json")
	defaultVM       = filepath.Join("testdata", "quickstart", "vm.json")
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process: its arguments, its output, its exit status.
func run(args []string, stdout, stderr io.Writer) int {
	templateFile, vmFile := defaultTemplate, defaultVM
	switch len(args) {
	case 0:
	case 2:
		templateFile, vmFile = args[0], args[1]
	default:
		fmt.Fprintln(stderr, "usage: quickstart [<template or annotation> <vm>]")
		return exitUnusable
	}
	report, err := judge(templateFile, vmFile)
	if err != nil {
		fmt.Fprintln(stderr, "quickstart:", err)
		if len(args) == 0 && errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(stderr, "Run it at the root of the repository, or name a template and a VM.")
		}
		return exitUnusable
	}
	fmt.Fprintf(stdout, "%s, by the rules of %s:\n\n%s\n", vmFile, templateFile, report)
	if !report.Valid() {
		return exitNotValid
	}
	return exitValid
}

// judge is all that a program has to do with the library.
func judge(templateFile, vmFile string) (*vmrules.Report, error) {
	vm, err := readObject(vmFile)
	if err != nil {
		return nil, err
	}
	rules, err := readRules(templateFile, vm)
	if err != nil {
		return nil, err
	}
	return vmrules.Validate(rules, vm), nil
}

// readRules reads the rules for a VM from a template, or from a file that holds
// nothing but the annotation.
func readRules(file string, vm map[string]any) (vmrules.Rules, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return vmrules.Rules{}, err
	}
	var rules vmrules.Rules
	if strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		var template map[string]any
		if template, err = decode(text); err == nil {
			rules, err = vmrules.RulesFor(vm, template)
		}
	} else {
		rules, err = vmrules.ParseRules(string(text))
	}
	if err != nil {
		return vmrules.Rules{}, fmt.Errorf("%s: %w", file, err)
	}
	return rules, nil
}

func readObject(file string) (map[string]any, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	object, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return object, nil
}

// decode reads a JSON object. UseNumber keeps every digit of its numbers, which
// a float64 would not.
func decode(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	if object == nil {
		return nil, errors.New("not a JSON object: null")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("not a JSON object: something follows its end")
	}
	return object, nil
}
