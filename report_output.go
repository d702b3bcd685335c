package vmrules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/value"
)

// MarshalJSON writes the report with its verdict, so that a program in another language need
// not know which outcomes fail an object. It writes about 16 MiB at most. If there is more,
// it leaves out violations first and then results, and counts them in "omitted"; and of many
// targets some, which it counts in "omittedTargets". The verdicts and the outcomes of results do
// not change. It is an error of encoding/json if a Value or Limit that the caller gave NewReport has no
// JSON form.
func (r Report) MarshalJSON() ([]byte, error) {
	targets, left, room := cutTargets(r.Targets(), maxOutput)
	results, omitted := cut(r.all(), room)
	valid, passed := r.Valid(), r.Passed()
	return json.Marshal(writtenReport{&valid, &passed, &targets, r.known().left + left, &results, r.known().omitted + omitted})
}

var errNilPointer = errors.New("cannot read into a nil pointer")

// UnmarshalJSON reads a report from its JSON. The report has the same verdict as the one that
// was written. It is also Equal to it, unless something was left out or was not valid UTF-8.
//
// Anything that could be mistaken for a verdict is an error: null, a report without "valid" or
// without "results", a result with an unknown outcome, a verdict or target that the results
// contradict, "passed" that the targets contradict, a key that appears twice in one object, and a
// known key in another letter case. Other keys may be missing, and unknown keys are ignored: without
// "targets", they are those of NewReport. After an error, the report is unchanged. The error is one of
// encoding/json, or has no type of its own.
func (r *Report) UnmarshalJSON(text []byte) error {
	if r == nil {
		return errNilPointer
	}
	var read writtenReport
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if err := jsontext.CheckKeys(text, reflect.TypeFor[writtenReport]()); err != nil {
		return err
	}
	switch {
	case read.Valid == nil:
		return errors.New(`this is not a report: it has no "valid"`)
	case read.Results == nil:
		return errors.New(`this is not a report: it has no "results"`)
	case read.OmittedTargets < 0:
		return fmt.Errorf(`"omittedTargets" is %d, but cannot be less than 0`, read.OmittedTargets)
	case read.Omitted < 0:
		return fmt.Errorf(`"omitted" is %d, but cannot be less than 0`, read.Omitted)
	}
	if !*read.Valid && len(*read.Results) == 0 && read.Omitted == 0 {
		*r = Report{}
		return nil
	}
	made := NewReport(*read.Results)
	if err := checkVerdict(*read.Valid, *read.Results); err != nil {
		return err
	}
	if read.Targets != nil {
		if err := made.addTargets(&read); err != nil {
			return err
		}
	}
	made.more.omitted, made.more.left = read.Omitted, read.OmittedTargets
	if passed := made.Passed(); read.Passed != nil && *read.Passed != passed {
		return fmt.Errorf(`"passed" is %t, but the targets say %t`, *read.Passed, passed)
	}
	*r = *made
	return nil
}

// addTargets gives a report that was made of results the targets that were read with them.
func (r *Report) addTargets(read *writtenReport) error {
	isWhole := read.Omitted == 0 && !slices.ContainsFunc(*read.Results, func(r Result) bool { return r.Omitted > 0 })
	derived, parts := r.Targets(), r.more.parts
	r.more.parts = nil
	next := 0
	for i, t := range *read.Targets {
		p, of := part{target: t.Name}, (*Target)(nil)
		if at := slices.IndexFunc(parts[next:], func(p part) bool { return p.target == t.Name }); at >= 0 {
			r.more.parts = append(r.more.parts, parts[next:next+at]...)
			next += at + 1
			p, of = parts[next-1], &derived[next-1]
		}
		if wrong := t.contradicted(of, isWhole); wrong != "" {
			return fmt.Errorf("targets[%d] %s", i, wrong)
		}
		p.about, p.fails = &t, !t.Valid
		r.more.parts = append(r.more.parts, p)
	}
	r.more.parts = append(r.more.parts, parts[next:]...)
	switch {
	case len(r.more.parts) == 0:
		return errors.New(`"targets" is empty`)
	case len(r.more.parts) > len(*read.Targets) && read.OmittedTargets == 0:
		return errors.New("there are results of other targets than those in \"targets\", or in another order")
	}
	return nil
}

// contradicted returns what the results, which say derived, contradict in a target; nil if there are none.
func (t *Target) contradicted(derived *Target, isWhole bool) string {
	switch {
	case t.Coverage == "":
		return "has no coverage"
	case t.Valid && derived != nil && !derived.Valid:
		return "is valid, but has a result that fails it"
	case !isWhole:
	case derived == nil && !t.Valid, derived != nil && t.Valid != derived.Valid:
		return "is not valid, but no result fails it"
	case derived == nil && slices.Contains(coveragesOfResults, t.Coverage):
		return fmt.Sprintf("is %s, but has no result", t.Coverage)
	case derived != nil && t.Coverage != derived.Coverage && slices.Contains(coverages, t.Coverage):
		return fmt.Sprintf("is %s, but its results say %s", t.Coverage, derived.Coverage)
	}
	return ""
}

