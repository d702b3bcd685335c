package vmrules

import (
	"fmt"

	"github.com/vmrules/vmrules/internal/jsontext"
)

// The text of a report repeats a rule's message, and the values that an argument allows, for
// each violation. It can therefore be far longer than the rules and the object. What does
// not fit is left out and counted.

// maxOutput limits the bytes that are written for one report or error: as JSON, as text, or
// as a list of causes or warnings.
const maxOutput = 16 << 20

// An output is the room that is left for writing. Once something does not fit, no room is
// left, so that later items are not measured.
type output struct{ left int }

// takes reports whether there is room for that many bytes, and uses it.
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

// cut returns the results of a report that fit, and how many are left out. The results are
// measured first, without their violations, except that an Undecided result keeps its only
// one. The room that is left is for violations, with those of the first results first. The
// first result that fails the object is always kept, so that the verdict does not change.
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
	out := output{maxOutput}
	for i := range list {
		if !out.takes(size(&list[i])) {
			return i
		}
	}
	return len(list)
}

// omittedCause returns the cause that says how many are left out.
func omittedCause(n int) Cause {
	return Cause{Reason: ReasonInternal, Message: fmt.Sprintf("%d more are left out because there are too many", n)}
}
