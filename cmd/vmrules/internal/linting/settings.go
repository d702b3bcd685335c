package linting

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// Settings say which findings count. What is not set may be in .vmrules.yaml.
type Settings struct {
	WarningsAsErrors bool
	MinSeverity      lint.Severity
	Select, Ignore   []string // IDs of checks
	Exclude          []string // globs of files
	KubeVirt         string   // the version for which rules are meant
	NoConfig         bool     // read no .vmrules.yaml
}

// Flags adds the flags for the settings to a command.
func (s *Settings) Flags(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&s.WarningsAsErrors, "warnings-as-errors", false, "exit with 1 for warnings too")
	cli.OneOf(command, "min-severity", "", "show only findings of at least this severity; the others still count for the exit status", &s.MinSeverity, lint.SeverityNote, config.Severities...)
	flags.StringSliceVar(&s.Select, "select", nil, "report only the findings of the checks `ID,ID`")
	flags.StringSliceVar(&s.Ignore, "ignore", nil, "accept the findings of the checks `ID,ID`")
	flags.StringArrayVar(&s.Exclude, "exclude", nil, "leave out the files and folders that match a `GLOB`, such as 'testdata/**'")
	cli.OneOf(command, "kubevirt", "", "report fields that this version of KubeVirt lacks", &s.KubeVirt, "", lint.KubeVirtVersions()...)
	flags.BoolVar(&s.NoConfig, "no-config", false, "read no .vmrules.yaml")
}

// Check returns an error if a flag has no check or no glob.
func (s *Settings) Check() error {
	for _, glob := range s.Exclude {
		if err := config.CheckGlob(glob); err != nil {
			return fmt.Errorf("--exclude: %w", err)
		}
	}
	for i, id := range slices.Concat(s.Select, s.Ignore) {
		flag := "select"
		if i >= len(s.Select) {
			flag = "ignore"
		}
		if !config.IsCheck(id) {
			return fmt.Errorf("--%s %s: there is no such check: \"vmrules lint --list\" lists them%s", flag, id, cli.Meant(id, config.Checks()))
		}
	}
	return nil
}

// selects reports whether the check of a finding is selected. Where the rules are refused, no check can look at them.
func (l *Linter) selects(f lint.Finding) bool {
	return l.now.Select == nil || slices.Contains(l.now.Select, f.ID) || slices.Contains(refusing, f.ID)
}

// refusing are the checks for what ParseRules refuses.
var refusing = []string{unreadable, "missing-key", "wrong-type", "duplicate", "too-long", "invalid-path", "invalid-regex", "invalid-argument"}

// settingsFor returns how a file is linted: as the flags say or, where they do not, .vmrules.yaml. Its
// error is a *manifest.Error.
func (l *Linter) settingsFor(file string) (config.Config, error) {
	o, c := l.options, config.Config{}
	if !o.NoConfig {
		own, err := l.configs.Of(file)
		if err != nil {
			return c, &manifest.Error{File: file, Message: err.Error()}
		}
		c = *own
	}
	if o.Select != nil {
		c.Select = o.Select
	}
	c.For, c.KubeVirt = cmp.Or(o.For, c.For), cmp.Or(o.KubeVirt, c.KubeVirt)
	c.MinSeverity = cmp.Or(o.MinSeverity, c.MinSeverity, lint.SeverityNote)
	c.WarningsAsErrors = c.WarningsAsErrors || o.WarningsAsErrors || o.Strict
	return c, nil
}

// Excludes reports whether a file is left out, by a flag or by .vmrules.yaml, and counts it.
func (l *Linter) Excludes(file string) bool {
	if !slices.ContainsFunc(l.options.Exclude, func(glob string) bool { return config.Matches(glob, file) }) {
		if c, err := l.settingsFor(file); err != nil || !c.Excludes(file) {
			return false
		}
	}
	l.Excluded++
	return true
}

// SayExcluded says how many files are left out, for the end of a summary.
func (l *Linter) SayExcluded() string {
	if l.Excluded == 0 {
		return ""
	}
	return ", " + output.Counted(l.Excluded, "file") + " excluded"
}
