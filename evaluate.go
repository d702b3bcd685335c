package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// An evaluation is one call of Validate. It is not safe for concurrent use.
type evaluation struct {
	settings
	targets   []target
	judgement judgement         // the current one
	decision  decision          // its decision
	doubts    []error           // all that it leaves open; only for Ratcheting
	search    jsonpath.Search   // for the values of its rule
	at        jsonpath.Location // room for the location of a value
}

// settings are the options of a call, and what is left of its budget.
type settings struct {
	old      map[string]any
	ratchets bool
	before   map[string]*target // those of old, by their names; nil until some rule needs them
	checking *checking          // nil until some rule needs it
	reading  parseOptions       // of ValidateOwn
	partial  bool
	defaults []vmfields.Default // those of the caller
	find     findFunc           // nil: no instance types and preferences are given
	limits   Budget
	budget   budget

	plain, settable, whole *jsonpath.Implied
}

var (
	errNotFilledIn = errors.New("not filled in yet")
	errNotThere    = errors.New("not there")

	errLater = fmt.Errorf("is %w", errNotFilledIn) // of an argument
)

const notSet = "the field is not set"

// isSpent reports whether the budget was too small.
func (e *evaluation) isSpent() bool { return e.budget.Err() != nil }

// implied returns the fields of a target that count even if they are not written.
func (e *evaluation) implied(t *target) *jsonpath.Implied {
	switch {
	case t.IsWhole:
		return e.whole
	case t.Others == 0:
		return e.plain
	case e.settable == nil:
		e.settable = vmfields.OfOpenVM(e.defaults)
	}
	return e.settable
}

// walk prepares a search in a target.
func (e *evaluation) walk(t *target, v jsonpath.Visitor) jsonpath.Search {
	w := jsonpath.Search{Meter: &e.budget.Meter, Visitor: v, Root: t.At, Implied: e.implied(t), Others: t.Others}
	if t.HasParameters {
		w.Placeholders = &templateParameters
	}
	return w
}

// judge judges one rule for one target. If the wrong values are known, it looks only at them.
func (e *evaluation) judge(r *rule, t *target, wrong []plan.Wrong) {
	e.judgement = judgement{evaluation: e, rule: r, target: t, result: &e.decision, wrong: wrong}
	e.doubts = nil
	e.judgement.run()
	e.judgement, e.search = judgement{}, jsonpath.Search{}
}

// A judgement judges one rule in one target.
type judgement struct {
	*evaluation
	rule   *rule
	target *target
	result *decision
	wrong  []plan.Wrong // all values that may break the rule; nil if they are not known

	set      constraint.Set // what the rule demands, with its arguments read
	prepared bool
	value    value.Scalar // the value that is being judged
	doubt    error        // the first thing that could not be judged
	doubtful string       // the argument that it is about
	notYet   string       // under Partial, what is not filled in yet
}

func (j *judgement) run() {
	switch {
	case !j.rule.isKnown():
		j.end(Ignored, fmt.Sprintf("the kind %s is not known", value.Quoted(string(j.rule.Kind))))
	case j.rule.enforcesNothing():
		j.end(Ignored, fmt.Sprintf("the kind %s without any argument enforces nothing", j.rule.Kind))
	case j.target.Refusal != nil:
		j.undecided("", j.target.Refusal)
	case j.target.Nothing != "" && (!j.partial || j.target.HoldsNone):
		j.undecided("", emptiness(j.target))
	case j.target.Nothing != "":
		j.end(Skipped, errNotFilledIn.Error())
	case j.applies() && (j.rule.Kind.IsOfFormat() || j.check()):
		j.judgeValues()
	}
}

func (j *judgement) end(outcome Outcome, note string) {
	j.result.Outcome, j.result.Note = outcome, note
}

// undecided ends the judgement without blaming a field.
func (j *judgement) undecided(argument string, why error) {
	j.leaveOpen(argument, why)
	v := j.violation(ReasonInternal, argument, about(argument, why))
	_ = j.budget.Spend(0, v.size()) // a refusal changes nothing: each rule has at most one such violation
	j.result.Outcome, j.result.Undecided, j.result.Violations = Undecided, doubtIn(why), []Violation{v}
}

