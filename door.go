package vmrules

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/door"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

func init() { door.Root = insides{} }

// insides is what this package shares with the others of its module. It implements inside.Root.
type insides struct{}

// Parsed returns a path as it was read.
func (insides) Parsed(p Path) *jsonpath.Path { return p.parsed }

// Option returns an option of another package, for functions that take ParseOptions.
func (insides) Option(v any) ParseOption {
	return parseOption(func(o *parseOptions) { o.others = append(o.others, v) })
}

// Options returns what options let a call spend, whether WholeObjects is among them, and those of other packages.
func (insides) Options(opts []ParseOption) (whole budget, isWhole bool, others []any) {
	o := parseOptionsOf(opts)
	return *o.budget, o.isWhole, o.others
}

type readRule = door.Rule[Rule]

// Read reads an annotation. It returns the rules that can be used, also if others cannot, and all
// problems, with those that only Strict finds. Unless Strict is among the options, these are paid
// from a budget of their own, and do not count. To ends, Read adds where the problems end that begin
// inside a string, by their offsets.
func (insides) Read(text string, opts []ParseOption, unstrict *meter.Budget, ends map[int]int) (usable []readRule, problems, strict []Problem) {
	o := parseOptionsOf(opts)
	o.unstrict, o.ends = unstrict, ends
	rules, nodes, all := readRules(text, o)
	isWrong := map[int]bool{}
	for _, p := range all {
		isWrong[p.Index] = isWrong[p.Index] || !isOfStrict(p.Code)
		if isOfStrict(p.Code) && !o.strict {
			strict = append(strict, p)
		} else {
			problems = append(problems, p)
		}
	}
	for i := range rules {
		if r := &rules[i]; !isWrong[i] && !isWrong[-1] {
			usable = append(usable, readRule{Rule: r.Rule.clone(), Index: i, Node: nodes[i], Literal: r.literal})
		}
	}
	return usable, problems, strict
}

// Rule returns a copy of a rule, and why LeaveOutUnusable left it out; nil if it did not.
func (insides) Rule(rules Rules, i int) (Rule, error) {
	return rules.rules[i].Rule.clone(), rules.rules[i].unusable
}

// IsWhole reports whether rules were read with the option WholeObjects.
func (insides) IsWhole(rules Rules) bool { return rules.isWhole }

// Settings returns what options say about validating: whether Partial is among them, or what gives instance types,
// and what a call may spend.
func (insides) Settings(opts []ValidateOption) (isPartial, expands bool, whole budget) {
	e := newEvaluation(opts)
	defer e.Release()
	return e.given.partial, e.given.find != nil, e.budget
}

// Judging begins to validate an object.
func (insides) Judging(rules Rules, object map[string]any, opts []ValidateOption) door.Judging {
	return &judging{newEvaluation(opts), rules, object}
}

// Alone returns a function that checks a value as the only one that the path of a rule selects, in an
// object in which another "valid" selects something, too. The rule must be in force and of a kind of
// the format; f is what counts at the field. The function checks the field of an object that has no
// other, because not for every path can an object be made. It may be called concurrently.
func (in insides) Alone(r Rule, demands constraint.Set, f *jsonpath.Implied, opts []ValidateOption) func(v any) []Violation {
	const name = "value"
	at := jsonpath.Members(name)
	before := r.Path
	if r.Path = in.At(at); r.Valid.Equal(before) {
		r.Valid = r.Path
	} else {
		r.Valid = Path{}
	}
	alone := rule{Rule: r, field: before, literal: demands}
	fields := f.Below(at)
	isPartial, _, whole := in.Settings(opts)
	return func(v any) []Violation {
		e := newEvaluation(nil)
		defer e.Release()
		e.given.partial, e.budget, e.plain = isPartial, whole, fields
		e.judge(&alone, &target{Root: map[string]any{name: v}})
		violations := e.judgement.result.Violations
		for i := range violations {
			v := &violations[i]
			v.Field, v.Pointer, v.Detail = "", "", strings.TrimPrefix(v.Detail, name+": ")
		}
		return violations
	}
}

