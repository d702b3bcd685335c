package admission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission/internal/review"
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
	review.Settings
	reports Reports // nil: none are kept
	told    []DecisionFunc
	wrong   []error // with the options themselves
}

// WithUndecided sets what becomes of a request if a rule is Undecided for reasons that
// vmrules.WarnIfUndecided takes. The default is Warn for DoubtInstancetype, DoubtPreference and
// DoubtTemplate, and Refuse for DoubtParameter. For any other reason, the request is refused, and so
// it is if KubeVirt cannot use an instance type that exists.
func WithUndecided(d vmrules.Doubt, a Action) Option {
	return func(s *settings) {
		if !slices.Contains(mayWarn, d) {
			s.wrong = append(s.wrong, fmt.Errorf("what becomes of a rule that is Undecided because of %q cannot be set: only Instancetype, Preference, Template and Parameter may warn", d))
			return
		}
		s.Warning = slices.DeleteFunc(s.Warning, func(other vmrules.Doubt) bool { return other == d })
		if s.warns(a) {
			s.Warning = append(s.Warning, d)
		}
	}
}

var mayWarn = []vmrules.Doubt{vmrules.DoubtInstancetype, vmrules.DoubtPreference, vmrules.DoubtTemplate, vmrules.DoubtParameter}

// WithBrokenTemplate sets what becomes of a VM if the annotation of its template cannot be
// used. The default is Refuse.
func WithBrokenTemplate(a Action) Option {
	return func(s *settings) { s.BrokenWarns = s.warns(a) }
}

// WithNamespaceFallback looks for a template in the VM's own namespace if the VM names a
// template without a namespace. By default, nobody looks for it, which is worth a warning.
func WithNamespaceFallback() Option {
	return func(s *settings) { s.NamespaceFallback = true }
}

// WithTemplateNamespaces looks for such a template in namespaces, in this order, after that of
// WithNamespaceFallback. If none has it, that is worth a warning.
func WithTemplateNamespaces(names ...string) Option {
	return func(s *settings) {
		for _, name := range names {
			if wrong := content.IsDNS1123Label(name); len(wrong) > 0 {
				s.wrong = append(s.wrong, fmt.Errorf("there cannot be a namespace %q: %s", name, wrong[0]))
			}
		}
		s.TemplateNamespaces = append(s.TemplateNamespaces, names...)
	}
}

// WithoutRatcheting validates an update like a creation. By default, an update is refused only
// for what it changes.
func WithoutRatcheting() Option {
	return func(s *settings) { s.WholeUpdates = true }
}

// WithProtectedTemplates refuses to delete a template that has rules and that VMs refer to.
func WithProtectedTemplates() Option {
	return func(s *settings) { s.ProtectTemplates = true }
}

// WithRefusedTemplates refuses to create or change a template whose rules cannot be read, or fail
// every VM. By default, these are warnings.
func WithRefusedTemplates() Option {
	return func(s *settings) { s.RefuseBroken = true }
}

// WithParseOptions sets how annotations are read, for instance with which kinds of rules.
func WithParseOptions(opts ...vmrules.ParseOption) Option {
	return func(s *settings) { s.Parse = append(slices.Clip(s.Parse), opts...) }
}

// WithValidateOptions sets how VMs are validated, for instance with which Budget, or without instance types.
func WithValidateOptions(opts ...vmrules.ValidateOption) Option {
	return func(s *settings) { s.Validate = append(slices.Clip(s.Validate), opts...) }
}

// WithRefusalCounter also counts the requests that are refused by rules, with the code 422, in a counter of
// yours: under the name that your alerts have, and in your registry.
func WithRefusalCounter(c prometheus.Counter) Option {
	if c == nil {
		return func(s *settings) { s.wrong = append(s.wrong, errors.New("there is no counter of refusals")) }
	}
	return WithDecisions(func(_ context.Context, _ admission.Request, resp admission.Response, _ *vmrules.Report) {
		if resp.Result != nil && resp.Result.Code == http.StatusUnprocessableEntity {
			c.Inc()
		}
	})
}

// A DecisionFunc is told of a request and its answer, which has the warnings. The report is nil if the
// request is not about a VM that is validated. It must be safe for concurrent use, and change nothing: the
// request waits for it.
type DecisionFunc func(ctx context.Context, req admission.Request, resp admission.Response, report *vmrules.Report)

// WithDecisions calls a function with each decision.
func WithDecisions(told DecisionFunc) Option {
	return func(s *settings) {
		if told == nil {
			s.wrong = append(s.wrong, errors.New("there is no function for decisions"))
		}
		s.told = append(s.told, told)
	}
}

// Reports are reports.Settings. What keeps reports is a package of its own, so that only programs that want
// them are built with it.
type Reports interface {
	// Check returns an error if these settings cannot be used.
	Check() error
	// Add has a manager keep reports. NewManager calls it.
	Add(m manager.Manager, kube *rest.Config, reviewer *review.Reviewer) error
}

// WithReports has the manager of NewManager keep a Report of openreports.io/v1alpha1 for each VM that has
// rules, as package openreports writes it. Pass reports.Settings. New ignores it.
func WithReports(r Reports) Option {
	return func(s *settings) {
		s.reports = r
		if r != nil {
			s.wrong = append(s.wrong, r.Check())
		}
	}
}

// warns reports whether an action is Warn. It keeps an error for New if there is no such action.
func (s *settings) warns(a Action) bool {
	if a != Refuse && a != Warn {
		s.wrong = append(s.wrong, fmt.Errorf("the action is %q: it must be %q or %q", a, Refuse, Warn))
	}
	return a == Warn
}