// leaveOpen remembers what could not be judged, so that an update can be compared.
func (j *judgement) leaveOpen(argument string, why error) {
	if j.ratchets {
		why = doubtful{doubtIn(why), errors.New(about(argument, why))}
		_ = j.budget.Spend(0, len(why.Error())) // ratchet sees a refusal
		j.doubts = append(j.doubts, why)
	}
}

// about returns why something could not be judged, after the argument if there is one.
func about(argument string, why error) string {
	if argument == "" {
		return why.Error()
	}
	return argument + " " + why.Error()
}

// applies reports whether "valid" is absent or selects something. If not, it ends the
// judgement.
func (j *judgement) applies() bool {
	if j.rule.Valid.IsZero() || j.wrong != nil {
		return true
	}
	w := j.walk(j.target, jsonpath.VisitorFunc(func(*jsonpath.Search, any) bool { return false }))
	err := w.Run(j.rule.Valid.parsed, j.target.Root)
	doubt := doubtOf(j.target, &w)
	switch {
	case err == nil && w.Matches() > 0:
		return true
	case err == nil && isLeftOut(doubt):
		j.leftOut(doubt)
	case cmp.Or(err, doubt) != nil:
		j.undecided("", fmt.Errorf("%s cannot be searched: %w", j.rule.Valid.shown(), cmp.Or(err, doubt)))
	default:
		j.end(Skipped, j.rule.notThere)
	}
	return false
}

func (j *judgement) judgeValues() {
	j.search = j.walk(j.target, j)
	w := &j.search
	err := j.visitValues(w)
	switch {
	case err != nil:
		j.undecided("", err)
		return
	case w.Doubt() != nil:
		j.doubted("", doubtOf(j.target, w))
	case w.Matches() == 0:
		j.missing()
		return
	}
	switch {
	case len(j.result.Violations) > 0:
		j.violated()
	case j.doubt != nil:
		j.undecided(j.doubtful, j.doubt)
	case j.notYet != "":
		j.result.Violations = nil
		j.end(Skipped, j.notYet)
	default:
		j.result.Outcome = Satisfied
	}
}

// visitValues judges the values that may be wrong, if they are known, or all that the path selects.
func (j *judgement) visitValues(w *jsonpath.Search) error {
	if j.wrong == nil {
		return w.Run(j.rule.Path.parsed, j.target.Root)
	}
	j.result.Violations = make([]Violation, 0, len(j.wrong))
	for i := range j.wrong {
		v := &j.wrong[i]
		j.at = v.AppendTo(append(j.at[:0], j.target.At...), j.rule.Path.parsed)
		if !w.Take(j.at, v.StandIn, v.Value) {
			break
		}
	}
	return w.Err()
}

// leftOut ends the judgement because an instance type or a preference may set a field.
func (j *judgement) leftOut(why error) {
	j.doubt = why
	if j.partial {
		j.end(Skipped, why.Error())
		return
	}
	j.undecided("", why)
}

func (j *judgement) violated() {
	j.result.Outcome = Violated
	if j.rule.JustWarning {
		j.result.Outcome = Warned
	}
	switch {
	case j.doubt != nil:
		j.result.Note = "not judged: " + about(j.doubtful, j.doubt)
	case j.notYet != "" && j.notYet != errNotFilledIn.Error():
		j.result.Note = "not judged: " + j.notYet
	}
}

// missing ends the judgement because the path selects nothing.
func (j *judgement) missing() {
	if j.partial {
		j.end(Skipped, errNotFilledIn.Error())
		return
	}
	text := len(j.rule.Path.text())
	if err := j.budget.Spend(violationWork+text*textWork, j.target.At.TextSize()+2*text+violationSize); err != nil {
		j.undecided("", err)
		return
	}
	v := j.violation(ReasonRequired, "", notSet)
	v.Field = j.target.At.Field(j.rule.Path.parsed)
	v.Pointer = pointerIn(j.target, j.rule.Path)
	j.result.Violations = []Violation{v}
	j.violated()
}