// A writtenReport is a report in JSON. A nil member is missing.
type writtenReport struct {
	Valid          *bool     `json:"valid"`
	Passed         *bool     `json:"passed"`
	Targets        *[]Target `json:"targets"`
	OmittedTargets int       `json:"omittedTargets,omitempty"`
	Results        *[]Result `json:"results"`
	Omitted        int       `json:"omitted,omitempty"`
}

// checkVerdict returns an error if the results contradict the verdict.
func checkVerdict(valid bool, results []Result) error {
	for i := range results {
		if !slices.Contains(worstFirst, results[i].Outcome) {
			return fmt.Errorf("results[%d] has the outcome %q: it must be one of %q", i, results[i].Outcome, worstFirst)
		}
	}
	failing := slices.IndexFunc(results, Result.fails)
	switch {
	case valid && failing >= 0:
		return fmt.Errorf(`"valid" is true, but results[%d] is %s, which fails the object`, failing, results[failing].Outcome)
	case !valid && failing < 0:
		return errors.New(`"valid" is false, but no result fails the object`)
	}
	return nil
}

// UnmarshalJSON reads a violation from its JSON, exactly as it was written: numbers keep
// their digits, and a list of strings is a []string. An error is one of encoding/json, and the violation
// is then unchanged.
func (v *Violation) UnmarshalJSON(text []byte) error {
	if v == nil {
		return errNilPointer
	}
	type members Violation
	read := members(*v)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		return err
	}
	if list, ok := read.Limit.([]any); ok {
		read.Limit = value.Strings(list)
	}
	*v = Violation(read)
	return nil
}

// Causes returns the violations that fail the object as causes of an admission response: at most
// 100, of at most 16 MiB together. The last then says how many more there are.
func (r *Report) Causes() []Cause { return causesOf(r.Violations(), Violation.cause) }

// maxWarning is how many bytes of a warning an API server passes on.
const maxWarning = 256

// AdmissionWarnings returns the warnings for an admission response, and one for each rule that
// is Ignored and each Target whose template nobody found: lines of at most 256 bytes, without
// repetitions. If they exceed 16 MiB, the last line says how many are left out.
func (r *Report) AdmissionWarnings() []string {
	lines := []string{}
	seen := map[string]bool{}
	out := jsontext.Room{Left: maxOutput}
	warnings := r.Warnings()
	for _, ignored := range r.Results(OutcomeIgnored) {
		warnings = append(warnings, Violation{Reason: ReasonInternal, Message: ignored.Message, Detail: ignored.Note})
	}
	for _, t := range r.Targets() {
		if t.Coverage == CoverageNoTemplate {
			warnings = append(warnings, Violation{Field: t.Name, Reason: ReasonInternal, Detail: t.Note})
		}
	}
	for i, v := range warnings {
		line := v.Error()
		if !out.Takes(len(line)) {
			return append(lines, omittedCause(len(warnings)-i).Message)
		}
		line = value.ClippedBytes(line, maxWarning)
		if !seen[line] {
			lines = append(lines, line)
		}
		seen[line] = true
	}
	return lines
}

// String returns the report as text for people: a summary in one line, then each result, with the
// worst first, and each target of several that has none. If they exceed 16 MiB, the last line says how
// many are left out.
func (r *Report) String() string {
	results, targets := r.all(), r.Targets()
	var s strings.Builder
	s.WriteString(r.summary(results, targets))
	if len(targets) == 1 {
		targets = nil // the summary says it
	}
	targets = slices.DeleteFunc(targets, func(t Target) bool { return !slices.Contains(coveragesWithoutResults, t.Coverage) })
	out, left := jsontext.Room{Left: maxOutput}, len(results)+len(targets)
	for line := range lines(results, targets) {
		if !out.Takes(len(line)) {
			s.WriteString("\n" + omittedCause(left).Message)
			return s.String()
		}
		s.WriteString("\n" + line)
		left--
	}
	if r.known().omitted > 0 {
		s.WriteString("\n" + omittedCause(r.known().omitted).Message)
	}
	return s.String()
}

// lines yields results with the worst first, and then targets.
func lines(results []Result, targets []Target) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, outcome := range worstFirst {
			for i := range results {
				if results[i].Outcome == outcome && !yield(results[i].String()) {
					return
				}
			}
		}
		for _, t := range targets {
			if !yield(fmt.Sprintf("%-9s  %s: %s", t.Coverage, t.Name, value.OneLine(t.Note))) {
				return
			}
		}
	}
}

var worstFirst = []Outcome{OutcomeViolated, OutcomeUndecided, OutcomeWarned, OutcomeIgnored, OutcomeSkipped, OutcomeSatisfied}

