// Package crd connects vmrules with the way in which Kubernetes validates custom
// resources. It adds two kinds of rules to the annotation:
//
//   - kind "schema": a schema, as in a CustomResourceDefinition
//   - kind "cel": an expression in Kubernetes' CEL
//
// Rules makes a rule for whole objects from a schema.
//
// Values are checked by the API server's own code, in k8s.io/apiextensions-apiserver
// and k8s.io/apiserver. README.md lists what a schema may contain, what is refused,
// and the limits.
package crd

import "github.com/vmrules/vmrules"

// Kinds returns the options that add the kinds "schema" and "cel".
func Kinds() []vmrules.ParseOption {
	return []vmrules.ParseOption{
		vmrules.WithKind("schema", Schema),
		vmrules.WithKind("cel", CEL),
	}
}
