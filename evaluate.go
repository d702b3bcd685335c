package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// An evaluation is one call of Validate. It is not safe for concurrent use.
type evaluation struct {
	settings
	targets   []target
	planWalk  planWalk
	judgement judgement       // the one at hand
	decision  decision        // that it comes to
	search    jsonpath.Search // for the values of its rule
}

// settings are what a call begins with, some of them to be used up.
type settings struct {
	old      map[string]any
	checking *checking    // nil until some rule needs it
	reading  parseOptions // of ValidateOwn
	partial  bool
	defaults []fieldDefault // those of the caller
	limits   Budget
	budget   budget
	broken   error // why no rule can be judged

	plain, settable, whole *jsonpath.Implied
}

var (
	errNotFilledIn = errors.New("not filled in yet")
	errNotThere    = errors.New("not there")

	errLater = fmt.Errorf("is %w", errNotFilledIn) // of an argument
)

const notSet = "the field is not set"

// isSpent reports whether the budget did not suffice for something.
func (e *evaluation) isSpent() bool { return e.budget.Err() != nil }

// implied are the fields of a target that count without being written.
func (e *evaluation) implied(t *target) *jsonpath.Implied {
	switch {
	case t.isWhole:
		return e.whole
	case t.others == 0:
		return e.plain
	case e.settable == nil:
		e.settable, _ = newSettableFields(slices.Concat(alwaysThere, e.defaults))
	}
	return e.settable
}

// walk prepares a search in a target.
func (e *evaluation) walk(t *target, v jsonpath.Visitor) jsonpath.Search {
	w := jsonpath.Search{Meter: &e.budget.Meter, Visitor: v, Root: t.at, Implied: e.implied(t), Others: t.others}
	if t.parameters {
		w.Placeholders = &templateParameters
	}
	return w
}

// judge judges one rule for one target, by what is known of it already.
func (e *evaluation) judge(r *rule, t *target, known planned) {
	e.judgement = judgement{evaluation: e, rule: r, target: t, result: &e.decision, known: known}
	e.judgement.run()
	e.judgement, e.search = judgement{}, jsonpath.Search{}
}

// A judgement is one rule on its way to its result.
type judgement struct {
	*evaluation
	rule   *rule
	target *target
	result *decision

	known planned

	read     []constraint // those of rule.constraints that come from paths; nil where undecided
	prepared bool
	value    value.Scalar // that is being judged
	doubt    error        // the first thing that could not be judged
	doubtful string       // the argument that it is about
	notYet   string       // what a form has not filled in, under Partial
}

func (j *judgement) run() {
	switch {
	case j.rule.checker == nil:
		j.end(Ignored, fmt.Sprintf("the kind %s is not known", value.Quoted(string(j.rule.Kind))))
	case j.rule.enforcesNothing():
		j.end(Ignored, fmt.Sprintf("the kind %s without any argument enforces nothing", j.rule.Kind))
	case j.broken != nil:
		j.undecided("", doubtful{DoubtArgument, j.broken})
	case j.target.nothing != "" && (!j.partial || j.target.holdsNone):
		j.undecided("", j.target.emptiness())
	case j.target.nothing != "":
		j.end(Skipped, errNotFilledIn.Error())
	case j.applies() && (j.rule.Kind.isOfFormat() || j.check()):
		j.judgeValues()
	}
}

func (j *judgement) end(outcome Outcome, note string) {
	j.result.Outcome, j.result.Note = outcome, note
}

// undecided ends the judgement without blaming a field.
func (j *judgement) undecided(argument string, why error) {
	v := j.violation(ReasonInternal, argument, about(argument, why))
	_ = j.budget.Spend(0, v.size()) // as every rule has one at most, a refusal changes nothing here
	j.result.Outcome, j.result.Undecided, j.result.Violations = Undecided, doubtIn(why), []Violation{v}
}

// about says why something could not be judged, of an argument if there is one.
func about(argument string, why error) string {
	if argument == "" {
		return why.Error()
	}
	return argument + " " + why.Error()
}

