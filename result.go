package vmrules

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// An Outcome classifies the result of one rule for one target.
type Outcome string

const (
	// OutcomeSatisfied: every value that the rule checks satisfies it.
	OutcomeSatisfied Outcome = "Satisfied"
	// OutcomeViolated: some value breaks the rule, or the path selects nothing.
	OutcomeViolated Outcome = "Violated"
	// OutcomeWarned: the rule is violated, and has justWarning; or, under Ratcheting, nothing is
	// wrong except what is wrong with the old object too.
	OutcomeWarned Outcome = "Warned"
	// OutcomeSkipped: "valid" selects nothing; or, under Partial, what the rule needs is not
	// filled in yet.
	OutcomeSkipped Outcome = "Skipped"
	// OutcomeIgnored: the rule's kind is not known, or it enforces nothing.
	OutcomeIgnored Outcome = "Ignored"
	// OutcomeUndecided: the rule could not be decided. It does not count as satisfied.
	OutcomeUndecided Outcome = "Undecided"
)

// A Result is the outcome of one rule for one target, with its violations.
type Result struct {
	Index   int     `json:"index"` // of the rule, from 0; -1 if the Budget is too small for the target
	Rule    string  `json:"rule"`
	Kind    Kind    `json:"kind"`
	Path    Path    `json:"path"`
	Message string  `json:"message"`
	Target  string  `json:"target,omitempty"` // "", or where the VM is: "objects[0]", "items[3]"
	Outcome Outcome `json:"outcome"`
	// Doubt is why the rule could not be decided; "" if it could.
	Doubt Doubt `json:"doubt,omitempty"`
	// Note says why a rule was skipped or ignored. If the rule is violated or undecided,
	// Note says what else could not be decided.
	Note string `json:"note,omitempty"`
	// Waits says, under Partial, that the rule needs a field that is not filled in yet.
	Waits      bool        `json:"waits,omitempty"`
	Violations []Violation `json:"violations,omitempty"`
	// Omitted counts the violations that were left out when the report was written as
	// JSON. It is 0 unless the result was read from such JSON.
	Omitted int `json:"omitted,omitempty"`
}

// notThere returns the note if "valid" selects nothing.
func (r *rule) notThere() string { return r.Valid.String() + " is not there" }

// result returns a result of the rule for a target, without an outcome.
func (r *rule) result(target string) Result {
	return Result{Index: r.index, Rule: r.Name, Kind: r.Kind, Path: r.Path, Message: r.Message, Target: target}
}

func (r *rule) outcomeIfViolated() Outcome {
	if r.JustWarning {
		return OutcomeWarned
	}
	return OutcomeViolated
}

// fails reports whether the result fails the object. An unknown outcome does. So does
// Undecided without a violation, since only a violation says whether the rule just warns.
func (r Result) fails() bool {
	switch {
	case slices.ContainsFunc(r.Violations, Violation.fails):
		return true
	case r.Outcome == OutcomeUndecided:
		return len(r.Violations) == 0
	}
	return !slices.Contains([]Outcome{OutcomeSatisfied, OutcomeWarned, OutcomeSkipped, OutcomeIgnored}, r.Outcome)
}

// judged reports whether the rule was applied to the target: some value was found right, wrong or missing.
func (r *Result) judged() bool {
	switch r.Outcome {
	case OutcomeSatisfied, OutcomeViolated:
		return true
	case OutcomeWarned:
		return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Reason != ReasonInternal })
	}
	return false
}

// failing returns the violations that fail the object. If the result fails the object but
// has no such violation, for instance because it was cut, failing makes one that says so.
func (r *Result) failing() []Violation {
	all := slices.DeleteFunc(slices.Clone(r.Violations), func(v Violation) bool { return v.Warned })
	if len(all) == 0 && r.fails() {
		all = []Violation{{Rule: r.Rule, Message: r.Message, Reason: ReasonInternal, Detail: "the violations are left out"}}
	}
	return all
}

