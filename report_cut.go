package vmrules

import (
	"encoding/json"
	"fmt"

	"github.com/vmrules/vmrules/internal/jsontext"
)

// A rule's message, and the values that an argument allows, are written again for
// each violation, so what is made of a report can be far longer than all that it
// was made from. What does not fit is left out, with a count of what that is.

// maxOutput is how many bytes are written of one report or error: as JSON, as
// text, or as a list of causes or warnings.
const maxOutput = 16 << 20

// An output is how much room is left in what is written; none where something did
// not fit, so that nobody has to measure what follows.
type output struct{ left int }

// takes reports whether there is room for so many bytes, and takes it.
func (o *output) takes(bytes int) bool {
	if bytes > o.left {
		o.left = 0
		return false
	}
	o.left -= bytes
	return true
}

// isFull reports whether nothing more fits.
func (o *output) isFull() bool { return o.left == 0 }

// cut returns what fits of the results of a report, and how many are left out. A
// result comes first without the violations, and Undecided with the one that it
// has; as many violations as fit follow, those of the first results first. The
// result that fails an object is there always, so that what is left out does not
// change the verdict.
func cut(results []Result, room int) (kept []Result, omitted int) {
	if fits(results, room) {
		return results, 0
	}
	out := output{room}
	failing := firstFailing(results)
	if failing >= 0 {
		out.takes(min(results[failing].outlineSize(), room))
	}
	kept = []Result{}
	for i, result := range results {
		if i != failing && (out.isFull() || !out.takes(result.outlineSize())) {
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

// firstFailing returns the index of the first result that fails the object; -1 for
// none.
func firstFailing(results []Result) int {
	for i := range results {
		if results[i].fails() {
			return i
		}
	}
	return -1
}

// cut leaves violations out that do not fit.
func (r *Result) cut(out *output) {
	if r.Outcome == Undecided {
		return
	}
	for i := range r.Violations {
		if out.isFull() || !out.takes(r.Violations[i].encodedSize()) {
			r.Omitted += len(r.Violations) - i
			r.Violations = r.Violations[:i:i]
			return
		}
	}
}

// fits reports whether all results fit.
func fits(results []Result, room int) bool {
	out := output{room}
	for i := range results {
		result := &results[i]
		if !out.takes(result.outlineSize()) {
			return false
		}
		for i := range result.Violations {
			if !out.takes(result.Violations[i].encodedSize()) {
				return false
			}
		}
	}
	return true
}

// jsonFrame is more than what JSON writes around the texts of a result, of a
// violation or of a problem.
const jsonFrame = 300

// outlineSize is how many bytes of JSON a result takes without its violations, or
// with that of an Undecided one.
func (r *Result) outlineSize() int {
	size := jsonFrame + jsontext.TextsSize(r.Rule, string(r.Kind), r.Path.String(), r.Message, r.Target, r.Note)
	if r.Outcome == Undecided && len(r.Violations) > 0 {
		size += r.Violations[0].encodedSize()
	}
	return size
}

// encodedSize is how many bytes of JSON the violation takes, at most.
func (v *Violation) encodedSize() int {
	return jsonFrame + jsontext.TextsSize(v.Rule, v.Message, v.Field, v.Pointer, v.Argument, v.Detail) + jsontext.ValueSize(v.Value) + jsontext.ValueSize(v.Limit)
}

func (p *Problem) encodedSize() int {
	return jsonFrame + jsontext.TextsSize(p.Rule, p.Key, p.Message, p.Source)
}

// fitting is how many of the first items of a list fit.
func fitting[E any](list []E, size func(*E) int) int {
	out := output{maxOutput}
	for i := range list {
		if !out.takes(size(&list[i])) {
			return i
		}
	}
	return len(list)
}

// MarshalJSON writes the violations, and where they are too many for 16 MiB, as
// many as fit, and how many are left out.
func (e *InvalidError) MarshalJSON() ([]byte, error) {
	n := fitting(e.Violations, (*Violation).encodedSize)
	return json.Marshal(struct {
		Violations []Violation `json:"violations"`
		Omitted    int         `json:"omitted,omitempty"`
	}{e.Violations[:n], len(e.Violations) - n})
}

// MarshalJSON writes the problems, and where they are too many for 16 MiB, as
// many as fit, and how many are left out.
func (e *ParseError) MarshalJSON() ([]byte, error) {
	n := fitting(e.Problems, (*Problem).encodedSize)
	return json.Marshal(struct {
		Problems []Problem `json:"problems"`
		Omitted  int       `json:"omitted,omitempty"`
	}{e.Problems[:n], len(e.Problems) - n})
}

// omittedCause is the cause that stands for so many that are left out.
func omittedCause(n int) Cause {
	return Cause{Reason: ReasonInternal, Message: fmt.Sprintf("%d more are left out, since there are too many", n)}
}
