package vmrules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/value"
)

// An Outcome is what became of a rule for one target.
type Outcome string

const (
	// Satisfied: every value that the rule judges satisfies it.
	Satisfied Outcome = "Satisfied"
	// Violated: some value does not, or none is there.
	Violated Outcome = "Violated"
	// Warned: violated, and the rule says justWarning.
	Warned Outcome = "Warned"
	// Skipped: what "valid" names is not there; or, under Partial, what the
	// rule needs is not filled in yet.
	Skipped Outcome = "Skipped"
	// Ignored: the rule's kind is not known, or it enforces nothing.
	Ignored Outcome = "Ignored"
	// Undecided: the rule could not be judged. It does not count as satisfied.
	Undecided Outcome = "Undecided"
)

// A Report is what Validate found: one Result for each target and rule, the
// rules of the first target first.
type Report struct {
	Results []Result `json:"results"`
	// Omitted counts the results that are left out of a report that was read from
	// JSON, since there was no room for them.
	Omitted int `json:"omitted,omitempty"`
}

// MarshalJSON writes the report with its verdict, so that a program in another
// language need not know which outcomes fail an object. It writes about 16 MiB at
// most: of what would be more, violations and then results are left out, and
// counted in "omitted". Neither the verdict nor the outcome of a result changes.
func (r Report) MarshalJSON() ([]byte, error) {
	cut := r.cut(maxOutput)
	return json.Marshal(struct {
		Valid   bool     `json:"valid"`
		Results []Result `json:"results"`
		Omitted int      `json:"omitted,omitempty"`
	}{r.Valid(), append([]Result{}, cut.Results...), cut.Omitted})
}

// A Result is what became of one rule for one target.
type Result struct {
	Index   int     `json:"index"` // of the rule, from 0; -1 for none, where the Budget does not suffice for the target
	Rule    string  `json:"rule"`
	Kind    Kind    `json:"kind"`
	Path    Path    `json:"path"`
	Message string  `json:"message"`
	Target  string  `json:"target,omitempty"` // "", or where the VM is: "objects[0]", "items[3]"
	Outcome Outcome `json:"outcome"`
	// Note says why a rule was skipped or ignored, and what of a violated one
	// could not be judged.
	Note       string      `json:"note,omitempty"`
	Violations []Violation `json:"violations,omitempty"`
	// Omitted counts the violations that are left out of a result that was read
	// from JSON, since there was no room for them.
	Omitted int `json:"omitted,omitempty"`
}

// A Violation is one value that breaks one constraint of a rule; or the
// absence of a value; or, with ReasonInternal, why a rule is undecided.
type Violation struct {
	Rule    string `json:"rule"`
	Message string `json:"message"` // the rule's own, or that of its kind in its place
	// Field is where the value is, from the object's own root, in the dialect
	// of paths: ParsePath("jsonpath::" + Field) selects it, unless it is a
	// default, which the object does not hold. Where no value is there, it is
	// the path as the rule writes it. It is "" for ReasonInternal.
	Field string `json:"field,omitempty"`
	// Pointer is Field as a JSON Pointer (RFC 6901). Where no value is there
	// and the path has other steps than names and indexes, it ends before them.
	Pointer string `json:"pointer,omitempty"`
	// Value is a string, a bool or a json.Number in plain decimal notation,
	// however the object held it; nil for an array, an object or nothing.
	Value  any    `json:"value,omitempty"`
	Reason Reason `json:"reason"`
	// Argument is the key of the constraint, "" where the kind itself failed
	// or nothing is there.
	Argument string `json:"argument,omitempty"`
	// Limit is the argument's value, also where it came from a JSONPath: a
	// string or json.Number; []string for values, the first 100 of them.
	Limit any `json:"limit,omitempty"`
	// Detail says what is wrong in words, such as "12 is more than max 8".
	Detail string `json:"detail"`
	// Defaulted tells that the value is a default that the object does not hold.
	Defaulted bool `json:"defaulted,omitempty"`
	// Warning tells that the rule says justWarning.
	Warning bool `json:"warning,omitempty"`
}

