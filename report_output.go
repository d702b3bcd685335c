package vmrules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/value"
)

// MarshalJSON writes the report with its verdict, so that a program in another language need
// not know which outcomes fail an object. It writes about 16 MiB at most. If there is more,
// it leaves out violations first and then results, and counts them in "omitted". The verdict
// and the outcomes of results do not change.
func (r Report) MarshalJSON() ([]byte, error) {
	results, omitted := cut(r.all(), maxOutput)
	return json.Marshal(struct {
		Valid   bool     `json:"valid"`
		Results []Result `json:"results"`
		Omitted int      `json:"omitted,omitempty"`
	}{r.Valid(), results, r.Omitted() + omitted})
}

var errNilPointer = errors.New("cannot read into a nil pointer")

// UnmarshalJSON reads a report from its JSON. The report has the same verdict as the one that
// was written. It is also Equal to it, unless something was left out or was not valid UTF-8.
//
// Anything that could be mistaken for a verdict is an error: null, a report without "valid" or
// without "results", a result with an unknown outcome, a verdict that the results contradict, a
// key that appears twice in one object, and a known key in another letter case. Other keys may
// be missing, and unknown keys are ignored. After an error, the report is unchanged.
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
	case read.Omitted < 0:
		return fmt.Errorf(`"omitted" is %d, but cannot be less than 0`, read.Omitted)
	}
	if !*read.Valid && len(*read.Results) == 0 && read.Omitted == 0 {
		*r = Report{}
		return nil
	}
	made := NewReport(*read.Results)
	made.more.omitted = read.Omitted
	if err := checkVerdict(*read.Valid, *read.Results); err != nil {
		return err
	}
	*r = *made
	return nil
}

// A writtenReport is a report in JSON.
type writtenReport struct {
	Valid   *bool     `json:"valid"`
	Results *[]Result `json:"results"`
	Omitted int       `json:"omitted"`
}

// checkVerdict returns an error if the results contradict the verdict.
func checkVerdict(valid bool, results []Result) error {
	for i := range results {
		if !slices.Contains(worstFirst, results[i].Outcome) {
			return fmt.Errorf("results[%d] has the outcome %q: it must be one of %q", i, results[i].Outcome, worstFirst)
		}
	}
	failing := firstFailing(results)
	switch {
	case valid && failing >= 0:
		return fmt.Errorf(`"valid" is true, but results[%d] is %s, which fails the object`, failing, results[failing].Outcome)
	case !valid && failing < 0:
		return errors.New(`"valid" is false, but no result fails the object`)
	}
	return nil
}

// UnmarshalJSON reads a violation from its JSON, exactly as it was written: numbers keep
// their digits, and a list of strings is a []string.
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

// MarshalJSON writes the violations. If they exceed 16 MiB, it writes as many as fit, and how
// many are left out.
func (e *InvalidError) MarshalJSON() ([]byte, error) {
	all := e.all()
	n := fitting(all, (*Violation).encodedSize)
	return json.Marshal(struct {
		Violations []Violation `json:"violations"`
		Omitted    int         `json:"omitted,omitempty"`
	}{all[:n], len(all) - n})
}

// MarshalJSON writes the problems. If they exceed 16 MiB, it writes as many as fit, and how
// many are left out.
func (e *ParseError) MarshalJSON() ([]byte, error) {
	all := e.all()
	n := fitting(all, (*Problem).encodedSize)
	return json.Marshal(struct {
		Problems []Problem `json:"problems"`
		Omitted  int       `json:"omitted,omitempty"`
	}{all[:n], len(all) - n})
}

// The text of a report repeats a rule's message, and the values that an argument allows, for
// each violation. It can therefore be far longer than the rules and the object. What does
// not fit is left out and counted.

// maxOutput limits the bytes that are written for one report or error: as JSON, as text, or
// as a list of causes or warnings.
const maxOutput = 16 << 20

// cut returns the results of a report that fit, and how many are left out. The results are
// measured first, without their violations, except that an Undecided result keeps its only
// one. The room that is left is for violations, with those of the first results first. The
// first result that fails the object is always kept, so that the verdict does not change.
func cut(results []Result, room int) (kept []Result, omitted int) {
	if fits(results, room) {
		return results, 0
	}
	out := jsontext.Room{Left: room}
	failing := firstFailing(results)
	if failing >= 0 {
		out.Takes(min(results[failing].outlineSize(), room))
	}
	kept = []Result{}
	for i, result := range results {
		if i != failing && (out.IsFull() || !out.Takes(result.outlineSize())) {
			omitted++
			continue
		}
		kept = append(kept, result)
	}
	for i := range kept {
		kept[i].cut(&out)
	}
	return kept, omitted
}

// firstFailing returns the index of the first result that fails the object; -1 if there is
// none.
func firstFailing(results []Result) int {
	for i := range results {
		if results[i].fails() {
			return i
		}
	}
	return -1
}

// cut leaves out the violations that do not fit.
func (r *Result) cut(out *jsontext.Room) {
	if r.Outcome == Undecided {
		return
	}
	for i := range r.Violations {
		if out.IsFull() || !out.Takes(r.Violations[i].encodedSize()) {
			r.Omitted += len(r.Violations) - i
			r.Violations = r.Violations[:i:i]
			return
		}
	}
}

// fits reports whether all results fit.
func fits(results []Result, room int) bool {
	out := jsontext.Room{Left: room}
	for i := range results {
		result := &results[i]
		if !out.Takes(result.outlineSize()) {
			return false
		}
		for i := range result.Violations {
			if !out.Takes(result.Violations[i].encodedSize()) {
				return false
			}
		}
	}
	return true
}

// jsonFrame is more bytes than JSON writes around the texts of a result, a violation or a
// problem.
const jsonFrame = 300

// outlineSize returns how many bytes of JSON a result takes, at most, without its violations.
// An Undecided result counts with its only one.
func (r *Result) outlineSize() int {
	size := jsonFrame + jsontext.TextsSize(r.Rule, string(r.Kind), r.Path.String(), r.Message, r.Target, r.Note)
	if r.Outcome == Undecided && len(r.Violations) > 0 {
		size += r.Violations[0].encodedSize()
	}
	return size
}

// encodedSize returns how many bytes of JSON the violation takes, at most.
func (v *Violation) encodedSize() int {
	return jsonFrame + jsontext.TextsSize(v.Rule, v.Message, v.Field, v.Pointer, v.Argument, v.Detail) + jsontext.ValueSize(v.Value) + jsontext.ValueSize(v.Limit)
}

func (p *Problem) encodedSize() int {
	return jsonFrame + jsontext.TextsSize(p.Rule, p.Key, p.Message, p.Source)
}

// fitting returns how many of the first items of a list fit.
func fitting[E any](list []E, size func(*E) int) int {
	out := jsontext.Room{Left: maxOutput}
	for i := range list {
		if !out.Takes(size(&list[i])) {
			return i
		}
	}
	return len(list)
}

// causesOf returns the causes of a list, as many as fit.
func causesOf[E any](list []E, cause func(E) Cause) []Cause {
	causes := make([]Cause, 0, len(list))
	out := jsontext.Room{Left: maxOutput}
	for i, e := range list {
		c := cause(e)
		if !out.Takes(jsontext.TextsSize(c.Message, c.Field)) {
			return append(causes, omittedCause(len(list)-i))
		}
		causes = append(causes, c)
	}
	return causes
}

// omittedCause returns the cause that says how many are left out.
func omittedCause(n int) Cause {
	return Cause{Reason: ReasonInternal, Message: fmt.Sprintf("%d more are left out because there are too many", n)}
}
