package lint

import "slices"

// A Check is one of the things that Annotation looks for.
type Check struct {
	ID       string   `json:"id"`       // stable, in kebab case
	Severity Severity `json:"severity"` // of its findings, as a rule
	Meaning  string   `json:"meaning"`
}

// Checks lists what Annotation looks for: first what ParseRules refuses, then the rest.
func Checks() []Check { return slices.Clone(checks) }

// checks are all there are; each ID stands once more where it is found.
var checks = []Check{
	{"unreadable", SeverityError, "the text is not JSON or not UTF-8, is nested too deep, or has too many rules"},
	{"unknown-version", SeverityError, "WithVersion names a version that does not exist"},
	{"missing-key", SeverityError, "a mandatory key is absent or empty"},
	{"wrong-type", SeverityError, "a value has the wrong type"},
	{"duplicate", SeverityError, "a rule's name, or a key of one object, is there twice"},
	{"too-long", SeverityError, "the annotation or a regex is longer than it may be"},
	{"invalid-path", SeverityError, "path or valid is not a JSONPath that all readers understand alike"},
	{"invalid-regex", SeverityError, "the regex cannot be used"},
	{"invalid-argument", SeverityError, "another argument cannot be used"},

	{"misspelt-key", SeverityWarning, "a key is not known and so ignored, but nearly one that is known; an error under Strict"},
	{"unknown-key", SeverityWarning, "a key is not known and so ignored; an error under Strict"},
	{"misspelt-kind", SeverityWarning, "the kind is not known, so the rule is ignored, but nearly one that is known; an error under Strict"},
	{"unknown-kind", SeverityWarning, "the kind is not known, so the rule is ignored; an error under Strict"},
	{"no-arguments", SeverityWarning, "the rule enforces its type alone, or nothing; an error under Strict"},
	{"foreign-argument", SeverityWarning, "other consumers ignore this argument, since they read only those of the rule's kind"},

	{"unsatisfiable-range", SeverityWarning, "min is more than max, or minLength more than maxLength"},
	{"empty-values", SeverityWarning, "values is empty, so that nothing is allowed"},
	{"unsatisfiable-values", SeverityWarning, "the rule's kind and other arguments allow none of its values"},
	{"impossible-value", SeverityWarning, "the rule's kind and other arguments do not allow one of its values"},
	{"duplicate-value", SeverityWarning, "values holds the same value twice"},
	{"contradicting-rules", SeverityWarning, "two rules that apply together leave no value that satisfies both"},
	{"default-violates-rule", SeverityWarning, "a VM that does not set the field is rejected, since its default breaks the rule; an info where the VM does get that default, as 1 core"},

	{"path-from-vm", SeverityWarning, "a path begins at the VM or template, and not at the VM's spec.template"},
	{"misspelt-field", SeverityWarning, "no VM has this field, but one that is nearly the same"},
	{"misplaced-field", SeverityWarning, "no VM has this field there, but one step further down"},
	{"unknown-field", SeverityInfo, "no VM is known to have this field"},
	{"missing-wildcard", SeverityWarning, "a name steps into an array, which selects nothing without [*]"},
	{"not-an-array", SeverityWarning, "an index, slice, filter or [*] steps into what is no array, which selects nothing"},
	{"not-a-scalar", SeverityWarning, "a path ends at an array or object, where a string, number or boolean is needed"},
	{"valid-always-there", SeverityInfo, "valid names a field that is always there if its parent is"},

	{"slow-regex", SeverityWarning, "the regex may backtrack without end on some values, which leaves the rule Undecided"},
	{"half-anchored-regex", SeverityWarning, "^ holds for the first alternative only, and $ for the last"},
	{"unanchored-regex", SeverityInfo, "the regex also matches inside of a longer value"},
	{"message-is-name", SeverityInfo, "the message says no more than the rule's name"},
	{"not-checked", SeverityWarning, "the annotation asks for more work than the Budget allows, so that not all of it is checked"},
}

var severities = func() map[string]Severity {
	all := map[string]Severity{}
	for _, c := range checks {
		all[c.ID] = c.Severity
	}
	return all
}()

// notChecked is the ID of what the budget did not suffice for.
const notChecked = "not-checked"
