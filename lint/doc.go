// Package lint finds what is wrong with an annotation of validation rules, and what is
// probably not meant by it, without any VM. Much that is wrong is well-formed.
// [Annotation] finds it before a VM does, and says where it stands and often what to
// write instead.
//
// # Errors
//
// For these alone, ParseRules refuses the annotation:
//
//	unreadable            the text is not JSON or not UTF-8, is nested too deep, or has too many rules
//	unknown-version       WithVersion names a version that does not exist
//	missing-key           a mandatory key is absent or empty
//	wrong-type            a value has the wrong type
//	duplicate             a rule's name, or a key of one object, is there twice
//	too-long              the annotation or a regex is longer than it may be
//	invalid-path          path or valid is not a JSONPath that all readers understand alike
//	invalid-regex         the regex cannot be used
//	invalid-argument      another argument cannot be used
//
// # Warnings
//
// A rule most likely does not do what it is meant to do:
//
//	misspelt-key          a key is not known and so ignored, but nearly one that is known; an error under Strict
//	unknown-key           a key is not known and so ignored; an error under Strict
//	misspelt-kind         the kind is not known, so the rule is ignored, but nearly one that is known; an error under Strict
//	unknown-kind          the kind is not known, so the rule is ignored; an error under Strict
//	no-arguments          the rule enforces its type alone, or nothing; an error under Strict
//	foreign-argument      other consumers ignore this argument, since they read only those of the rule's kind
//	unsatisfiable-range   min is more than max, or minLength more than maxLength
//	empty-values          values is empty, so that nothing is allowed
//	unsatisfiable-values  the rule's kind and other arguments allow none of its values
//	impossible-value      the rule's kind and other arguments do not allow one of its values
//	duplicate-value       values holds the same value twice
//	contradicting-rules   two rules that apply together leave no value that satisfies both
//	default-violates-rule a VM that does not set the field is rejected, since its default breaks the rule; an info where the VM does get that default, as 1 core
//	path-from-vm          a path begins at the VM or template, and not at the VM's spec.template
//	misspelt-field        no VM has this field, but one that is nearly the same
//	misplaced-field       no VM has this field there, but one step further down
//	missing-wildcard      a name steps into an array, which selects nothing without [*]
//	not-an-array          an index, slice, filter or [*] steps into what is no array, which selects nothing
//	not-a-scalar          a path ends at an array or object, where a string, number or boolean is needed
//	slow-regex            the regex may backtrack without end on some values, which leaves the rule Undecided
//	half-anchored-regex   ^ holds for the first alternative only, and $ for the last
//	not-checked           the annotation asks for more work than the Budget allows, so that not all of it is checked
//
// # Infos
//
// It may be on purpose:
//
//	unknown-field         no VM is known to have this field
//	valid-always-there    valid names a field that is always there if its parent is
//	unanchored-regex      the regex also matches inside of a longer value
//	message-is-name       the message says no more than the rule's name
//
// # What it does not find
//
// It compares literal arguments, but not JSONPaths; and rules with the same path and the
// same valid, but not those that say justWarning. It does not compare patterns with each
// other. The fields of VMs are those in fields.txt; a newer KubeVirt may have more. Of a
// kind that WithKind knows, it does not know what a value must be.
package lint
