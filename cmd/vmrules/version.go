package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Say which vmrules this is",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		Run: func(command *cobra.Command, _ []string) {
			fmt.Fprintln(command.OutOrStdout(), version(debug.ReadBuildInfo()))
		},
	}
}

// version is what the build says of itself: a release, or the commit that it was
// built from.
func version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "vmrules, of an unknown version"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := "vmrules " + info.Main.Version
	if revision := settings["vcs.revision"]; revision != "" {
		text += ", commit " + revision
	}
	if settings["vcs.modified"] == "true" {
		text += " with changes"
	}
	return text + ", " + info.GoVersion
}
