package linting

import (
	"cmp"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// A silence says which findings about an object are accepted: by annotations of the template,
// and by .vmrules.yaml.
type silence struct {
	*config.Config
	file, template string
	given          []*config.Ignore
}

func (l *Linter) silenceIn(file string, o manifest.Object) *silence {
	s := &silence{Config: l.now.Config, file: file, given: o.Suppressions()}
	if o.IsTemplate() {
		s.template = o.Name
	}
	return s
}

// accepts reports whether a finding is accepted.
func (s *silence) accepts(f lint.Finding) bool {
	is := s.Ignores(s.file, s.template, f)
	for _, g := range s.given {
		if s.template != "" && g.Accepts(f) {
			is = true
		}
	}
	return is
}

// useless returns a finding for each annotation that accepts nothing.
func (s *silence) useless() []lint.Finding {
	var all []lint.Finding
	for _, g := range s.given {
		f, isUseless := g.Useless("annotation", true)
		switch {
		case s.template == "":
			f.Message = "only the annotations of a template accept findings: use " + config.Name
		case strings.TrimSpace(g.Reason) == "":
			f.Message = "the annotation has no reason as its value, so it does not count: add one"
		}
		if isUseless || s.template == "" {
			all = append(all, f)
		}
	}
	return all
}

// A lintSetting is how a file is linted: as the flags say or, where they do not, .vmrules.yaml.
type lintSetting struct {
	*config.Config
	profile          lint.Profile
	least            lint.Severity
	warningsAsErrors bool
}

// settingFor returns the setting for a file. Its error is a *manifest.Error.
func (l *Linter) settingFor(file string) (lintSetting, error) {
	o := l.options
	s := lintSetting{&config.Config{}, o.For, cmp.Or(o.MinSeverity, lint.SeverityInfo), o.WarningsAsErrors}
	if o.NoConfig {
		return s, nil
	}
	c, err := l.configs.Of(file)
	if err != nil {
		return s, &manifest.Error{File: file, Message: err.Error()}
	}
	s.Config = c
	s.warningsAsErrors = s.warningsAsErrors || c.WarningsAsErrors
	s.profile = cmp.Or(o.For, c.For)
	s.least = cmp.Or(o.MinSeverity, c.MinSeverity, lint.SeverityInfo)
	return s, nil
}

// Excludes reports whether a file is left out, by a flag or by .vmrules.yaml, and counts it.
func (l *Linter) Excludes(file string) bool {
	if l.Exclude.Matches(file) {
		return true
	}
	s, err := l.settingFor(file)
	is := err == nil && s.Excludes(file)
	if is {
		l.Exclude.Count++
	}
	return is
}
