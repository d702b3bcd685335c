// Package build says what a build of the command knows beyond the format.
package build

import (
	"maps"
	"slices"

	"github.com/vmrules/vmrules"
)

// A Build is a build of the command, with what it knows beyond the format.
type Build struct {
	Name  string // of the command
	Kinds map[vmrules.Kind]vmrules.KindCompiler
	// Documents has a reader for each sort of document that --rules accepts besides the
	// rules of an annotation, by kind and API group: ClusterPolicy.kyverno.io. The key is
	// "" for a document without kind and apiVersion.
	Documents map[string]DocumentReader
}

// A DocumentReader converts a JSON document to rules about whole objects. Its error should
// be a *vmrules.ParseError.
type DocumentReader func(document []byte) (vmrules.Rules, error)

// Options returns the options for reading annotations.
func (b Build) Options() []vmrules.ParseOption {
	var all []vmrules.ParseOption
	for _, kind := range slices.Sorted(maps.Keys(b.Kinds)) {
		all = append(all, vmrules.WithKind(kind, b.Kinds[kind]))
	}
	return all
}
