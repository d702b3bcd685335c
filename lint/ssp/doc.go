// Package ssp validates a VirtualMachine by an annotation as KubeVirt's template validator would, the
// admission webhook of ssp-operator as of November 2026. Package lint finds in the annotation
// alone what that validator refuses or reads otherwise; this package says what it does with a VM.
// docs/consumers.md lists the differences from package vmrules.
//
// # The VM
//
// A VM is validated as it arrives there: KubeVirt's mutating webhook has written it anew from its
// Go type. So
//
//   - unknown fields do not exist, and a field of the wrong type refuses the VM;
//   - a string, number, boolean or struct that is not a pointer in Go is always there, as "", 0,
//     false or with such fields. A pointer or array is there, too, if what contains it is; only
//     nothing can be found inside it;
//   - quantities are canonical: 1.5Gi is 1536Mi, 1.1Gi is 1181116006400m;
//   - cores, sockets and threads are 1 where cpu is there and they are 0.
//
// # The annotation
//
// It is refused as a whole if encoding/json cannot decode it into the validator's types: bounds
// are JSON numbers, rounded, or paths; values is an array of strings; path, valid and all other
// paths begin with jsonpath:: and can be parsed. Keys match in any letter case. Otherwise all
// rules are decided, in their order, each as follows; the first of these steps that fails ends it.
//
//  1. The rule fails if an earlier one has its name, if its kind is none of the four, or if it
//     has no message.
//  2. It is skipped, and does not fail, if valid selects nothing.
//  3. The arguments of its kind are read, and no others: min and max of integer, minLength and
//     maxLength of string, values of enum, regex of regex. A path there selects one value of
//     the right type, and a regex is for RE2; otherwise the rule fails.
//  4. It fails if path selects nothing, or if integer finds a value that is neither a number in
//     Go, which a pointer or a type of its own is not, nor a quantity that fits an int64.
//  5. All values satisfy its arguments, or the rule is violated. Other kinds than integer compare
//     texts, and that of anything but a string is such as <uint32 Value>. Lengths are in bytes.
//
// A path is appended to ".spec.template" as text, and searched as Kubernetes' client does. If the
// search fails in the VM, path and arguments are looked up in a VM where everything below
// spec.domain is there and has its zero value, each array with 64 items.
//
// A VM is accepted if every rule is satisfied or skipped, or violated but has justWarning. A rule
// that fails in any other way refuses the VM in spite of justWarning.
//
// # What is not so here
//
//   - The Go types are those of one version of KubeVirt: types.txt. What a cluster's webhooks
//     fill in beyond them, such as a machine type, is missing.
//   - A rule without a path, and an integer rule about a quantity that is not set, fail here; it
//     has not been measured whether the validator fails as a whole.
//   - Paths cannot name fields as Go does (.spec.Domain), look into quantities and times, use
//     range and end, or close their braces: such a path selects nothing, or is refused.
//   - Judge has a budget. A rule beyond it fails, and the VM is refused.
package ssp
