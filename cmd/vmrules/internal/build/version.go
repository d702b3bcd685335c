package build

import (
	"maps"
	"runtime/debug"
	"slices"
)

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
