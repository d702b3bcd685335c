// Package lint finds mistakes and probable mistakes in an annotation of validation rules, without
// any VM. Many mistakes are well-formed JSON and valid rules. [Annotation] finds them before they
// affect a VM. It says where each one is and, if it can, what to write instead. [Checks] returns all
// checks; its example lists them, and docs/checks.md explains each with an example.
//
// # Severities
//
// ParseRules refuses an annotation if it has one of the errors from unreadable to invalid-argument,
// and for no other reason. The exceptions are mistakes of the caller: unknown-profile and unknown-kubevirt.
//
// A mistake that makes every VM fail is an error too, such as wrong-kind, unsatisfiable-range or a path
// that selects nothing in any VM. It is a warning if the rule has justWarning or a valid that not every
// VM has: the rule may then mean that a field must not be set.
//
// A mistake beyond doubt, such as a misspelt key or the regex .*, is an error with Refuses false. A rule that
// may not do what its author wanted is a warning. A finding that is only worth a look is a note.
//
// # Objects
//
// Annotation sees only the text of an annotation. [AnnotationKey], [MisplacedAnnotation], [TemplateAnnotation],
// [ObjectKind], [ObjectFields], [UnjudgedTemplate], [FoldedText] and [UndeclaredParameter] make findings about the
// object around it.
//
// # KubeVirt's template validator
//
// The checks whose IDs begin with ssp- find rules that this library understands, but not the
// admission webhook of ssp-operator, which OpenShift clusters run. Most are notes
// unless For(SSP) is given. Under For(SSP), unknown kinds, and paths that select nothing or an object
// or array, are errors too: that program rejects every VM with such a rule.
//
// # What it does not find
//
// Annotation compares the literal arguments of rules that have the same path and the same
// valid. It skips arguments that are JSONPaths and rules with justWarning, and it does not
// compare regexes with each other. It knows the fields that KubeVirt's API gives a VM; a newer KubeVirt
// may have more, and an older one, which [KubeVirt] names, fewer. It does not know which values satisfy a
// rule of a kind that WithKind adds.
package lint