// applies tells whether what "valid" names is there; if not, it ends the
// judgement.
func (j *judgement) applies() bool {
	if j.rule.Valid.IsZero() || j.known.isNeeded {
		return true
	}
	w := j.walk(j.target, jsonpath.VisitorFunc(func(*jsonpath.Search, any) bool { return false }))
	err := w.Run(j.rule.Valid.parsed, j.target.root)
	doubt := doubtOf(&w)
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
		j.doubted("", doubtOf(w))
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

// visitValues judges what the path selects; of what a plan has judged already,
// only the values that it found to be wrong.
func (j *judgement) visitValues(w *jsonpath.Search) error {
	if j.known.isUnsure || j.known.wrong == nil {
		return w.Run(j.rule.Path.parsed, j.target.root)
	}
	j.result.Violations = make([]Violation, 0, len(j.known.wrong))
	for _, v := range j.known.wrong {
		if !w.Take(v.at, v.standIn, v.value) {
			break
		}
	}
	return w.Err()
}

// leftOut ends the judgement where a field is left to others.
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

// missing ends the judgement where the path selects nothing.
func (j *judgement) missing() {
	if j.partial {
		j.end(Skipped, errNotFilledIn.Error())
		return
	}
	text := len(j.rule.Path.text())
	if err := j.budget.Spend(violationWork+text*textWork, j.target.at.TextSize()+2*text+violationSize); err != nil {
		j.undecided("", err)
		return
	}
	v := j.violation(ReasonRequired, "", notSet)
	v.Field = j.target.at.Field(j.rule.Path.parsed)
	v.Pointer = j.target.at.Join(jsonpath.Fixed(j.rule.Path.steps())).Pointer()
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
	if !w.Spend(j.target.lookWork(s)) {
		return false
	}
	if err := unfilled(s, j.target.parameters); err != nil {
		j.doubted("", j.atField(w, err))
		return true
	}
	if j.rule.comparesNumbers {
		s.ReadQuantity()
	}
	ok, err := j.rule.typeCheck().admits(s, isScalar)
	switch {
	case err != nil:
		j.doubted("", j.atField(w, err))
	case !ok:
		j.add(w, v, ReasonTypeInvalid, "", nil, j.rule.typeCheck().mismatch(v))
	default:
		j.constrain(w, v, s)
	}
	return w.Err() == nil
}

// atField says of what value something could not be judged.
func (j *judgement) atField(w *jsonpath.Search, why error) error {
	return fmt.Errorf("%s: %w", w.At().Shown(), why)
}

// atValue is atField for an argument, whose key comes before it.
func (j *judgement) atValue(w *jsonpath.Search, why error) error {
	if j.mayCome(why) {
		return why
	}
	return fmt.Errorf("cannot be judged for %w", j.atField(w, why))
}

// doubted remembers what could not be judged; a violation still counts, and
// any other doubt more than what is only not filled in yet.
func (j *judgement) doubted(argument string, why error) {
	if j.mayCome(why) {
		j.notYet = about(argument, why)
		return
	}
	if j.doubt == nil {
		j.doubtful, j.doubt = argument, why
	}
}

// constrain judges a value by each constraint.
func (j *judgement) constrain(w *jsonpath.Search, v any, s *value.Scalar) {
	for i := range j.rule.constraints {
		c := j.constraint(i)
		if c == nil {
			continue
		}
		argued := &j.rule.constraints[i]
		ok, err := c.holds(s, &j.budget)
		if err != nil {
			j.doubted(argued.key, j.atValue(w, err))
			continue
		}
		if ok {
			continue
		}
		b := c.breach(s)
		detail := b.detail
		if argued.fixed == nil {
			detail += argued.origin()
		}
		j.add(w, v, b.reason, argued.key, b.limit, detail)
	}
}

// origin says which path a limit was read from, if it was one path.
func (a argued) origin() string {
	if len(a.from) != 1 {
		return ""
	}
	return ", read from " + value.Shortened(a.from[0].path.shown())
}

func (j *judgement) add(w *jsonpath.Search, found any, reason Reason, argument string, limit any, detail string) {
	if j.partial && found == "" {
		j.notYet = cmp.Or(j.notYet, errNotFilledIn.Error())
		return
	}
	if !w.Pay(violationWork, w.At().TextSize()+len(detail)+j.value.RenderedSize()+violationSize) {
		return
	}
	v := j.violation(reason, argument, detail)
	v.Field, v.Pointer = w.At().String(), w.At().Pointer()
	v.Limit = limit
	v.Value = value.Canonical(found)
	v.Detail = explain(w.StandIn(), found, detail)
	v.Origin = originOf(w.StandIn())
	j.result.Violations = append(j.result.Violations, v)
}

// explain says of what is wrong with a value why that counts.
func explain(why jsonpath.StandIn, v any, detail string) string {
	switch why {
	case jsonpath.Unset:
		return fmt.Sprintf("not set, counts as %s: %s", value.Describe(v), detail)
	case jsonpath.Zero:
		return fmt.Sprintf("0 counts as %s: %s", value.Describe(v), detail)
	}
	return detail
}

// prepare reads the arguments that are JSONPaths, once for all values.
func (j *judgement) prepare() {
	if j.prepared {
		return
	}
	j.prepared = true
	for i, a := range j.rule.constraints {
		if a.fixed != nil {
			continue
		}
		if j.read == nil {
			j.read = make([]constraint, len(j.rule.constraints))
		}
		c, err := j.readArgument(a)
		if err != nil {
			j.doubted(a.key, ofArgument(err))
			continue
		}
		j.read[i] = c
	}
}

// ofArgument gives an error of readArgument its Doubt, where it has none of its own.
// That the budget is used up is one the search then finds out, too.
func ofArgument(err error) error {
	if isDoubtful(err) {
		return err
	}
	return doubtful{DoubtArgument, err}
}

// constraint is one of the rule's; nil where its argument could not be read.
func (j *judgement) constraint(i int) constraint {
	if fixed := j.rule.constraints[i].fixed; fixed != nil {
		return fixed
	}
	return j.read[i]
}

// readArgument makes a constraint of what its paths select in the object.
func (j *judgement) readArgument(a argued) (constraint, error) {
	if a.key == keyValues {
		return j.readAllowed(a)
	}
	path, _ := a.from[0].Path()
	found, err := j.find(path)
	if err != nil {
		return nil, err
	}
	if len(found) > 1 {
		return nil, fmt.Errorf("cannot be read: %s selects %d values, and one is needed", path.shown(), len(found))
	}
	limit, err := j.usable(path, found[0])
	if err != nil {
		return nil, err
	}
	c, _, err := newConstraint(a.key, limit, &j.budget)
	if err != nil && j.partial && found[0] == "" {
		return nil, errLater
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read from %s: it %w", path.shown(), err)
	}
	return c, nil
}

// readAllowed collects the values that are allowed. A list's only path must
// select something; an item's path that selects nothing allows nothing.
func (j *judgement) readAllowed(a argued) (constraint, error) {
	var all []value.Scalar
	later := false
	for _, argument := range a.from {
		path, isPath := argument.Path()
		if !isPath {
			s, _ := value.ScalarOf(argument.literal)
			if err := j.budget.Spend(valueWork+3*s.RenderedSize(), 0); err != nil {
				return nil, err
			}
			all = append(all, s)
			continue
		}
		found, err := j.find(path)
		if errors.Is(err, errNotThere) && j.rule.Values != nil {
			continue
		}
		if j.mayCome(err) && j.rule.Values != nil {
			later = true
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, v := range found {
			if all, err = j.appendItems(all, path, v); err != nil {
				return nil, err
			}
		}
	}
	c := newAllowed(all)
	c.later = later
	return c, j.budget.Spend(0, c.limitSize())
}

// appendItems adds a value, or the items of an array.
func (j *judgement) appendItems(all []value.Scalar, path Path, v any) ([]value.Scalar, error) {
	if value.ShapeOf(v) != value.Array {
		s, err := j.usable(path, v)
		return append(all, s), err
	}
	for i := range value.Len(v) {
		next, ok := value.Item(v, i)
		if !ok {
			continue
		}
		s, err := j.usable(path, next)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// find lists what an argument's path selects, at least one value.
func (j *judgement) find(path Path) ([]any, error) {
	var found []any
	w := j.walk(j.target, jsonpath.VisitorFunc(func(_ *jsonpath.Search, v any) bool {
		found = append(found, v)
		return true
	}))
	err := cmp.Or(w.Run(path.parsed, j.target.root), doubtOf(&w))
	switch {
	case err != nil:
		return nil, doubtful{doubtIn(err), fmt.Errorf("cannot be read from %s: %w", path.shown(), err)}
	case len(found) > 0:
		return found, nil
	case j.partial:
		return nil, errLater
	}
	return nil, fmt.Errorf("cannot be read: %s is %w", path.shown(), errNotThere)
}

// mayCome tells whether a form may still bring what is missing.
func (j *judgement) mayCome(err error) bool {
	return j.partial && (errors.Is(err, errNotFilledIn) || isLeftOut(err))
}

// usable is the scalar that an argument's path selected.
func (j *judgement) usable(path Path, v any) (value.Scalar, error) {
	s, ok := value.ScalarOf(v)
	if err := j.budget.Spend(jsonpath.NodeWork*j.target.lookWork(&s)+valueWork, 0); err != nil {
		return value.Scalar{}, err
	}
	if !ok {
		return value.Scalar{}, fmt.Errorf("cannot be read: %s is %s", path.shown(), value.Describe(v))
	}
	if s.Err() != nil {
		return value.Scalar{}, fmt.Errorf("cannot be read: %s %w", path.shown(), s.Err())
	}
	if err := unfilled(&s, j.target.parameters); err != nil {
		return value.Scalar{}, fmt.Errorf("cannot be read from %s: %w", path.shown(), err)
	}
	return s, nil
}