// size is what keeping the violation costs. The rule's name and message, and a
// value that is a string, are shared.
func (v *Violation) size() int {
	return len(v.Field) + len(v.Pointer) + len(v.Detail) + violationSize
}

// UnmarshalJSON reads a violation from its JSON, so that a report that is read
// from its JSON is the same: numbers keep their digits, and a list of strings is
// a []string.
func (v *Violation) UnmarshalJSON(text []byte) error {
	type members Violation
	read := members(*v)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		return err
	}
	if list, ok := read.Limit.([]any); ok {
		read.Limit = asStrings(list)
	}
	*v = Violation(read)
	return nil
}

// asStrings returns a list of strings as []string, and any other as it is.
func asStrings(list []any) any {
	all := make([]string, 0, len(list))
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return list
		}
		all = append(all, s)
	}
	return all
}

// Error is the violation in one line:
//
//	spec.template.spec.domain.cpu.cores: Invalid value: 12: cpu cores must be limited (12 is more than max 8)
func (v Violation) Error() string {
	var parts []string
	if v.Field != "" {
		parts = append(parts, value.OneLine(v.Field))
	}
	parts = append(parts, v.Reason.words())
	if v.Value != nil {
		parts = append(parts, value.Describe(v.Value))
	}
	return strings.Join(append(parts, v.sentence()), ": ")
}

// said is what is wrong, below the rule's message: with a message of its own, if
// the violation has another.
func (v Violation) said(message string) string {
	if v.Message == message {
		return value.OneLine(v.Detail)
	}
	return v.sentence()
}

// Valid tells whether nothing is violated or undecided, apart from rules that
// say justWarning.
func (r *Report) Valid() bool {
	return r.firstFailing() < 0
}

// sentence is the message, and what is wrong in brackets, in one line.
func (v Violation) sentence() string {
	return fmt.Sprintf("%s (%s)", value.OneLine(v.Message), value.OneLine(v.Detail))
}

// fails reports whether the result fails the object.
func (r *Result) fails() bool {
	return r.Outcome == Violated || slices.ContainsFunc(r.Violations, Violation.fails)
}

// fails tells whether the violation fails the object.
func (v Violation) fails() bool { return !v.Warning }

// Err returns nil for a valid object, or else an *InvalidError that lists all
// violations that fail it.
func (r *Report) Err() error {
	if violations := r.Violations(); len(violations) > 0 {
		return &InvalidError{Violations: violations}
	}
	return nil
}

// Violations lists those that fail the object.
func (r *Report) Violations() []Violation { return r.filter(Violation.fails) }

// Warnings lists those of rules that say justWarning.
func (r *Report) Warnings() []Violation {
	return r.filter(func(v Violation) bool { return v.Warning })
}

// Missing lists those of Violations whose value is not there.
func (r *Report) Missing() []Violation {
	return r.filter(func(v Violation) bool { return v.fails() && v.Reason == ReasonRequired })
}

func (r *Report) filter(keep func(Violation) bool) []Violation {
	kept := []Violation{}
	for _, result := range r.Results {
		for _, v := range result.Violations {
			if keep(v) {
				kept = append(kept, v)
			}
		}
	}
	return kept
}

// Ignored lists the results of rules that were not understood or enforce
// nothing.
func (r *Report) Ignored() []Result { return r.with(Ignored) }

// Undecided lists the results of rules that could not be judged, those that
// say justWarning among them.
func (r *Report) Undecided() []Result { return r.with(Undecided) }

func (r *Report) with(outcome Outcome) []Result {
	results := []Result{}
	for _, result := range r.Results {
		if result.Outcome == outcome {
			results = append(results, result)
		}
	}
	return results
}

