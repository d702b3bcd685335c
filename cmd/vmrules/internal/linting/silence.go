package linting

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// A silence says which findings about an object are accepted: by annotations of the template,
// and by .vmrules.yaml.
type silence struct {
	template string
	given    config.Config // the annotations
}

func silenceIn(o manifest.Object) *silence {
	s := &silence{given: config.Config{Ignore: o.Suppressions()}}
	if o.IsTemplate() {
		s.template = o.Name
	}
	return s
}

func (l *Linter) accepts(file string, f lint.Finding) bool {
	s := l.silence
	if s == nil {
		return false
	}
	byConfig := l.now.Ignores(file, s.template, f)
	byTemplate := s.template != "" && s.given.Ignores(file, s.template, f)
	return byConfig || byTemplate || slices.Contains(l.options.Ignore, f.ID)
}

// useless returns a finding for each annotation that accepts nothing.
func (s *silence) useless() []lint.Finding {
	var all []lint.Finding
	for _, g := range s.given.Ignore {
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
