package lint

import "slices"

// A Check describes one thing that Annotation looks for.
type Check struct {
	ID       string   `json:"id"`       // in kebab case; it never changes
	Severity Severity `json:"severity"` // of most of its findings
	Meaning  string   `json:"meaning"`
}

// Checks returns all checks: first those for what ParseRules refuses, then the others.
func Checks() []Check { return slices.Clone(checks) }

// checks holds all checks. The code that finds something repeats the ID. A mistake that makes every VM
// fail, or that is certainly one, is an error. A rule that may not do what its author wanted is a warning.
var checks = []Check{
	{"unreadable", SeverityError, "the text is not valid JSON or UTF-8, is nested too deeply, or has too many rules"},
	{"invalid-option", SeverityError, "WithKind cannot add the kind"},
	{"unknown-profile", SeverityError, "For names a profile that does not exist"},
	{"unknown-kubevirt", SeverityError, "KubeVirt names a version whose fields are not known"},
	{"missing-key", SeverityError, "a mandatory key is missing or empty"},
	{"wrong-type", SeverityError, "a value has the wrong type"},
	{"duplicate", SeverityError, "a rule name, or a key of one object, appears twice"},
	{"too-long", SeverityError, "the annotation or a regex is too long"},
	{"invalid-path", SeverityError, "path or valid is not a JSONPath that all consumers read alike"},
	{"invalid-regex", SeverityError, "the regex cannot be used"},
	{"invalid-argument", SeverityError, "an argument other than regex cannot be used"},

	{"misspelt-object", SeverityError, "the kind, the API group or a key of a VM or template is misspelt or at the wrong level, an array has no items, or a quantity has a wrong unit"},
	{"unjudged-template", SeverityError, "no rule applies to the VM of a template: its annotation has no rules or exempts it"},
	{"folded-text", SeverityWarning, "YAML's > has turned a line break in a rule into a space"},
	{"misspelt-annotation", SeverityError, "an annotation is not read, because its key is misspelt"},
	{"misplaced-annotation", SeverityError, "an annotation with rules is in a place where no program reads it for VMs"},
	{"undeclared-parameter", SeverityWarning, "the template does not declare this parameter; an error if the reference is the whole value, if the name resembles a declared one, or if virt-template refuses the template"},
	{"dropped-field", SeverityWarning, "virt-template drops a field that KubeVirt 1.8 does not have from the VM of a VirtualMachineTemplate"},
	{"refused-field", SeverityError, "virt-template refuses a field that KubeVirt 1.8 does not have, or a fraction for an integer, in a VirtualMachineTemplate"},
	{"useless-suppression", SeverityWarning, "an annotation or entry that accepts findings has no reason or no effect; only vmrules lint reports it"},

	{"misspelt-key", SeverityError, "an unknown key resembles a known key or its synonym"},
	{"unknown-key", SeverityWarning, "a key is unknown, so it is ignored; an error under Strict"},
	{"misspelt-kind", SeverityError, "an unknown kind resembles a known kind or its synonym"},
	{"unknown-kind", SeverityWarning, "the kind is unknown, so the rule is ignored; an error under Strict"},
	{"no-arguments", SeverityError, "the rule checks only the type of the value, or nothing at all"},
	{"foreign-argument", SeverityWarning, "other validators ignore this argument of another kind of rule; an error if the rule has no other"},

	{"wrong-kind", SeverityError, "no value of the field satisfies the kind, such as integer for a bus"},
	{"misspelt-value", SeverityError, "the field cannot have this value, but can have one that is spelt almost the same"},
	{"unknown-value", SeverityNote, "KubeVirt's API does not list this value for the field; an error if it lists none that the rule allows"},

	{"unsatisfiable-range", SeverityError, "min is more than max, or minLength more than maxLength"},
	{"empty-values", SeverityError, "values is empty, so no value is allowed"},
	{"unsatisfiable-values", SeverityError, "the rule's kind and other arguments rule out all of its values"},
	{"impossible-value", SeverityWarning, "the rule's kind and other arguments rule out some of its values"},
	{"tiny-memory", SeverityError, "a bound for memory is less than 32 MiB, probably in another unit than bytes"},
	{"idle-bound", SeverityError, "the rule's only argument is a min or minLength that no value is below"},
	{"duplicate-value", SeverityWarning, "values lists the same value twice"},
	{"contradicting-rules", SeverityError, "no value satisfies all the rules that apply together"},
	{"default-violates-rule", SeverityWarning, "the field's default breaks the rule, so a VM that does not set it is rejected; a note where the VM really gets that default, such as 1 core"},

	{"path-from-vm", SeverityError, "a path starts at the VM or the template, instead of at the VM's spec.template"},
	{"path-to-status", SeverityWarning, "a path starts at .status, which the VM of a template does not have"},
	{"misspelt-field", SeverityError, "no VM has this field, but VMs have one that is spelt almost the same"},
	{"misplaced-field", SeverityError, "no VM has this field here: the path lacks a name, or has one that does not belong there"},
	{"vague-path", SeverityWarning, "a path searches the whole VM with two dots, although it can mean only one field"},
	{"unknown-field", SeverityNote, "no VM is known to have this field"},
	{"newer-field", SeverityError, "no VM has this field in the version that the option KubeVirt names: a newer one brought it"},
	{"missing-wildcard", SeverityError, "a name follows an array without [*] in between, so it selects nothing"},
	{"not-an-array", SeverityError, "an index, slice, filter or [*] follows something that is not an array, so it selects nothing"},
	{"not-a-scalar", SeverityError, "a path ends at an array or object, where a string, number or boolean is needed"},
	{"valid-beside-path", SeverityError, "valid tests one field of an item and path reads another, such as cdrom.bus and disk.bus"},
	{"valid-always-there", SeverityNote, "valid names a field that always exists if its parent exists"},

	{"slow-regex", SeverityWarning, "the regex may backtrack for too long on some values, which makes the rule Undecided"},
	{"idle-regex", SeverityError, "the regex matches every text, or every text of one line"},
	{"misspelt-regex", SeverityError, "the regex is in the notation of another language, such as a glob or slashes around it"},
	{"unescaped-dot", SeverityWarning, "a dot between names in the regex matches any character"},
	{"half-anchored-regex", SeverityError, "^ applies to the first alternative only, or $ to the last only"},
	{"unanchored-regex", SeverityNote, "the regex also matches part of a longer value; a warning if it ends with a repetition, which then demands nothing, and an error if the whole value is meant"},
	{"message-is-name", SeverityNote, "the message only repeats the rule's name"},
	{"not-checked", SeverityWarning, "checking the whole annotation takes more work than the Budget allows"},

	{"ssp-argument", SeverityNote, "KubeVirt's template validator rejects VMs in which an argument's path selects several values; an error under For(SSP)"},
	{"ssp-bound", SeverityNote, "KubeVirt's template validator refuses an annotation with a quantity, or a number in quotes, as a bound; an error under For(SSP)"},
	{"ssp-field", SeverityNote, "KubeVirt's template validator cannot read the field as a number, and rejects every VM; an error under For(SSP)"},
	{"ssp-kind", SeverityNote, "KubeVirt's template validator does not know the kind, and rejects every VM; an error under For(SSP)"},
	{"ssp-own-vm", SeverityError, "KubeVirt's template validator refuses the VM of the template itself; only vmrules lint reports it, under --for ssp"},
	{"ssp-path", SeverityNote, "KubeVirt's template validator refuses the path, or finds nothing with it; an error under For(SSP)"},
	{"ssp-regex", SeverityNote, "KubeVirt's template validator does not accept the regex, and rejects every VM; an error under For(SSP)"},
	{"ssp-unknown-field", SeverityNote, "KubeVirt's template validator does not find the field, and rejects every VM; an error under For(SSP)"},
	{"ssp-values", SeverityNote, "KubeVirt's template validator refuses an annotation with values that are not an array of strings; an error under For(SSP)"},
	{"ssp-bytes", SeverityNote, "KubeVirt's template validator counts bytes, not characters; a warning under For(SSP)"},
	{"ssp-comparison", SeverityNote, "KubeVirt's template validator compares the name of a Go type, not the value; a warning under For(SSP)"},
	{"ssp-just-warning", SeverityNote, "KubeVirt's template validator rejects VMs although the rule has justWarning; a warning under For(SSP)"},
	{"ssp-key-case", SeverityNote, "KubeVirt's template validator reads keys in any letter case, and so one that is unknown here; a warning under For(SSP)"},
	{"ssp-no-argument", SeverityNote, "KubeVirt's template validator allows no value in an enum rule without values, and every value in a regex rule without regex; a warning under For(SSP)"},
	{"ssp-regex-path", SeverityNote, "KubeVirt's template validator reads the path as a regex; a warning under For(SSP)"},
	{"ssp-rounding", SeverityNote, "KubeVirt's template validator rounds a bound that is a fraction, or has more than 15 digits; a warning under For(SSP)"},
	{"ssp-unset", SeverityWarning, "KubeVirt's template validator counts an unset field as 0 or \"\", and accepts a VM that lacks it; only reported under For(SSP)"},
}

var severities = func() map[string]Severity {
	all := map[string]Severity{}
	for _, c := range checks {
		all[c.ID] = c.Severity
	}
	return all
}()
