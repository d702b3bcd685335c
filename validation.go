package vmrules

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Version is a version of the annotation format.
type Version string

const (
	// V201902 is 201902-2, the current one.
	V201902 Version = "201902-2"
	// V201901 is 201901-1: paths without prefix, on the template.
	V201901 Version = "201901-1"
)

// A ParseOption changes how an annotation is read.
type ParseOption func(*parseOptions)

type parseOptions struct {
	version Version // "": not said
	strict  bool
}

// WithVersion says which version of the format the annotation has; without it,
// V201902.
func WithVersion(v Version) ParseOption { return func(o *parseOptions) { o.version = v } }

// Strict makes problems of what is otherwise ignored, as the format demands:
// unknown keys and kinds, and rules without arguments. It is for those who
// write rules, not for those who meet them.
func Strict() ParseOption { return func(o *parseOptions) { o.strict = true } }

// ParseRules reads the text of a validations annotation. A blank text has no
// rules. Any error is a *ParseError: text that is not JSON, or beyond the
// bounds, gives one problem; otherwise all problems of all rules come
// together, and no rules.
func ParseRules(annotation string, opts ...ParseOption) (Rules, error) {
	var o parseOptions
	for _, opt := range opts {
		opt(&o)
	}
	rules, problems := parseRules(annotation, o)
	return rules, asParseError(problems)
}

func asParseError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return &ParseError{Problems: problems}
}

func parseRules(annotation string, o parseOptions) (Rules, []Problem) {
	switch o.version {
	case "", V201902, V201901:
	default:
		return Rules{}, []Problem{{
			Index: -1, Line: 1, Column: 1, Reason: ReasonNotSupported,
			Message: fmt.Sprintf("there is no version %s of the format: it is %s or %s", quoted(string(o.version)), V201902, V201901),
		}}
	}
	if strings.TrimSpace(annotation) == "" {
		return Rules{}, nil
	}
	nodes, problems := readAnnotation(annotation)
	reader := ruleReader{version: o.version, strict: o.strict, problems: problems}
	rules := Rules{rules: make([]rule, 0, len(nodes))}
	nameNodes := make([]jsonNode, 0, len(nodes))
	for i, n := range nodes {
		rules.rules = append(rules.rules, reader.read(i, n))
		name, _ := reader.member(keyName)
		nameNodes = append(nameNodes, name)
	}
	reader.uniqueNames(rules.rules, nameNodes)
	if problems = reader.problems; len(problems) == 0 {
		return rules, nil
	}
	for i, p := range problems {
		if p.Index >= 0 && p.Index < len(rules.rules) {
			problems[i].Rule = rules.rules[p.Index].Name
		}
	}
	place(problems, annotation)
	return Rules{}, problems
}

func (r *ruleReader) uniqueNames(rules []rule, names []jsonNode) {
	first := map[string]int{}
	for i, rule := range rules {
		if rule.Name == "" {
			continue
		}
		if earlier, ok := first[rule.Name]; ok {
			r.index = i
			r.problem(names[i], keyName, ReasonDuplicate, "rules[%d] has this name already: names must be unique", earlier)
			continue
		}
		first[rule.Name] = i
	}
}

// NewRules makes Rules of rules built in Go, with the checks of ParseRules.
// Any error is a *ParseError, whose problems have no line and column.
func NewRules(rules []Rule, opts ...ParseOption) (Rules, error) {
	var problems []Problem
	writable := make([]Rule, 0, len(rules))
	for i, r := range rules {
		r, wrong := r.writable()
		writable = append(writable, r)
		for _, message := range wrong {
			problems = append(problems, Problem{Rule: r.Name, Index: i, Reason: ReasonInvalid, Message: message})
		}
	}
	var o parseOptions
	for _, opt := range opts {
		opt(&o)
	}
	o.version = V201902 // which is how they are written here
	made, more := parseRules(string(mustJSON(writable)), o)
	for _, p := range more {
		p.Offset, p.Line, p.Column = 0, 0, 0
		problems = append(problems, p)
	}
	if problems != nil {
		return Rules{}, asParseError(problems)
	}
	return made, nil
}

