package command

import (
	"fmt"
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

func (l *linter) silenceIn(file string, o manifest.Object) *silence {
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
	profile          choice[lint.Profile]
	least            choice[int]
	warningsAsErrors bool
}

// settingFor returns the setting for a file. Its error is a *manifest.Error.
func (l *linter) settingFor(file string) (lintSetting, error) {
	s := lintSetting{&config.Config{}, l.profile, l.least, l.warningsAsErrors}
	if l.noConfig {
		return s, nil
	}
	c, err := l.configs.Of(file)
	if err != nil {
		return s, &manifest.Error{File: file, Message: err.Error()}
	}
	s.Config = c
	s.warningsAsErrors = s.warningsAsErrors || c.WarningsAsErrors
	if c.For != "" && !l.isSet("for") {
		err = s.profile.Set(c.For)
	}
	if err == nil && c.MinSeverity != "" && !l.isSet("min-severity") {
		err = s.least.Set(c.MinSeverity)
	}
	if err != nil {
		err = &manifest.Error{File: file, Message: fmt.Sprintf("%s: \"for\" and \"min-severity\" %v", c.File(), err)}
	}
	return s, err
}

// excludes reports whether a file is left out, by a flag or by .vmrules.yaml, and counts it.
func (l *linter) excludes(file string) bool {
	if l.exclude.matches(file) {
		return true
	}
	s, err := l.settingFor(file)
	is := err == nil && s.Excludes(file)
	if is {
		l.exclude.count++
	}
	return is
}
