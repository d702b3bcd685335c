// Package build says what a build of the command knows beyond the format.
package build

import (
	"maps"
	"runtime/debug"
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

// Version describes the build: the release, or the commit from which it was built, and the
// kinds that it knows beyond the format.
func (b Build) Version(info *debug.BuildInfo, ok bool) string {
	text := b.Name + ", unknown version"
	if ok {
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		text = b.Name + " " + info.Main.Version
		if revision := settings["vcs.revision"]; revision != "" {
			text += ", commit " + revision
		}
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
		text += ", " + info.GoVersion
	}
	before := "\nkinds of rules beyond the format: "
	for _, kind := range slices.Sorted(maps.Keys(b.Kinds)) {
		text += before + string(kind)
		before = ", "
	}
	return text
}
