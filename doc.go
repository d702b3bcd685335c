// Package vmrules judges KubeVirt virtual machines by the validation rules that
// their templates carry in the annotation vm.kubevirt.io/validations, in the
// versions 201902-2 and 201901-1 of its format.
//
// It works on plain map[string]any, as any decoder of JSON or YAML gives them,
// and depends on nothing of Kubernetes. Parse once, validate often:
//
//	rules, err := vmrules.ParseRules(annotation)
//	report := vmrules.Validate(rules, vm)
//
// [RulesFor] finds the rules of a VM or of the template that it was made from,
// [ValidateOwn] judges every VM inside an object by its own rules, and a
// [Report] says what came of each rule. [Rules.Resolve] reads what rules need of an
// object; on it, package form says what a field may hold. Package lint finds what is
// wrong with rules, and what is probably not meant, without any VM. [WithKind] adds
// kinds of rules that the format does not have.
//
// # The format
//
// The annotation is a JSON array of rules:
//
//	[
//	  {
//	    "name": "core-limits",
//	    "rule": "integer",
//	    "path": "jsonpath::.spec.domain.cpu.cores",
//	    "message": "cpu cores must be limited",
//	    "valid": "jsonpath::.spec.domain.cpu",
//	    "min": 1,
//	    "max": "jsonpath::.metadata.labels.licensed-cores",
//	    "justWarning": false
//	  }
//	]
//
// The keys name, rule, path and message are mandatory. The others are optional,
// and one that is null is absent. A key that is not known is ignored and kept in
// [Rule.Unknown]; with [Strict] it is a problem. All problems of all rules are
// reported together, as a [ParseError].
//
// Version 201901-1 stands in the annotation "validations" on the template
// itself. Its paths have no prefix, and a slash or nothing in front
// ("/spec.domain.cpu.cores"); an argument that begins with a slash is a path;
// and "included" is another name for "values".
//
// # Semantics
//
//	rule           a value satisfies it if                                 spec
//	integer        it is an integral number, or a string that is an        Validation rules
//	               integral quantity: 2, 2.0, "2Gi", "1e3"; not "500m"
//	string         it is a string                                          Validation rules
//	enum           rendered, it is exactly one of values                   Validation rules
//	regex          rendered, it matches regex anywhere                     Validation rules
//	another        the rule is Ignored, but see WithKind                   Validation rules
//
//	argument       a value satisfies it if
//	min, max       value >= min, value <= max; quantities count as         min / max
//	               numbers, and what is no number satisfies neither
//	minLength,     length >= minLength, length <= maxLength, rendered,     minLength / maxLength
//	maxLength      in Unicode code points
//	values         rendered, it is exactly one of them, each rendered,     values
//	               case sensitive; an empty list allows nothing
//	regex          rendered, it matches as PCRE2 would match it, in UTF    regex
//	               mode without UCP; not anchored
//
//	case
//	several values path selects several: all of them must satisfy all      min / max
//	nothing there  path selects nothing: violated                          Mandatory Keys
//	null           is absent
//	valid          selects nothing: the rule is Skipped                    Optional Keys
//	justWarning    violated becomes Warned and fails nothing               Optional Keys
//	no arguments   enum and regex: Ignored; integer and string: the        Rule arguments
//	               type alone is judged
//	"jsonpath::…"  as an argument: its value is read from the object;      Rule arguments
//	               where that fails, the rule is Undecided; an item of
//	               values that selects nothing allows nothing
//
// Rendered means as a string: a string is itself, a number is in plain decimal
// notation (1e3 is "1000", 2.50 is "2.5"), a boolean is "true" or "false". An
// array or object cannot be rendered and satisfies no kind.
//
// Every argument constrains, whatever the kind: an integer rule may have values,
// a string rule a regex. A value is judged in the order kind, min, max,
// minLength, maxLength, values, regex, with one [Violation] for each that fails;
// where the kind fails, for the kind alone.
//
// The specification swaps the senses of minLength and maxLength; here they have
// their usual ones. It calls the root of paths the objects of the template;
// here it is what its examples show, as the next section says.
//
// # Where rules apply
//
// The $ of paths depends on the object, by its kind and API group or, where it
// has no kind, by its shape:
//
//	VirtualMachine, or a spec.template.spec              spec.template
//	VirtualMachineInstance, or a spec.domain             the object
//	VirtualMachineInstanceReplicaSet                     spec.template
//	VirtualMachinePool, or a spec.virtualMachineTemplate spec.virtualMachineTemplate.spec.template
//	Template (template.openshift.io)                     that of each VirtualMachine in objects
//	VirtualMachineTemplate (template.kubevirt.io)        spec.virtualMachine.spec.template
//	List, VirtualMachineList and the like                that of each item
//	anything else                                        the object
//
// Each such place is a target, and has a result for each rule. A list or
// template without a VM, a VM without its spec.template, and a nil object leave
// every rule Undecided, with nothing to validate.
//
// Inside a template, a string with a parameter that is not filled in (${NAME})
// cannot be judged: Undecided. A key with one may be any name: what its object
// holds under other names is judged as it is, and a path is Undecided that names
// a member that is not there, or selects members by a wildcard or "..".
//
// When KubeVirt starts a VM, it sets fields from the instance type and the
// preference that the VM names. Neither is read here, so a rule is Undecided where
// its path, its "valid" or an argument asks for a field that one of them may set:
// a field that the VM does not set, such as cpu.cores, memory.guest, a disk's bus
// or machine.type, and one that is overwritten or added to whatever the VM says,
// such as cpu.maxSockets or features.acpi. A value that the VM does set and that
// breaks the rule still violates it. Rules with RootObject judge the object as it
// is written.
//
// Some fields exist wherever the object around them does (spec: Optional Keys,
// valid): sockets, cores and threads of .spec.domain.cpu count as 1 where they
// are not set or 0; machine.type, serial, cache, io and tag of disks, and model,
// macAddress, pciAddress, tag and ports[*].protocol of interfaces as ""; and
// ports[*].port as 0. A step that names the field sees its default; a wildcard
// or ".." sees only what is written. [WithDefaults] adds to these and overrides
// them.
//
// # Outcomes
//
//	Satisfied   every value that path selects satisfies the rule
//	Violated    some value does not, or none is there
//	Warned      violated, and the rule says justWarning
//	Skipped     valid selects nothing; or, under Partial, something is not filled in yet
//	Ignored     the kind is not known, or the rule enforces nothing
//	Undecided   the rule could not be judged
//
// [Report.Valid] is false where a rule is Violated or Undecided, unless it says
// justWarning. Undecided never counts as satisfied: it means that a bound was
// reached, that an argument could not be read, or that there is nothing to
// judge. [Result.Undecided] says which, and the violation blames no field.
//
// A [Report] that nobody made is not valid either. One that is read from its JSON
// has the verdict that was written, or there is an error.
//
// # Numbers
//
// Numbers are exact decimals and never a float64 on their way: of any size up to
// the bounds, compared by value, quantities included. Decode objects so that
// they keep their digits, as [ParseObject] and [ToObject] do, or with
// [encoding/json.Decoder.UseNumber]. An object that already holds a float64 is judged by the shortest decimal
// that reads back as the same float64.
//
// # JSONPath
//
// The dialect is that of kubectl; [Path] describes it. It is different on
// purpose in these:
//
//   - an empty array, or an empty slice of one, does not end the search in
//     other places;
//   - wildcards do not enter strings;
//   - numbers compare by value: 1 is 1.0, and no digit is lost;
//   - each location is selected once, also by [0,0] and "..";
//   - a null is absent, in filters too;
//   - what cannot be there in one element, such as a name in an array or an
//     index that is out of range, does not spoil the others: it is an error in
//     kubectl and nothing there here;
//   - an operand of a filter that selects several values, or values of
//     different types, do not match, and spoil no other item;
//   - a name in quotes goes on to the closing quote, whatever is in it, and a
//     backslash before a backslash is one;
//   - matches come in document order: arrays by index, objects by sorted name.
//
// An index or slice that reaches beyond its array selects nothing; kubectl
// reports an error. The page oracle/jsonpath_exceptions.md has every difference
// that generated paths have shown.
//
// Refused are what kubectl and other readers understand differently, or what
// only writes text: a bare dot or a name that is * inside quotes, $ inside a
// filter, && and || and filters inside filters, range and end, and anything
// outside the path.
//
// # Regular expressions
//
// A pattern matches exactly as PCRE2 would match it, in UTF mode and without
// UCP: \d, \w, \s, \b and POSIX classes are ASCII, $ also matches before a
// newline at the end. What this package cannot match exactly it refuses, by
// name: recursion and subroutine calls, conditionals, verbs, callouts, branch
// reset, \K, \G, \C, \X, scripts in \p, back-references to a group that has
// not ended, lookbehind of no fixed length, and what PCRE2's own versions read
// differently. Most patterns run in linear time; those with lookaround,
// back-references, atomic or possessive parts backtrack, within a budget.
//
// # Concurrency and bounds
//
// [Rules], [Path] and [Argument] are immutable and safe for concurrent use.
// [Validate] never modifies its object; the same object may be judged
// concurrently while nobody changes it.
//
// Annotations and objects are taken for hostile input. Nothing panics, and every
// call ends. A few limits hold for each thing by itself:
//
//	annotation     256 KiB, 64 levels, 10,000 rules
//	number         1,000 digits, a decimal exponent of 1,000
//	regex          4 KiB, 100 levels, 10,000 parts with its repeats written out,
//	               10,000 ranges of characters
//	path           10,000 values selected, 1,000 levels
//	lists          4 levels
//
// What everything together takes is paid for from the [Budget] of the call, before
// it is done:
//
//	call                            pays for                        what the budget does not suffice for
//	ParseRules, NewRules, RulesFor  all rules of the annotation     is a Problem, which says where reading ended
//	lint.Annotation                 reading and checking them       is a Finding, not-checked
//	Validate                        all targets, rules and values   is Undecided
//	ValidateOwn                     reading and judging, all VMs    is a Problem or Undecided
//	Rules.Resolve                   all targets and rules           is said by a last Resolved without a rule
//	form.Limits                     all targets and paths           is said by a last Limit without a path
//	form.Schema                     all targets and paths           is noted in SchemaUnexpressed
//	form.Parameters                 reading, and all targets        is an error
//	Path.Find                       one search                      nothing is selected
//	Checkers and KindCompilers      what they pay with Spend        is Undecided, or a Problem
//
// With the default Budget, any call ends within 2 seconds and 256 MB, from an
// annotation of 256 KiB and an object of 1.5 MB. [WithBudget] sets another. While
// targets follow, one may take half of what is left, so that no VM of a list suffers
// for another. Regular expressions that backtrack have 500 ms of their own beside
// it, set by [WithRegexBudget].
//
// What is made of a [Report], a [ParseError] or an [InvalidError], as JSON, text,
// causes or warnings, is about 16 MiB at most. What does not fit is left out and
// counted, in "omitted" or in a last line; verdicts and outcomes do not change. The
// limit of a violation shows at most 100 values.
//
// Values that are structs or have a MarshalJSON are encoded, and paid for, each time
// they are looked at: pass a typed VM through [ToObject] first.
package vmrules