// Causes returns the violations that fail the object as causes of an admission
// response. Of more than 16 MiB, the last cause says how many are left out.
func (r *Report) Causes() []Cause {
	violations := r.Violations()
	causes := make([]Cause, 0, len(violations))
	out := output{maxOutput}
	for i, v := range violations {
		message := v.sentence()
		if !out.takes(textsSize(message, v.Field)) {
			return append(causes, omittedCause(len(violations)-i))
		}
		causes = append(causes, Cause{Reason: v.Reason, Message: message, Field: v.Field})
	}
	return causes
}

// maxWarning is how many bytes of a warning an API server passes on.
const maxWarning = 256

// AdmissionWarnings returns the warnings as an admission response carries
// them: one line each, of at most 256 bytes, none twice. Of very many, the last
// line says how many are left out.
func (r *Report) AdmissionWarnings() []string {
	lines := []string{}
	seen := map[string]bool{}
	out := output{maxOutput}
	warnings := r.Warnings()
	for i, v := range warnings {
		line := v.Error()
		if !out.takes(len(line)) {
			return append(lines, omittedCause(len(warnings)-i).Message)
		}
		if len(line) > maxWarning {
			end := maxWarning - len("…")
			for !utf8.RuneStart(line[end]) {
				end--
			}
			line = line[:end] + "…"
		}
		if !seen[line] {
			lines = append(lines, line)
		}
		seen[line] = true
	}
	return lines
}

// String shows the report to people: a line that sums up, then each result,
// the worst first. Of more than 16 MiB, the last line says how many are left out.
func (r *Report) String() string {
	var s strings.Builder
	s.WriteString(r.summary())
	out, written := output{maxOutput}, 0
	for _, outcome := range worstFirst {
		for i := range r.Results {
			if r.Results[i].Outcome != outcome {
				continue
			}
			line := r.Results[i].String()
			if !out.takes(len(line)) {
				s.WriteString("\n" + omittedCause(len(r.Results)-written).Message)
				return s.String()
			}
			s.WriteString("\n" + line)
			written++
		}
	}
	if r.Omitted > 0 {
		s.WriteString("\n" + omittedCause(r.Omitted).Message)
	}
	return s.String()
}

var worstFirst = []Outcome{Violated, Undecided, Warned, Ignored, Skipped, Satisfied}

func (r *Report) summary() string {
	verdict := "valid"
	if !r.Valid() {
		verdict = "not valid"
	}
	numbers := map[Outcome]int{}
	for i := range r.Results {
		numbers[r.Results[i].Outcome]++
	}
	var counts []string
	for _, outcome := range worstFirst {
		if n := numbers[outcome]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, strings.ToLower(string(outcome))))
		}
	}
	if counts == nil {
		return verdict + ": no rules"
	}
	return verdict + ": " + strings.Join(counts, ", ")
}

// String shows the result to people: the outcome, the rule and its target, and
// below them each violation, a hundred at most.
func (r Result) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%-9s  %s", r.Outcome, value.OneLine(r.Rule))
	if r.Target != "" {
		s.WriteString(" in " + r.Target)
	}
	switch {
	case slices.Contains([]Outcome{Violated, Warned, Undecided}, r.Outcome):
		s.WriteString(": " + value.OneLine(r.Message))
	case r.Note != "":
		s.WriteString(": " + value.OneLine(r.Note))
	}
	indent := "\n" + strings.Repeat(" ", 11)
	for i, v := range r.Violations {
		if i == maxListed {
			fmt.Fprintf(&s, "%sand %d more", indent, len(r.Violations)-maxListed)
			break
		}
		s.WriteString(indent)
		if v.Field != "" {
			s.WriteString(value.OneLine(v.Field) + ": ")
		}
		s.WriteString(v.said(r.Message))
	}
	if r.Omitted > 0 {
		s.WriteString(indent + omittedCause(r.Omitted).Message)
	}
	if len(r.Violations) > 0 && r.Note != "" {
		s.WriteString(indent + value.OneLine(r.Note))
	}
	return s.String()
}