func (r *Report) summary(results []Result, targets []Target) string {
	if r.isZero() {
		return "invalid: nothing has been validated"
	}
	verdict := "valid"
	if !r.Valid() {
		verdict = "invalid"
	}
	numbers := map[Outcome]int{}
	for i := range results {
		numbers[results[i].Outcome]++
	}
	var counts []string
	for _, outcome := range worstFirst {
		if n := numbers[outcome]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, strings.ToLower(string(outcome))))
		}
	}
	switch {
	case counts == nil && len(targets) == 1:
		return verdict + ": " + targets[0].Note
	case counts == nil:
		return verdict + ": nothing was validated"
	}
	return verdict + ": " + strings.Join(counts, ", ")
}

// MarshalJSON writes the violations. If they exceed 16 MiB, it writes as many as fit, and how
// many are left out. It is an error of encoding/json if a Value or Limit that the caller set has no JSON
// form.
func (e *InvalidError) MarshalJSON() ([]byte, error) {
	kept, omitted := jsontext.Fit(&jsontext.Room{Left: maxOutput}, e.all(), -1, jsontext.Size)
	return json.Marshal(struct {
		Violations []Violation `json:"violations"`
		Omitted    int         `json:"omitted,omitempty"`
	}{kept, omitted})
}

// MarshalJSON writes the problems. If they exceed 16 MiB, it writes as many as fit, and how
// many are left out. The error is always nil.
func (e *ParseError) MarshalJSON() ([]byte, error) {
	kept, omitted := jsontext.Fit(&jsontext.Room{Left: maxOutput}, e.all(), -1, jsontext.Size)
	return json.Marshal(struct {
		Problems []Problem `json:"problems"`
		Omitted  int       `json:"omitted,omitempty"`
	}{kept, omitted})
}

// The text of a report repeats a rule's message, and the values that an argument allows, for
// each violation. It can therefore be far longer than the rules and the object. What does
// not fit is left out and counted.

// maxOutput limits the bytes of one report or error: as JSON, as text, or as a list of causes or warnings.
const maxOutput = 16 << 20

// cut returns the results of a report that fit, and how many are left out. The results are
// measured first, without their violations, except that an Undecided result keeps its only
// one. The room that is left is for violations, with those of the first results first. The
// first result that fails the object is always kept, so that the verdict does not change.
func cut(results []Result, room int) (kept []Result, omitted int) {
	out := jsontext.Room{Left: room}
	kept, omitted = jsontext.Fit(&out, results, slices.IndexFunc(results, Result.fails), (*Result).sizeAlone)
	for i := range kept {
		if r := &kept[i]; r.Outcome != OutcomeUndecided {
			violations, left := jsontext.Fit(&out, r.Violations, -1, jsontext.Size)
			r.Violations, r.Omitted = violations, r.Omitted+left
		}
	}
	return kept, omitted
}

// cutTargets returns the targets that fit into half of the room, how many are left out, and the room that is
// left. Problems that do not fit are left out first. The first target that keeps the report from having
// passed is always kept, so that this does not change.
func cutTargets(targets []Target, room int) (kept []Target, omitted, left int) {
	out := jsontext.Room{Left: room / 2}
	decisive := slices.IndexFunc(targets, func(t Target) bool { return !t.passed() })
	kept, omitted = jsontext.Fit(&out, targets, decisive, (*Target).sizeAlone)
	for i := range kept {
		kept[i].Problems, _ = jsontext.Fit(&out, kept[i].Problems, -1, jsontext.Size)
	}
	return kept, omitted, room/2 + out.Left
}

// sizeAlone returns how many bytes of JSON a target takes, at most, without its problems.
func (t *Target) sizeAlone() int {
	alone := *t
	alone.Problems = nil
	return listFrame + jsontext.Size(&alone)
}

// listFrame is more bytes than JSON writes around a list, with how many are left out of it.
const listFrame = 50

// sizeAlone returns how many bytes of JSON a result takes, at most, without its violations.
// An Undecided result counts with its only one.
func (r *Result) sizeAlone() int {
	alone := *r
	if r.Outcome != OutcomeUndecided {
		alone.Violations = nil
	}
	return listFrame + jsontext.Size(&alone)
}

// maxCauses is how many causes a list has at most. They are for the response to one write.
const maxCauses = 100

// causesOf returns the causes of a list, as many as fit.
func causesOf[E any](list []E, cause func(E) Cause) []Cause {
	causes := make([]Cause, 0, min(len(list), maxCauses))
	out := jsontext.Room{Left: maxOutput}
	for i, e := range list {
		c := cause(e)
		if len(list) > maxCauses && i == maxCauses-1 || !out.Takes(jsontext.Size(&c)) {
			return append(causes, omittedCause(len(list)-i))
		}
		causes = append(causes, c)
	}
	return causes
}

func omittedCause(n int) Cause {
	return Cause{Reason: ReasonInternal, Message: fmt.Sprintf("%d more are left out because there are too many", n)}
}