func (r Result) equal(q Result) bool {
	same := r.Path.Equal(q.Path) && slices.EqualFunc(r.Violations, q.Violations, func(v, w Violation) bool { return reflect.DeepEqual(v, w) })
	r.Path, r.Violations, q.Path, q.Violations = Path{}, nil, Path{}, nil
	return same && reflect.DeepEqual(r, q)
}

// String returns the result as text for people: the outcome, the rule and its target, then
// at most a hundred violations, each on a line of its own.
func (r Result) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%-9s  %s", r.Outcome, cmp.Or(value.OneLine(r.Rule), "all rules"))
	if r.Target != "" {
		s.WriteString(" in " + r.Target)
	}
	said := r.Note
	if slices.Contains([]Outcome{OutcomeViolated, OutcomeWarned, OutcomeUndecided}, r.Outcome) {
		said = r.Message
	}
	if said != "" {
		s.WriteString(": " + value.OneLine(said))
	}
	indent := "\n" + strings.Repeat(" ", 11)
	for i, v := range r.Violations {
		if i == value.MaxListed {
			fmt.Fprintf(&s, "%sand %d more", indent, len(r.Violations)-value.MaxListed)
			break
		}
		s.WriteString(indent)
		if v.Field != "" {
			s.WriteString(value.OneLine(v.Field) + ": ")
		}
		s.WriteString(v.sentence(r.Message))
	}
	if r.Omitted > 0 {
		s.WriteString(indent + omittedCause(r.Omitted).Message)
	}
	if len(r.Violations) > 0 && r.Note != "" {
		s.WriteString(indent + value.OneLine(r.Note))
	}
	return s.String()
}

// A Violation says that one value breaks one constraint of a rule, or that the value is
// missing; or, with ReasonInternal, why a rule is undecided.
type Violation struct {
	_       [0]func() // a Limit may be a list, which == cannot compare
	Rule    string    `json:"rule"`
	Message string    `json:"message"` // the rule's message, or one that its kind gives instead
	// Field is the location of the value, from the object's own root, in the dialect of
	// paths: ParsePath("jsonpath::" + Field) selects it, unless it is a default, which
	// the object does not hold. If the value is missing, Field is the path as the rule
	// writes it. It is "" for ReasonInternal.
	Field string `json:"field,omitempty"`
	// Pointer is Field as a JSON Pointer (RFC 6901). If the value is missing, Pointer
	// ends before the first step of the path that is neither a name nor an index.
	Pointer string `json:"pointer,omitempty"`
	// Value is a string, a bool or a json.Number in plain decimal notation, whatever its
	// Go type in the object. It is nil for an array, an object or a missing value.
	Value  any    `json:"value,omitempty"`
	Reason Reason `json:"reason"`
	// Argument is the key of the constraint; "" if the value is missing, or if it breaks
	// the kind and not an argument.
	Argument string `json:"argument,omitempty"`
	// Limit is the argument's value, even if a JSONPath selected it: a string or
	// json.Number, or for values a []string of the first 100.
	Limit any `json:"limit,omitempty"`
	// Detail says what is wrong in words, such as "12 is more than max 8".
	Detail string `json:"detail"`
	// Text is the Detail as people say it, such as "1 GiB is less than min 1.5 GiB", where it is about a size;
	// otherwise "".
	Text string `json:"text,omitempty"`
	// Origin is where the value comes from: "" is the object, OriginDefault a default
	// that the object does not hold, and a text such as "instancetype u1.small" or
	// "preference fedora" the object that sets it when KubeVirt starts the VM.
	Origin string `json:"origin,omitempty"`
	// Warned means that the violation does not fail the object: the rule has justWarning
	// or, under Ratcheting, the old object has the same violation.
	Warned bool `json:"warned,omitempty"`
}

// OriginDefault is the Origin of a value that the object does not hold, because it is a default.
const OriginDefault = "default"

