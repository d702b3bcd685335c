package lint_test

import (
	"fmt"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// Both rules are valid, but they do not do what they seem to.
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
	// 5 22 error path-from-vm cores path
	//    paths start at the VM's spec.template: remove .spec.template
	//    write jsonpath::.spec.domain.cpu.cores
	// 5 52 error misspelt-field cores path
	//    unknown field "core" in .spec.domain.cpu: did you mean "cores"?
	//    write jsonpath::.spec.domain.cpu.cores
	// 8 3 error misspelt-key cores justWarnig
	//    unknown key "justWarnig": did you mean "justWarning"? Without it, the rule refuses VMs
	//    write justWarning
	// 15 12 error half-anchored-regex bus regex
	//    ^ applies to the first alternative only, and $ to the last only: write ^(?:…|…)$ to anchor all of them
	//    write ^(?:virtio|scsi)$
}

// This lists all checks of Annotation.
func ExampleChecks() {
	for _, c := range lint.Checks() {
		fmt.Printf("%-21s %-8s %s\n", c.ID, c.Severity, c.Meaning)
	}
	// Output:
	// unreadable            error    the text is not valid JSON or UTF-8, is nested too deeply, or has too many rules
	// invalid-option        error    WithKind cannot add the kind
	// unknown-profile       error    For names a profile that does not exist
	// unknown-kubevirt      error    KubeVirt names a version whose fields are not known
	// missing-key           error    a mandatory key is missing or empty
	// wrong-type            error    a value has the wrong type
	// duplicate             error    a rule name, or a key of one object, appears twice
	// too-long              error    the annotation or a regex is too long
	// invalid-path          error    path or valid is not a JSONPath that all consumers read alike
	// invalid-regex         error    the regex cannot be used
	// invalid-argument      error    an argument other than regex cannot be used
	// misspelt-object       error    the kind, the API group or a key of a VM or template is misspelt or at the wrong level, an array has no items, or a quantity has a wrong unit
	// unjudged-template     error    no rule applies to the VM of a template: its annotation has no rules or exempts it
	// folded-text           warning  YAML's > has turned a line break in a rule into a space
	// misspelt-annotation   error    an annotation is not read, because its key is misspelt
	// misplaced-annotation  error    an annotation with rules is in a place where no program reads it for VMs
	// undeclared-parameter  warning  the template does not declare this parameter; an error if the reference is the whole value, if the name resembles a declared one, or if virt-template refuses the template
	// dropped-field         warning  virt-template drops a field that KubeVirt 1.8 does not have from the VM of a VirtualMachineTemplate
	// refused-field         error    virt-template refuses a field that KubeVirt 1.8 does not have, or a fraction for an integer, in a VirtualMachineTemplate
	// useless-suppression   warning  an annotation or entry that accepts findings has no reason or no effect; only vmrules lint reports it
	// misspelt-key          error    an unknown key resembles a known key or its synonym
	// unknown-key           warning  a key is unknown, so it is ignored; an error under Strict
	// misspelt-kind         error    an unknown kind resembles a known kind or its synonym
	// unknown-kind          warning  the kind is unknown, so the rule is ignored; an error under Strict
	// no-arguments          error    the rule checks only the type of the value, or nothing at all
	// foreign-argument      warning  other validators ignore this argument of another kind of rule; an error if the rule has no other
	// wrong-kind            error    no value of the field satisfies the kind, such as integer for a bus
	// misspelt-value        error    the field cannot have this value, but can have one that is spelt almost the same
	// unknown-value         note     KubeVirt's API does not list this value for the field; an error if it lists none that the rule allows
	// unsatisfiable-range   error    min is more than max, or minLength more than maxLength
	// empty-values          error    values is empty, so no value is allowed
	// unsatisfiable-values  error    the rule's kind and other arguments rule out all of its values
	// impossible-value      warning  the rule's kind and other arguments rule out some of its values
	// tiny-memory           error    a bound for memory is less than 32 MiB, probably in another unit than bytes
	// idle-bound            error    the rule's only argument is a min or minLength that no value is below
	// duplicate-value       warning  values lists the same value twice
	// contradicting-rules   error    no value satisfies all the rules that apply together
	// default-violates-rule warning  the field's default breaks the rule, so a VM that does not set it is rejected; a note where the VM really gets that default, such as 1 core
	// path-from-vm          error    a path starts at the VM or the template, instead of at the VM's spec.template
	// path-to-status        warning  a path starts at .status, which the VM of a template does not have
	// misspelt-field        error    no VM has this field, but VMs have one that is spelt almost the same
	// misplaced-field       error    no VM has this field here: the path lacks a name, or has one that does not belong there
	// vague-path            warning  a path searches the whole VM with two dots, although it can mean only one field
	// unknown-field         note     no VM is known to have this field
	// newer-field           error    no VM has this field in the version that the option KubeVirt names: a newer one brought it
	// missing-wildcard      error    a name follows an array without [*] in between, so it selects nothing
	// not-an-array          error    an index, slice, filter or [*] follows something that is not an array, so it selects nothing
	// not-a-scalar          error    a path ends at an array or object, where a string, number or boolean is needed
	// valid-beside-path     error    valid tests one field of an item and path reads another, such as cdrom.bus and disk.bus
	// valid-always-there    note     valid names a field that always exists if its parent exists
	// slow-regex            warning  the regex may backtrack for too long on some values, which makes the rule Undecided
	// idle-regex            error    the regex matches every text, or every text of one line
	// misspelt-regex        error    the regex is in the notation of another language, such as a glob or slashes around it
	// unescaped-dot         warning  a dot between names in the regex matches any character
	// half-anchored-regex   error    ^ applies to the first alternative only, or $ to the last only
	// unanchored-regex      note     the regex also matches part of a longer value; a warning if it ends with a repetition, which then demands nothing, and an error if the whole value is meant
	// message-is-name       note     the message only repeats the rule's name
	// not-checked           warning  checking the whole annotation takes more work than the Budget allows
	// ssp-argument          note     KubeVirt's template validator rejects VMs in which an argument's path selects several values; an error under For(SSP)
	// ssp-bound             note     KubeVirt's template validator refuses an annotation with a quantity, or a number in quotes, as a bound; an error under For(SSP)
	// ssp-field             note     KubeVirt's template validator cannot read the field as a number, and rejects every VM; an error under For(SSP)
	// ssp-kind              note     KubeVirt's template validator does not know the kind, and rejects every VM; an error under For(SSP)
	// ssp-own-vm            error    KubeVirt's template validator refuses the VM of the template itself; only vmrules lint reports it, under --for ssp
	// ssp-path              note     KubeVirt's template validator refuses the path, or finds nothing with it; an error under For(SSP)
	// ssp-regex             note     KubeVirt's template validator does not accept the regex, and rejects every VM; an error under For(SSP)
	// ssp-unknown-field     note     KubeVirt's template validator does not find the field, and rejects every VM; an error under For(SSP)
	// ssp-values            note     KubeVirt's template validator refuses an annotation with values that are not an array of strings; an error under For(SSP)
	// ssp-bytes             note     KubeVirt's template validator counts bytes, not characters; a warning under For(SSP)
	// ssp-comparison        note     KubeVirt's template validator compares the name of a Go type, not the value; a warning under For(SSP)
	// ssp-just-warning      note     KubeVirt's template validator rejects VMs although the rule has justWarning; a warning under For(SSP)
	// ssp-key-case          note     KubeVirt's template validator reads keys in any letter case, and so one that is unknown here; a warning under For(SSP)
	// ssp-no-argument       note     KubeVirt's template validator allows no value in an enum rule without values, and every value in a regex rule without regex; a warning under For(SSP)
	// ssp-regex-path        note     KubeVirt's template validator reads the path as a regex; a warning under For(SSP)
	// ssp-rounding          note     KubeVirt's template validator rounds a bound that is a fraction, or has more than 15 digits; a warning under For(SSP)
	// ssp-unset             warning  KubeVirt's template validator counts an unset field as 0 or "", and accepts a VM that lacks it; only reported under For(SSP)
}