// Filled returns a copy of a rule in which literals replace the paths of arguments. An argument
// that could not be read is absent.
func (insides) Filled(rules Rules, i int, read []door.Argument) Rule {
	r := rules.rules[i].Rule.clone()
	for _, a := range read {
		literals := make([]Argument, 0, len(a.Literals))
		for _, s := range a.Literals {
			literals = append(literals, Argument{literal: s.Canonical()})
		}
		switch argument := r.slot(a.Key); {
		case a.Note != "":
			*argument = Argument{}
		case constraint.Named(a.Key).IsList:
			*argument = Argument{list: literals}
		default:
			*argument = literals[0]
		}
	}
	return r
}

// At returns a location as a path.
func (insides) At(at jsonpath.Location) Path {
	text := "$"
	if len(at) > 0 {
		text += jsonpath.LeadingDot(at.String())
	}
	path, _ := parseExpression(text) // a location is a path
	return path
}

type judging struct {
	*evaluation
	rules  Rules
	object map[string]any
}

func (j *judging) Budget() *budget { return &j.budget }

func (j *judging) Targets() []target {
	all := j.appendTargets(nil, value.Resolve(j.object), j.rules.isWhole)
	for i := range all {
		if full := j.full(&all[i]); full.Refusal == nil {
			all[i] = *full
		}
	}
	return all
}

func (j *judging) Doubt(t *target, w *jsonpath.Search) (open bool, why error) {
	why = doubtOf(t, w)
	return isOpen(why), why
}

func (j *judging) InForce(rule int, t *target) (demands bool, outcome, note string) {
	of := j.of(rule, t)
	if t.Full != nil { // KubeVirt would refuse the VM, which only some rules depend on
		of.target = j.judge(of.rule, t)
	}
	demands = of.isInForce()
	return demands, string(of.result.Outcome), of.result.why()
}

func (j *judging) of(rule int, t *target) judgement {
	return judgement{call: j.evaluation, rule: &j.rules.rules[rule], target: t}
}

// isInForce reports whether the rule demands a value at present. If the rule checks no value
// at all, isInForce ends the judgement, and the outcome says why.
func (j *judgement) isInForce() bool {
	switch {
	case j.rule.unusable != nil, !j.rule.isKnown(), j.rule.enforcesNothing(), j.target.Refusal != nil,
		j.target.Nothing != "" && (!j.call.given.partial || j.target.HasNoVM):
		j.run() // it ends before it checks any value
		return false
	case j.rule.Valid.IsZero():
		return true
	}
	isThere := j.applies()
	if follows := j.rule.Path.parsed.BeginsWith(j.rule.Valid.parsed); follows && (j.result.Outcome == OutcomeSkipped || isOpen(j.doubt)) {
		j.result = Result{}
	}
	return isThere && !j.rule.Valid.Equal(j.rule.Path)
}

func (j *judging) Arguments(rule int, t *target) (constraint.Set, []door.Argument) {
	of := j.of(rule, t)
	if of.rule.paths == nil {
		return of.rule.literal, nil
	}
	all := slices.Clone(of.rule.literal.All())
	read := make([]door.Argument, 0, len(of.rule.paths))
	for _, u := range of.rule.paths {
		c, literals, err := of.resolveArgument(u)
		if list, ok := c.(*constraint.Allowed); ok && err == nil {
			err = list.IsOpen()
		}
		if err != nil {
			note := withArgument(u.key, err)
			_ = j.budget.Spend(0, len(note)+violationSize)
			read = append(read, door.Argument{Key: u.key, Note: note})
			continue
		}
		all = append(all, c)
		read = append(read, door.Argument{Key: u.key, Literals: literals})
	}
	return constraint.NewSet(constraint.OfKind(of.rule.Kind), all), read
}
