// Package lint finds mistakes in an annotation of validation rules, and what is probably
// a mistake, without any VM. Many mistakes are well-formed JSON and valid rules.
// [Annotation] finds them before they affect a VM. It says where each one is and, if it
// can, what to write instead.
//
// What makes every VM fail is an error. What may not mean what its author meant is a warning.
//
// # Errors
//
// ParseRules refuses the annotation for these, and for nothing else. Only unknown-profile is a
// mistake of the caller:
//
//	unreadable            the text is not valid JSON or UTF-8, is nested too deeply, or has too many rules
//	unknown-version       WithVersion names a version that does not exist
//	invalid-option        WithKind cannot add the kind
//	unknown-profile       For names a profile that does not exist
//	missing-key           a mandatory key is missing or empty
//	wrong-type            a value has the wrong type
//	duplicate             a rule name, or a key of one object, appears twice
//	too-long              the annotation or a regex is too long
//	invalid-path          path or valid is not a JSONPath that all consumers read alike
//	invalid-regex         the regex cannot be used
//	invalid-argument      an argument other than regex cannot be used
//
// Nothing satisfies a rule with one of these. So every VM fails it, unless it has justWarning or a
// valid that not every VM has. It may then mean that a field must not be set, and the finding is a
// warning:
//
//	wrong-kind            no value of the field satisfies the kind, such as integer for a bus
//	unsatisfiable-range   min is more than max, or minLength more than maxLength
//	empty-values          values is empty, so no value is allowed
//	unsatisfiable-values  the rule's kind and other arguments rule out all of its values
//	contradicting-rules   no value satisfies all the rules that apply together
//
// For the same reason, those findings below are errors by which path selects nothing in any VM.
//
// # Objects
//
// Annotation sees only the text of an annotation. AnnotationKey, MisplacedAnnotation and
// UndeclaredParameter make findings about the object around it, errors and warnings:
//
//	misspelt-object       an object is not read as a VM or template, because its kind or API group is only nearly right
//	unjudged-template     nothing judges the VM of a template, because its annotation has no rules, or exempts it
//	folded-text           YAML's > has turned a line end inside a text of rules into a blank
//	misspelt-annotation   an annotation is not read, because its key, or that of all annotations, is only nearly right
//	misplaced-annotation  an annotation with rules is at a place where nobody reads it
//	undeclared-parameter  the template does not declare this parameter, so its reference is not replaced
//	useless-suppression   what accepts findings has no reason, or no effect; only vmrules lint reports it
//
// # Warnings
//
// A rule probably does not do what its author meant:
//
//	misspelt-key          a key is unknown, and so ignored, but close to a known key or its synonym; an error under Strict
//	unknown-key           a key is unknown, and so ignored; an error under Strict
//	misspelt-kind         the kind is unknown, so the rule is ignored, but close to a known kind or its synonym; an error under Strict
//	unknown-kind          the kind is unknown, so the rule is ignored; an error under Strict
//	no-arguments          the rule checks only the type of the value, or nothing at all; an error under Strict
//	foreign-argument      other validators ignore this argument, because it belongs to another kind of rule
//	misspelt-value        the field cannot have this value, but one with nearly the same name
//	impossible-value      the rule's kind and other arguments rule out some of its values
//	tiny-memory           a bound for memory is less than 32 MiB, since it counts another unit than bytes
//	duplicate-value       values lists the same value twice
//	default-violates-rule a VM that does not set the field is rejected, because the field's default breaks the rule; an info where the VM really gets that default, such as 1 core
//	path-from-vm          a path starts at the VM or the template, instead of at the VM's spec.template
//	path-to-status        a path starts at .status, which the VM of a template does not have
//	misspelt-field        no VM has this field, but one with nearly the same name
//	misplaced-field       no VM has this field here, but the same path with a level more or less
//	vague-path            a path begins with two dots although only one field is at its end
//	missing-wildcard      a name follows an array without [*] in between, and so selects nothing
//	not-an-array          an index, slice, filter or [*] follows something that is not an array, and so selects nothing
//	not-a-scalar          a path ends at an array or object, where a string, number or boolean is needed
//	valid-beside-path     valid tests another field of the same items than the path reads, such as cdrom.bus and disk.bus
//	slow-regex            the regex may backtrack for too long on some values, which makes the rule Undecided
//	idle-regex            the regex matches every text, or every text of one line
//	unescaped-dot         a dot between names in the regex matches any character
//	half-anchored-regex   ^ applies to the first alternative only, and $ to the last only
//	not-checked           checking the whole annotation takes more work than the Budget allows
//
// # Infos
//
// These may be intended:
//
//	unknown-field         no VM is known to have this field
//	unknown-value         the field is not known to have this value; a warning if that holds for all values that the rule allows
//	valid-always-there    valid names a field that always exists if its parent exists
//	unanchored-regex      the regex also matches part of a longer value; a warning if it ends with a repetition, which then demands nothing
//	message-is-name       the message only repeats the rule's name
//
// # For KubeVirt's template validator
//
// Rules that this library understands, but not the program that most clusters run today,
// the admission webhook of ssp-operator. Most are infos unless For(SSP) is given. For(SSP)
// also makes errors of unknown kinds and of paths that select nothing or no scalar: it
// rejects every VM with such a rule.
//
//	ssp-argument          KubeVirt's template validator rejects VMs in which the path of an argument selects several values, as this one may; an error under For(SSP)
//	ssp-bound             KubeVirt's template validator refuses an annotation with a quantity, or a number in quotes, as a bound; an error under For(SSP)
//	ssp-field             KubeVirt's template validator cannot read the field as a number, because of its type in Go, and rejects every VM; an error under For(SSP)
//	ssp-kind              KubeVirt's template validator does not know the kind, and rejects every VM; an error under For(SSP)
//	ssp-own-vm            KubeVirt's template validator refuses the VM of the template itself; only vmrules lint reports it, under --for ssp
//	ssp-path              KubeVirt's template validator refuses the path, or finds nothing with it; an error under For(SSP)
//	ssp-regex             KubeVirt's template validator matches with RE2, which does not accept the regex, and rejects every VM; an error under For(SSP)
//	ssp-values            KubeVirt's template validator refuses an annotation with values that are not an array of strings; an error under For(SSP)
//	ssp-bytes             KubeVirt's template validator counts bytes, and not characters, in a field that may have letters beyond ASCII; a warning under For(SSP)
//	ssp-comparison        KubeVirt's template validator reads the name of a type instead of a number, a boolean or what a pointer points to; a warning under For(SSP)
//	ssp-just-warning      KubeVirt's template validator rejects VMs although the rule has justWarning, because it cannot use the rule; a warning under For(SSP)
//	ssp-key-case          KubeVirt's template validator reads a key in another letter case, which is unknown here; a warning under For(SSP)
//	ssp-no-argument       KubeVirt's template validator allows no value in an enum rule without values, and every value in a regex rule without regex; a warning under For(SSP)
//	ssp-regex-path        KubeVirt's template validator reads the path as a regex; a warning under For(SSP)
//	ssp-rounding          KubeVirt's template validator rounds a bound that is a fraction, or has more than 15 digits; a warning under For(SSP)
//	ssp-unset             KubeVirt's template validator counts a field that is not set as 0 or "", and so accepts a VM that lacks it; only reported under For(SSP)
//
// # What it does not find
//
// Annotation compares the literal arguments of rules that have the same path and the same
// valid. It skips arguments that are JSONPaths and rules with justWarning, and it does not
// compare regexes with each other. It knows the fields that KubeVirt's API gives a VM; a
// newer KubeVirt may have more. It does not know which values satisfy a rule of a kind that
// WithKind adds.
package lint
