package build

import (
	"maps"
	"runtime/debug"
	"slices"
	"strings"
)

// Version describes the build: the release, or the commit from which it was built, and the
// kinds that it knows beyond the format.
func (b Build) Version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return b.Name + ", unknown version" + b.kinds()
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := b.Name + " " + info.Main.Version
	if revision := settings["vcs.revision"]; revision != "" {
		text += ", commit " + revision
	}
	if settings["vcs.modified"] == "true" {
		text += " with changes"
	}
	return text + ", " + info.GoVersion + b.kinds()
}

// kinds lists the kinds beyond the format.
func (b Build) kinds() string {
	if len(b.Kinds) == 0 {
		return ""
	}
	var names []string
	for _, kind := range slices.Sorted(maps.Keys(b.Kinds)) {
		names = append(names, string(kind))
	}
	return "\nkinds of rules beyond the format: " + strings.Join(names, ", ")
}
