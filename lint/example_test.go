package lint_test

import (
	"fmt"

	"github.com/vmrules/vmrules/lint"
)

// A rule whose JSON is right, and nothing else.
func ExampleAnnotation() {
	for _, f := range lint.Annotation(`[
	{
		"name": "cores",
		"rule": "integer",
		"path": "jsonpath::.spec.template.spec.domain.cpu.core",
		"message": "there may be 8 cores at most",
		"max": 8,
		"justWarnig": true
	},
	{
		"name": "bus",
		"rule": "regex",
		"path": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
		"message": "the bus has to be virtio or scsi",
		"regex": "^virtio|scsi$"
	}
]`) {
		fmt.Println(f.Line, f.Column, f.Severity, f.ID, f.Rule, f.Key)
		fmt.Println("  ", f.Message)
		fmt.Println("   write", f.Suggestion)
	}
	// Output:
	// 5 11 warning misspelt-field cores path
	//    no VM has a field "core" in .spec.domain.cpu: did you mean "cores"?
	//    write jsonpath::.spec.domain.cpu.cores
	// 5 11 warning path-from-vm cores path
	//    paths begin at the VM's spec.template already: leave .spec.template out
	//    write jsonpath::.spec.domain.cpu.cores
	// 8 3 warning misspelt-key cores justWarnig
	//    the key "justWarnig" is not known: did you mean "justWarning"?
	//    write justWarning
	// 15 12 warning half-anchored-regex bus regex
	//    ^ holds for the first alternative only, and $ for the last: write ^(?:…|…)$ for all of them
	//    write ^(?:virtio|scsi)$
}

// What Annotation looks for.
func ExampleChecks() {
	for _, c := range lint.Checks() {
		fmt.Printf("%-21s %-8s %s\n", c.ID, c.Severity, c.Meaning)
	}
	// Output:
	// unreadable            error    the text is not JSON or not UTF-8, is nested too deep, or has too many rules
	// unknown-version       error    WithVersion names a version that does not exist
	// missing-key           error    a mandatory key is absent or empty
	// wrong-type            error    a value has the wrong type
	// duplicate             error    a rule's name, or a key of one object, is there twice
	// too-long              error    the annotation or a regex is longer than it may be
	// invalid-path          error    path or valid is not a JSONPath that all readers understand alike
	// invalid-regex         error    the regex cannot be used
	// invalid-argument      error    another argument cannot be used
	// misspelt-key          warning  a key is not known and so ignored, but nearly one that is known; an error under Strict
	// unknown-key           warning  a key is not known and so ignored; an error under Strict
	// misspelt-kind         warning  the kind is not known, so the rule is ignored, but nearly one that is known; an error under Strict
	// unknown-kind          warning  the kind is not known, so the rule is ignored; an error under Strict
	// no-arguments          warning  the rule enforces its type alone, or nothing; an error under Strict
	// foreign-argument      warning  other consumers ignore this argument, since they read only those of the rule's kind
	// unsatisfiable-range   warning  min is more than max, or minLength more than maxLength
	// empty-values          warning  values is empty, so that nothing is allowed
	// unsatisfiable-values  warning  the rule's kind and other arguments allow none of its values
	// impossible-value      warning  the rule's kind and other arguments do not allow one of its values
	// duplicate-value       warning  values holds the same value twice
	// contradicting-rules   warning  two rules that apply together leave no value that satisfies both
	// default-violates-rule warning  a VM that does not set the field is rejected, since its default breaks the rule; an info where the VM does get that default, as 1 core
	// path-from-vm          warning  a path begins at the VM or template, and not at the VM's spec.template
	// misspelt-field        warning  no VM has this field, but one that is nearly the same
	// misplaced-field       warning  no VM has this field there, but one step further down
	// unknown-field         info     no VM is known to have this field
	// missing-wildcard      warning  a name steps into an array, which selects nothing without [*]
	// not-an-array          warning  an index, slice, filter or [*] steps into what is no array, which selects nothing
	// not-a-scalar          warning  a path ends at an array or object, where a string, number or boolean is needed
	// valid-always-there    info     valid names a field that is always there if its parent is
	// slow-regex            warning  the regex may backtrack without end on some values, which leaves the rule Undecided
	// half-anchored-regex   warning  ^ holds for the first alternative only, and $ for the last
	// unanchored-regex      info     the regex also matches inside of a longer value
	// message-is-name       info     the message says no more than the rule's name
	// not-checked           warning  the annotation asks for more work than the Budget allows, so that not all of it is checked
}
