// Package vmrules validates KubeVirt virtual machines by the rules that their templates
// carry in the annotation vm.kubevirt.io/validations, in versions 201902-2 and 201901-1
// of the format.
//
// It works on plain map[string]any, as decoders of JSON and YAML return them, and does
// not depend on Kubernetes. Parse once, validate often:
//
//	rules, err := vmrules.ParseRules(annotation)
//	report := vmrules.Validate(rules, vm)
//
// [ValidateOwn] finds the rules of every VM inside an object, in the VM, around it, or in the template
// that it names, and validates the VM by them. [RulesFor] returns the rules of a VM and its template.
// Package form says what each field of a VM may hold, and package lint finds mistakes in rules
// without any VM. [WithKind] adds kinds of rules that the format does not have.
//
// # The format
//
// The annotation is a JSON array of rules:
//
//	[
//	  {
//	    "name": "socket-limits",
//	    "rule": "integer",
//	    "path": "jsonpath::.spec.domain.cpu.sockets",
//	    "message": "there may be as many sockets as can be plugged in later",
//	    "valid": "jsonpath::.spec.domain.cpu.maxSockets",
//	    "min": 1,
//	    "max": "jsonpath::.spec.domain.cpu.maxSockets",
//	    "justWarning": false
//	  }
//	]
//
// The keys name, rule, path and message are mandatory (R4). The others are optional; one that
// is null is absent (R11). An unknown key is ignored and kept in [Rule.Unknown] (R6); under
// [Strict] it is a problem. A [ParseError] reports all problems of all rules together (A10).
// [Rule] says what the kinds and arguments demand of a value.
//
// The numbers are those of docs/format.md, which lists every sentence of the specification, what
// it leaves open, and what this package decides.
//
// Rules in version 201901-1 are in an annotation of the template itself. Its specification
// calls the annotation "validation" in the text and "validations" in the examples; this
// package reads the latter (A4). Paths have no prefix: they begin with a slash
// ("/spec.domain.cpu.cores") or with a name (P5). An argument that begins with a slash is a
// path (P6). One argument is "included" in the text and "values" in the examples; this package
// reads both (C15).
//
// # Paths
//
// [Path] describes the dialect of JSONPath (P7). Where "valid" selects nothing, the rule is
// Skipped (R9). Where path selects nothing, the rule is violated: without "valid", a field
// must be there (R7). A null is absent (P18). Where path selects several values, all of them
// must satisfy all arguments (C7).
//
// According to the text of the specification, paths begin at the objects of the template.
// In its examples they begin at the spec.template of a VM, and this package follows the
// examples (P1). The root of paths depends on the object's kind and API group or, if it has no
// kind, on its shape:
//
//	VirtualMachine, or a spec.template.spec              spec.template
//	VirtualMachineInstance, or a spec.domain             the object
//	VirtualMachineInstanceReplicaSet                     spec.template
//	VirtualMachinePool, or a spec.virtualMachineTemplate spec.virtualMachineTemplate.spec.template
//	Template (template.openshift.io)                     that of each object in objects
//	VirtualMachineTemplate (template.kubevirt.io)        spec.virtualMachine.spec.template
//	List, VirtualMachineList and the like                that of each item
//	anything else                                        the object
//
// Each root is a [Target] and has one result for each rule (W10). Where there is nothing to
// validate, every rule is Undecided: in a list or template without a VM, in a VM without
// its spec.template, and for a nil object (W9).
//
// # Defaults
//
// Some fields exist wherever the object around them exists (D1).
// The sockets, cores and threads of .spec.domain.cpu count as 1 where they are not set or
// 0. These count as "": machine.type; serial, cache, io and tag of disks; model,
// macAddress, pciAddress, tag and ports[*].protocol of interfaces. ports[*].port counts as
// 0 (D3). A step that names the field sees its default; a wildcard or ".." sees only what is
// written (D4). [WithDefaults] adds to these fields and overrides them.
//
// # Instance types and preferences
//
// When KubeVirt starts a VM, it sets fields from the instance type and the preference that
// the VM names. [WithInstancetype] and [WithInstancetypes] give them; the VM is then validated
// as KubeVirt expands it (I1), and [Violation.Origin] says which object a value comes from.
//
// Without them, a rule is Undecided if its path, its "valid" or an argument asks for a field
// that one of them may set: a field that the VM does not set, such as cpu.cores,
// memory.guest or the bus of a disk, or one that KubeVirt overwrites or adds to even where
// the VM sets it, such as cpu.maxSockets (I9). A value that the VM sets and that breaks the
// rule still violates it (O5). [WithoutInstancetypes] validates by what the VM says alone. Rules with
// [WholeObjects] validate the object as it is written.
//
// # Updates
//
// With [Ratcheting] and [WithOldObject], an update fails only because of its changes: a
// violation that the old object has too is a warning (U1).
//
// # Template parameters
//
// Inside a template, a rule that asks for a string with a parameter that is not filled in,
// such as ${NAME}, is Undecided (T1). A parameter in a key may become any name (T3). Where a path
// steps into an object with such a key, it selects the other members as usual, but the
// rule is Undecided if the path names a member that is missing there, or selects by a
// wildcard or "..".
//
// # Outcomes
//
//	Satisfied   every value that path selects satisfies the rule
//	Violated    a value breaks the rule, or path selects nothing
//	Warned      a value breaks a rule with justWarning, or one that the old object broke too
//	Skipped     valid selects nothing, or a field is not filled in yet
//	Ignored     the kind is not known, or the rule enforces nothing
//	Undecided   the rule could not be decided
//
// Only [Ratcheting] looks at the old object, and only [Partial] at fields that are not filled in.
//
// A VM has no result at all if it is exempt, has no rules, or names a template that nobody looks for.
// [Report.Targets] says so of each VM, with its [Coverage]. Such a report is Valid, since nothing is
// wrong; only [Report.Passed] says that nothing was left out. Refuse what is not Valid. Where no VM may
// slip by without a rule, as in a pipeline, ask for Passed.
//
// [Report.Valid] is false where a rule is Violated, and where one that does not say
// justWarning is Undecided (O11). Undecided never counts as satisfied (O4): a bound was reached, an
// argument could not be read, or there was nothing to validate. [Result.Doubt] says which,
// and the violation does not blame a field. The zero [Report] is not valid. Reading a
// report from its JSON gives the verdict that was written, or an error.
//
// # Concurrency and bounds
//
// [Rules], [Path] and [Argument] are immutable and safe for concurrent use. [Validate]
// never modifies its object; the same object may be validated concurrently while nothing
// changes it.
//
// Annotations and objects are treated as hostile input: nothing panics, and every call
// ends, with the default [Budget] within 2 seconds and 256 MB, from an annotation of 256
// KiB and an object of 1.5 MB. Input beyond a bound gives a [Problem], an Undecided rule or
// a count of what is omitted, and never a pass. The page docs/bounds.md has all bounds.
package vmrules
