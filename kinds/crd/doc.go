// Package crd joins vmrules with the validation that Kubernetes itself has for
// custom resources. It adds rules that hold a Kubernetes schema (kind "schema"),
// rules that hold an expression in Kubernetes' CEL (kind "cel"), and rules made of
// a whole CustomResourceDefinition (Rules); and it writes the rules of an
// annotation in CEL (FromRules).
//
// The kinds are judged by the API server's own code,
// k8s.io/apiextensions-apiserver and k8s.io/apiserver. README.md says what of a
// schema works, what is refused, and what the limits are.
package crd

import "github.com/vmrules/vmrules"

// Kinds teaches vmrules the kinds that an annotation may use, under their names
// "schema" and "cel".
func Kinds() []vmrules.ParseOption {
	return []vmrules.ParseOption{
		vmrules.WithKind("schema", Schema),
		vmrules.WithKind("cel", CEL),
	}
}