// Rules for clusters with KubeVirt's template validator, and an older KubeVirt.
func ExampleFor() {
	const annotation = `[
		{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "at least 2 GiB", "min": "2Gi"},
		{"name": "account", "rule": "string", "path": "jsonpath::.spec.serviceAccountName", "message": "a short name", "minLength": 1, "maxLength": 8}
	]`
	oldest := lint.KubeVirtVersions()[0]
	for _, f := range lint.Annotation(annotation, lint.For(lint.SSP), lint.KubeVirt(oldest)) {
		fmt.Println(f.Severity, f.ID, f.Rule, f.Key)
	}
	// Output:
	// error ssp-bound memory min
	// error newer-field account path
	// error ssp-unknown-field account path
}

// An editor completes a path.
func ExampleKnownFields() {
	for _, field := range lint.KnownFields(vmrules.MustParsePath("jsonpath::.spec.domain.devices.disks[*].cdrom")) {
		fmt.Println(field.Name, field.Shape, field.Values)
	}
	// Output:
	// bus scalar [scsi sata virtio usb]
	// readonly scalar []
	// tray scalar [open closed]
}

// A check of manifests also looks at what is around the rules.
func ExampleObjectFields() {
	vm := map[string]any{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": map[string]any{
		"template": map[string]any{"spec": map[string]any{"domain": map[string]any{"cpus": map[string]any{"cores": 2}}}},
	}}
	lint.ObjectFields(vm, func(pointer string, f lint.Finding) { fmt.Println(pointer+":", f.Message) })

	show := func(f lint.Finding, found bool) { fmt.Println(found, f.ID+":", f.Message) }
	show(lint.ObjectKind("kubevirt.io/v1", "VirtualMachin"))
	show(lint.AnnotationKey("vm.kubevirt.io/validation", "[]", false))
	show(lint.UnjudgedTemplate(vmrules.Annotation, "[]", ""))
	// Output:
	// /spec/template/spec/domain/cpus: nobody reads "cpus": did you mean "cpu"?
	// true misspelt-object: the kind "VirtualMachin" is unknown, so no rules are read here: did you mean "VirtualMachine"?
	// true misspelt-annotation: the annotation "vm.kubevirt.io/validation" is not read: did you mean vm.kubevirt.io/validations?
	// true unjudged-template: there are no rules here, so no VM that is made from it has any: write some, or remove the annotation
}

// A tool that reads templates as text finds these mistakes itself, and says of them what vmrules lint says.
func ExampleUndeclaredParameter() {
	for _, f := range []lint.Finding{
		lint.UndeclaredParameter("COERS", []string{"NAME", "CORES"}, false),
		lint.MisplacedAnnotation("in the VM's own metadata"),
		lint.TemplateAnnotation(vmrules.Annotation, "in the VM"),
		lint.FoldedText(),
	} {
		fmt.Println(f.Severity, f.ID+":", f.Message)
	}
	// Output:
	// error undeclared-parameter: the template has no parameter COERS: did you mean CORES?
	// error misplaced-annotation: nobody reads vm.kubevirt.io/validations here: move it to the annotations in the VM's own metadata
	// error misplaced-annotation: only the console's form for CPUs reads these rules: write those of VMs to the annotations in the VM
	// warning folded-text: YAML's > joins the lines of this text: write | instead, and \n where a line of the text ends
}