// writable leaves out of a rule what cannot be written as JSON, and says what.
func (r Rule) writable() (Rule, []string) {
	var wrong []string
	r = r.clone()
	kind := string(r.Kind)
	for _, s := range []*string{&r.Name, &kind, &r.Message} {
		if !utf8.ValidString(*s) {
			wrong = append(wrong, quoted(*s)+" is not valid UTF-8")
			*s = strings.ToValidUTF8(*s, "?")
		}
	}
	r.Kind = Kind(kind)
	for _, s := range r.textsOfArguments() {
		if !utf8.ValidString(s) {
			wrong = append(wrong, quoted(s)+" is not valid UTF-8")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Unknown)) {
		if why := r.cannotBeUnknown(key); why != "" {
			wrong = append(wrong, fmt.Sprintf("the key %s in Unknown %s", quoted(key), why))
			delete(r.Unknown, key)
		}
	}
	if slices.ContainsFunc(r.Values, Argument.IsZero) {
		wrong = append(wrong, "a zero Argument in Values: it must have a literal or a path")
		r.Values = slices.DeleteFunc(r.Values, Argument.IsZero)
	}
	if r.Values != nil && !r.ValuesFrom.IsZero() {
		wrong = append(wrong, "Values and ValuesFrom are the same argument: set one of them")
		r.ValuesFrom = Path{}
	}
	return r, wrong
}

func (r Rule) textsOfArguments() []string {
	texts := []string{r.Path.written, r.Valid.written, r.ValuesFrom.written}
	for _, key := range argumentKeys {
		if a := r.slot(key); a != nil {
			texts = append(texts, a.String())
		}
	}
	for _, a := range r.Values {
		texts = append(texts, a.String())
	}
	return texts
}

func (r Rule) cannotBeUnknown(key string) string {
	switch {
	case !json.Valid(r.Unknown[key]):
		return "has a value that is not JSON"
	case !utf8.ValidString(key):
		return "is not valid UTF-8"
	case slices.Contains(commonKeys, key) || r.Kind.known() && slices.Contains(argumentKeys, key):
		return "is a field of Rule: set that"
	}
	return ""
}

// A ValidateOption changes how an object is judged.
type ValidateOption func(*evaluation)

// DefaultRegexBudget is how long the backtracking regular expressions of one
// Validate call may take together.
const DefaultRegexBudget = time.Second

// WithRegexBudget sets how long all matches of one Validate call that need
// backtracking may take together; when it is spent, further ones are
// Undecided. Most regular expressions need none, and no time counts for them.
func WithRegexBudget(d time.Duration) ValidateOption {
	return func(e *evaluation) { e.budget.time = d }
}

// WithDefault says what a field counts as where its object is there and the
// field is not, over the fields that the format lists. A nil value means that
// the field has no default. The path has names and [*] and ends in a name;
// with any other, every rule is Undecided.
func WithDefault(path Path, value any) ValidateOption {
	return func(e *evaluation) { e.defaults = append(e.defaults, fieldDefault{path, value}) }
}

// Partial is for a form that is not complete: what is missing is Skipped, with
// the note "not filled in yet".
func Partial() ValidateOption { return func(e *evaluation) { e.partial = true } }

// Validate judges an object by rules: one Result for each target in the object
// and each rule. It does not change the object, and whatever the object holds,
// it ends: what is beyond the bounds is Undecided. It is safe to call
// concurrently with the same rules, and with the same object while nobody
// changes it.
func Validate(rules Rules, object map[string]any, opts ...ValidateOption) *Report {
	e := newEvaluation(opts)
	report := &Report{Results: []Result{}}
	targets := targetsOf(resolve(object))
	for i := range targets {
		if !e.judgeAll(report, rules, &targets[i], len(targets)-i) {
			break
		}
	}
	return report
}

func newEvaluation(opts []ValidateOption) *evaluation {
	e := &evaluation{
		nodes: maxNodes, room: maxReport,
		budget: regexBudget{time: DefaultRegexBudget, work: regexWork},
		plain:  plainFields, instancetype: instancetypeFields,
	}
	for _, opt := range opts {
		opt(e)
	}
	if e.defaults == nil {
		return e
	}
	all := slices.Concat(alwaysThere, e.defaults)
	if e.plain, e.broken = newFields(all, false); e.broken == nil {
		e.instancetype, e.broken = newFields(all, true)
	}
	return e
}

// judgeAll judges one of the targets that are left. It returns false where the
// report has no room for it: a last result then says that the rest is undecided.
func (e *evaluation) judgeAll(report *Report, rules Rules, t *target, left int) bool {
	if len(report.Results)+rules.Len() > max(maxResults, rules.Len()) {
		j := e.judgement(0, &rules.rules[0], t)
		j.undecided("", fmt.Errorf("the report has too many results already: %d VMs, from this on, are not judged", left))
		report.Results = append(report.Results, j.result)
		return false
	}
	for i := range rules.rules {
		report.Results = append(report.Results, e.judge(i, &rules.rules[i], t))
	}
	return true
}