func (j *judgement) violation(reason Reason, argument, detail string) Violation {
	return Violation{
		Rule: j.rule.Name, Message: j.rule.Message, Reason: reason,
		Argument: argument, Detail: detail, Warning: j.rule.JustWarning,
	}
}

// Visit judges one value that the path selects.
func (j *judgement) Visit(w *jsonpath.Search, v any) bool {
	j.prepare()
	var isScalar bool
	s := &j.value
	*s, isScalar = value.ScalarOf(v)
	if !w.Spend(lookWork(j.target, s)) {
		return false
	}
	if err := unfilled(s, j.target.HasParameters); err != nil {
		j.doubted("", j.atField(w, err))
		return true
	}
	if j.set.ReadsNumbers() {
		s.ReadQuantity()
	}
	for f := range j.set.Findings(v, s, isScalar, &j.budget) {
		switch {
		case f.Err != nil && f.Key == "":
			j.doubted("", j.atField(w, f.Err))
		case f.Err != nil:
			j.doubted(f.Key, j.atValue(w, f.Err))
		default:
			j.add(w, v, f)
		}
	}
	return w.Err() == nil
}

// atField adds the location of the value that could not be judged.
func (j *judgement) atField(w *jsonpath.Search, why error) error {
	return fmt.Errorf("%s: %w", w.At().Shown(), why)
}

// atValue is atField for the doubt about an argument, whose key comes before the message.
func (j *judgement) atValue(w *jsonpath.Search, why error) error {
	if j.mayCome(why) {
		return why
	}
	return fmt.Errorf("cannot be judged for %w", j.atField(w, why))
}

// doubted remembers what could not be judged. A violation takes precedence over it, and it
// takes precedence over fields that are not filled in yet.
func (j *judgement) doubted(argument string, why error) {
	if j.mayCome(why) {
		j.notYet = about(argument, why)
		return
	}
	j.leaveOpen(argument, why)
	if j.doubt == nil {
		j.doubtful, j.doubt = argument, why
	}
}

// origin returns a note of the path that an argument was read from, if it was one path.
func (r *rule) origin(key string) string {
	for _, u := range r.unread {
		if u.key == key && len(u.from) == 1 {
			return ", read from " + value.Shortened(u.from[0].path.shown())
		}
	}
	return ""
}

func (j *judgement) add(w *jsonpath.Search, found any, f constraint.Finding) {
	if j.partial && found == "" {
		j.notYet = cmp.Or(j.notYet, errNotFilledIn.Error())
		return
	}
	detail := f.Detail + j.rule.origin(f.Key)
	if !w.Pay(violationWork, w.At().TextSize()+len(detail)+j.value.RenderedSize()+violationSize) {
		return
	}
	v := j.violation(reasonOf(f.Fault), f.Key, detail)
	v.Field, v.Pointer = w.At().String(), w.At().Pointer()
	v.Limit = f.Limit
	v.Value = value.Canonical(found)
	v.Origin = originOf(j.target, w.At(), w.StandIn())
	v.Detail = explain(w.StandIn(), v.Origin, found, detail)
	j.result.Violations = append(j.result.Violations, v)
}

// explain adds to a detail why the value counts, if it is not written in the object.
func explain(why jsonpath.StandIn, origin string, v any, detail string) string {
	switch why {
	case jsonpath.Unset:
		return fmt.Sprintf("not set, counts as %s: %s", value.Describe(v), detail)
	case jsonpath.Zero:
		return fmt.Sprintf("0 counts as %s: %s", value.Describe(v), detail)
	}
	if origin == "" {
		return detail
	}
	if name, ok := strings.CutPrefix(origin, "instancetype "); ok {
		origin = "instance type " + name
	}
	shown := value.Describe(v)
	return fmt.Sprintf("%s, from %s,%s", shown, origin, strings.TrimPrefix(detail, shown))
}