// A breach is a value, and the constraint of a rule that it does not satisfy.
type breach struct {
	key string // of the argument; "" for the kind
	constraint.Breach
	found   any
	standIn jsonpath.StandIn
	origin  string
}

func (r *rule) broken(b breach, at jsonpath.Texts) Violation {
	shown, text := b.ForPeople(b.key, b.found, r.isQuantity)
	if b.standIn != jsonpath.Written || b.origin != "" { // for the others, the value need not be described
		b.Detail = explained(b.standIn, b.origin, value.Describe(b.found), b.Detail)
		if text != "" {
			text = explained(b.standIn, b.origin, shown, text)
		}
	}
	v := r.violation(reasonOf[b.Fault], b.key, b.Detail, at)
	v.Text, v.Value, v.Limit, v.Origin = text, value.Canonical(b.found), b.Limit, b.origin
	return v
}

func (r *rule) violation(reason Reason, argument, detail string, at jsonpath.Texts) Violation {
	return Violation{
		Rule: r.Name, Message: r.Message, Field: at.Path, Pointer: at.Pointer,
		Reason: reason, Argument: argument, Detail: detail, Warned: r.JustWarning,
	}
}

const notSet = "the field is not set"

// missing returns the violation for a path that selects nothing in a target at a location.
func (r *rule) missing(at jsonpath.Location) Violation {
	return r.violation(ReasonRequired, "", notSet, vmtarget.TextsOfNothing(at, r.Path.parsed, r.usual))
}

// isQuantity reports whether the field that the rule is about is a quantity in KubeVirt's API.
func (r *rule) isQuantity() bool {
	of := vmapi.OfVM().At(cmp.Or(r.field.parsed, r.Path.parsed).Steps())
	return of != nil && of.Type.Value().Sort == vmapi.Quantity
}

// explained returns a detail, which begins with shown, with why the value counts if it is not written.
func explained(why jsonpath.StandIn, origin, shown, detail string) string {
	switch why {
	case jsonpath.Unset:
		return fmt.Sprintf("not set, counts as %s: %s", shown, detail)
	case jsonpath.Zero:
		return fmt.Sprintf("0 counts as %s: %s", shown, detail)
	}
	if origin == "" {
		return detail
	}
	if name, ok := strings.CutPrefix(origin, "instancetype "); ok {
		origin = "instance type " + name
	}
	return fmt.Sprintf("%s, from %s,%s", shown, origin, strings.TrimPrefix(detail, shown))
}

// size returns what keeping the violation costs, apart from the texts that are shared.
func (v *Violation) size() int {
	return len(v.Field) + len(v.Pointer) + len(v.Detail) + len(v.Text) + violationSize
}

func (v Violation) fails() bool { return !v.Warned }

// Error returns the violation in one line:
//
//	spec.template.spec.domain.cpu.cores: Invalid value: 12: cpu cores must be limited (12 is more than max 8)
func (v Violation) Error() string {
	var parts []string
	if v.Field != "" {
		parts = append(parts, value.OneLine(v.Field))
	}
	parts = append(parts, cmp.Or(reasonWords[v.Reason], reasonWords[ReasonInvalid]))
	if v.Value != nil {
		parts = append(parts, value.Describe(v.Value))
	}
	return strings.Join(append(parts, v.sentence("")), ": ")
}

// sentence returns the message, with what is wrong in parentheses, in one line; or only what is wrong if the
// message is that above it, or none, as that of no rule is.
func (v Violation) sentence(above string) string {
	what := value.OneLine(cmp.Or(v.Text, v.Detail))
	if v.Message == "" || v.Message == above {
		return what
	}
	return fmt.Sprintf("%s (%s)", value.OneLine(v.Message), what)
}

func (v Violation) cause() Cause {
	return Cause{Reason: v.Reason, Message: v.sentence(""), Field: v.Field}
}
