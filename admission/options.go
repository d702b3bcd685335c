package admission

import (
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
)

// An Action is what becomes of a request for a reason that an option names.
type Action string

const (
	// Refuse refuses the request.
	Refuse Action = "refuse"
	// Warn lets the request pass, with a warning that kubectl shows.
	Warn Action = "warn"
)

// An Option changes how a Reviewer reviews.
type Option func(*settings)

type settings struct {
	undecided         map[vmrules.Doubt]Action
	missingTemplate   Action
	brokenTemplate    Action
	namespaceFallback bool
	wholeUpdates      bool
	protectTemplates  bool
	parse             []vmrules.ParseOption
	validate          []vmrules.ValidateOption
	wrong             []error // with the options themselves
}

func defaults() settings {
	return settings{
		undecided: map[vmrules.Doubt]Action{
			vmrules.DoubtBound:        Refuse,
			vmrules.DoubtArgument:     Refuse,
			vmrules.DoubtParameter:    Refuse,
			vmrules.DoubtNothing:      Refuse,
			vmrules.DoubtKind:         Refuse,
			vmrules.DoubtInstancetype: Warn,
			vmrules.DoubtPreference:   Warn,
		},
		missingTemplate: Warn,
		brokenTemplate:  Refuse,
	}
}

// WithUndecided sets what becomes of a request if a rule is Undecided for a reason. The
// default is Warn for DoubtInstancetype and DoubtPreference, and Refuse for the others. If an
// instance type exists and the VM conflicts with it, the request is refused in any case.
//
// DoubtBound is always Refuse, because anyone can write a VM that exhausts a bound.
func WithUndecided(d vmrules.Doubt, a Action) Option {
	return func(s *settings) {
		_, known := s.undecided[d]
		switch {
		case !known:
			s.wrong = append(s.wrong, fmt.Errorf("a rule is never Undecided because of %q", d))
		case d == vmrules.DoubtBound && a != Refuse:
			s.wrong = append(s.wrong, fmt.Errorf("%s must be refused: otherwise, a VM that exhausts a bound evades its rules", d))
		}
		s.undecided[d] = s.checked(a)
	}
}

// WithMissingTemplate sets what becomes of a VM that names a template that does not exist. The
// default is Warn: no rules apply to the VM.
func WithMissingTemplate(a Action) Option {
	return func(s *settings) { s.missingTemplate = s.checked(a) }
}

// WithBrokenTemplate sets what becomes of a VM if the annotation of its template cannot be
// used. The default is Refuse.
func WithBrokenTemplate(a Action) Option {
	return func(s *settings) { s.brokenTemplate = s.checked(a) }
}

// WithNamespaceFallback looks for a template in the VM's own namespace if the VM names a
// template without a namespace. By default, such a VM has no template.
func WithNamespaceFallback() Option {
	return func(s *settings) { s.namespaceFallback = true }
}

// WithoutRatcheting judges an update like a creation. By default, an update is refused only
// for what it changes.
func WithoutRatcheting() Option {
	return func(s *settings) { s.wholeUpdates = true }
}

// WithProtectedTemplates refuses to delete a template that has rules and that VMs refer to.
func WithProtectedTemplates() Option {
	return func(s *settings) { s.protectTemplates = true }
}

// WithParseOptions sets how annotations are read, for instance with which kinds of rules.
func WithParseOptions(opts ...vmrules.ParseOption) Option {
	return func(s *settings) { s.parse = append(slices.Clip(s.parse), opts...) }
}

// WithValidateOptions sets how VMs are judged, for instance with which Budget.
func WithValidateOptions(opts ...vmrules.ValidateOption) Option {
	return func(s *settings) { s.validate = append(slices.Clip(s.validate), opts...) }
}

// checked returns an action. It keeps an error for New if there is no such action.
func (s *settings) checked(a Action) Action {
	if a != Refuse && a != Warn {
		s.wrong = append(s.wrong, fmt.Errorf("the action is %q: it must be %q or %q", a, Refuse, Warn))
	}
	return a
}
