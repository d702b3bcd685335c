package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/internal/expand"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/parameter"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// A Target is a VM, or another object, that a report is about.
type Target struct {
	// Name is where it is in the object, as in Result.Target: "" for the object itself.
	Name string `json:"name"`
	// From says whose rules it has, and Template which template's, as namespace/name; or which
	// template it names that gives it none.
	From     SourceKind `json:"from,omitempty"`
	Template string     `json:"template,omitempty"`
	// Rules is how many rules it has.
	Rules int `json:"rules"`
	// Valid says of this target what Report.Valid says of all.
	Valid bool `json:"valid"`
	// Coverage says what its rules made of it. It is never "".
	Coverage Coverage `json:"coverage"`
	// Doubt is the first reason of CoverageUndecided, and Problems are what is wrong with the
	// annotation if that is DoubtRules. Targets with the same annotation share them.
	Doubt    Doubt     `json:"doubt,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	// Note says in words why no rule was applied to the target.
	Note string `json:"note,omitempty"`
}

// A Coverage says whether any rule was applied to a target and, if none did, why. The set is closed.
// Take one that you do not know as not validated.
type Coverage string

const (
	// CoverageJudged: some rule found a value that is right, wrong or missing.
	CoverageJudged Coverage = "Judged"
	// CoverageExempt: SkipAnnotation exempts the VM from all rules.
	CoverageExempt Coverage = "Exempt"
	// CoverageNoRules: the target has no rules, and names no template that has.
	CoverageNoRules Coverage = "NoRules"
	// CoverageNoTemplate: the VM names a template, in which nobody looked for its rules.
	CoverageNoTemplate Coverage = "NoTemplate"
	// CoverageNotApplicable: the valid of each rule selects nothing.
	CoverageNotApplicable Coverage = "NotApplicable"
	// CoverageIncomplete: under Partial, some rule needs a field that is not filled in yet.
	CoverageIncomplete Coverage = "Incomplete"
	// CoverageIgnored: no rule is understood, or none enforces anything.
	CoverageIgnored Coverage = "Ignored"
	// CoverageUndecided: no rule could be decided; Doubt says why.
	CoverageUndecided Coverage = "Undecided"
	// CoverageNotVM: the object is not a VM, or holds none.
	CoverageNotVM Coverage = "NotVM"
)

// coveragesOfResults are those that only results give, and coverages all.
var (
	coveragesOfResults      = []Coverage{CoverageJudged, CoverageNotApplicable, CoverageIgnored}
	coveragesWithoutResults = []Coverage{CoverageExempt, CoverageNoRules, CoverageNoTemplate, CoverageNotVM}
	coverages               = slices.Concat(coveragesOfResults, coveragesWithoutResults, []Coverage{CoverageIncomplete, CoverageUndecided})
)

// passed reports whether the target does not keep a report from having passed.
func (t Target) passed() bool {
	return t.Valid && slices.Contains([]Coverage{CoverageJudged, CoverageExempt, CoverageNotApplicable}, t.Coverage)
}

func (t Target) equal(u Target) bool {
	problems, others := t.Problems, u.Problems
	t.Problems, u.Problems = nil, nil
	return slices.Equal(problems, others) && reflect.DeepEqual(t, u)
}

// byOwn is what a report knows of a VM that is validated by its own rules, apart from their results.
var byOwn = &Target{From: SourceOwn}

func (p *part) describe() Target {
	t := Target{From: SourceGiven}
	rules := len(p.marks)
	if len(p.full) > 0 && p.full[0].Index < 0 { // it is about all of them
		rules = len(p.rules)
	}
	switch {
	case p.about != nil:
		t = *p.about
		t.Problems = slices.Clip(t.Problems)
	case rules == 0:
		t.From = ""
	}
	t.Name, t.Rules, t.Valid = p.target, max(t.Rules, rules), !p.fails && !p.isBroken()
	if t.Coverage == "" {
		t.Coverage, t.Doubt, t.Note = p.coverage()
	}
	return t
}

// isBroken reports whether a result fails the target.
func (p *part) isBroken() bool {
	isFailing := func(w plan.Wrong) bool { return !p.warns(&w) }
	return slices.ContainsFunc(p.wrong, isFailing) || slices.ContainsFunc(p.full, Result.fails)
}

// coverage returns what the results say of the target, and for one that no rule was applied to, why.
func (p *part) coverage() (Coverage, Doubt, string) {
	full, waits, judged := p.full, "", false
	undecided, ignored := (*Result)(nil), (*Result)(nil)
	for _, m := range p.marks {
		switch {
		case m == plan.Waits:
			waits = cmp.Or(waits, errNotFilledIn.Error())
			continue
		case m != marksFull:
			judged = judged || m != plan.NotNeeded
			continue
		}
		switch d := &full[0]; {
		case d.Waits:
			waits = cmp.Or(waits, d.Note, errNotFilledIn.Error())
		case d.judged():
			judged = true
		case d.Outcome == OutcomeIgnored:
			ignored = cmp.Or(ignored, d)
		case d.Outcome != OutcomeSkipped:
			undecided = cmp.Or(undecided, d)
		}
		full = full[1:]
	}
	switch {
	case len(p.marks) == 0:
		return CoverageNoRules, "", "there are no rules"
	case waits != "":
		return CoverageIncomplete, "", waits
	case judged:
		return CoverageJudged, "", ""
	case undecided != nil:
		return CoverageUndecided, cmp.Or(undecided.Doubt, DoubtBound), undecided.why()
	case ignored != nil:
		return CoverageIgnored, "", ignored.Note
	}
	return CoverageNotApplicable, "", "no rule applies"
}

// why returns in words why a rule is undecided, ignored or skipped.
func (r *Result) why() string {
	for _, v := range r.Violations {
		if v.Reason == ReasonInternal {
			return v.Detail
		}
	}
	return r.Note
}

// A target is a part of an object that rules apply to. Its Root is what they call $.
type target = vmtarget.Target

// emptiness returns why there is nothing to validate, as an error.
func emptiness(t *target) error {
	return doubtful(doubtOfCause[t.Cause], errors.New("nothing to validate: "+t.Nothing))
}

var doubtOfCause = map[vmtarget.Cause]Doubt{
	vmtarget.Empty: DoubtNothing, vmtarget.Beyond: DoubtBound, vmtarget.Unfilled: DoubtParameter,
}

// appendTargets appends the targets in an object for rules about VMs, or about whole objects.
func (e *evaluation) appendTargets(targets []target, v any, isWhole bool) []target {
	object, _ := v.(map[string]any)
	switch usual := vmtarget.Usual(object); {
	case isWhole:
		return vmtarget.AppendObjects(targets, v, &e.budget.Meter)
	case usual != nil && e.budget.Err() == nil:
		return append(targets, vmtarget.UsualTarget(object, usual))
	case e.given.partial:
		targets = vmtarget.AppendForm(targets, v, &e.budget.Meter)
	default:
		targets = vmtarget.Append(targets, v, &e.budget.Meter)
	}
	if e.given.alone {
		for i := range targets {
			targets[i].Open = 0
		}
	}
	return targets
}

// lookWork returns the cost of looking at a scalar. In a template, it is searched for parameters.
func lookWork(t *target, s *value.Scalar) int {
	if t.HasParameters {
		return 3 * s.Cost()
	}
	return s.Cost()
}

// unfilled returns an error that names the first parameter in a string of a template; nil if there is none.
func unfilled(s *value.Scalar, template bool) error {
	if !template {
		return nil
	}
	return templateParameters.Within(s.Text())
}

// templateParameters tells a search how to find parameters in the strings of a template.
var templateParameters = jsonpath.Placeholders{
	Whole:  func(s string) error { return unfilledParameter(parameter.OfAnyType(s)) },
	Within: func(s string) error { return unfilledParameter(parameter.First(s)) },
}

// unfilledParameter returns an error that names a parameter; nil for "".
func unfilledParameter(name string) error {
	if name == "" {
		return nil
	}
	return doubtful(DoubtParameter, fmt.Errorf("the template's parameter %s is not filled in", name))
}

// canExpand reports whether KubeVirt may make another VM of that of a target, which can be found out.
func (e *evaluation) canExpand(t *target) bool {
	return e.given.find != nil && t.Open != 0 && t.Nothing == ""
}

// full returns the target with the VM as KubeVirt makes it, as far as that can be found out.
func (e *evaluation) full(t *target) *target {
	if !e.canExpand(t) {
		return t
	}
	if t.Full == nil {
		done := e.expanded(t)
		t.Full = &done
	}
	return t.Full
}

var expandNamed = expand.Named.(func(m *meter.Meter, vm, instancetype, preference map[string]any) (e *instancetype.Expansion, unknown, err error))

// expanded returns a target with its VM expanded, as far as what the VM names is known.
func (e *evaluation) expanded(t *target) target {
	done := *t
	plain, err := value.Plain(t.VM, len(t.VMAt), &e.budget.Meter)
	if err != nil {
		done.Refusal = fmt.Errorf("the VM cannot be read: %w", err)
		return done
	}
	vm, _ := plain.(map[string]any)
	var it, preference map[string]any
	missing := searchSafely(func() (err error) { it, preference, err = e.given.find(vm); return err })
	expanded, unknown, err := expandNamed(&e.budget.Meter, vm, it, preference)
	switch {
	case err != nil:
		done.WhyOpen = cmp.Or(missing, err).Error()
		return done
	case len(expanded.Conflicts) > 0:
		done.Refusal = refusal(expanded.Conflicts)
		return done
	}
	origins := make(map[string]string, len(expanded.Origins))
	for _, o := range expanded.Origins {
		origins[o.Pointer] = o.From
	}
	done = t.Expanded(expanded.VM, origins)
	if unknown != nil {
		done.Open, done.WhyOpen = vmfields.ByPreference, cmp.Or(missing, unknown).Error()
		if t.Open&vmfields.ByInstancetype != 0 {
			done.Open |= vmfields.ByTopology
		}
	}
	return done
}

// searchSafely calls a function of the caller that searches. If it or its error panics, that is an error.
func searchSafely(find func() error) (err error) {
	panics := safely(func() {
		if err = find(); err != nil {
			_ = err.Error()
		}
	})
	if panics != nil {
		return fmt.Errorf("the search panics: %w", panics)
	}
	return err
}

// safely calls what the caller of this package has written, and recovers if it panics, so that it does
// not stop the program. The error then says with what.
func safely(call func()) (err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = errors.New(value.Shortened(fmt.Sprint(failure)))
		}
	}()
	call()
	return nil
}

// refusal returns an error that lists the conflicts for which KubeVirt refuses a VM.
func refusal(conflicts []instancetype.Conflict) error {
	const listed = 10
	var texts []string
	for _, c := range conflicts[:min(len(conflicts), listed)] {
		texts = append(texts, c.Field+": "+c.Message)
	}
	text := "KubeVirt refuses the VM: " + strings.Join(texts, "; ")
	if more := len(conflicts) - listed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return doubtful(DoubtConflict, errors.New(text))
}
