package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
)

func parseRules(annotation string, o parseOptions) (Rules, []Problem) {
	rules, _, problems := readRules(annotation, o)
	return o.usable(rules, problems), problems
}

// usable returns the rules that were read if they have no problems. With LeaveOutUnusable, it returns
// them also if some have: these cannot be decided. If the problems are not about them, one stands for all.
func (o *parseOptions) usable(rules []rule, problems []Problem) Rules {
	if len(problems) == 0 {
		return newRules(rules, o.isWhole)
	}
	if !o.leaves {
		return Rules{}
	}
	wrong := make([][]Problem, len(rules))
	for _, p := range problems {
		if p.Index < 0 || p.Index >= len(rules) {
			return newRules([]rule{leftOut(&Rule{}, unusable("the validation rules", problems))}, o.isWhole)
		}
		wrong[p.Index] = append(wrong[p.Index], p)
	}
	for i, problems := range wrong {
		if problems != nil {
			rules[i] = leftOut(&rules[i].Rule, unusable("the rule", problems))
		}
	}
	return newRules(rules, o.isWhole)
}

// leftOut returns a rule that cannot be used. It may be about anything if its path cannot be read.
func leftOut(r *Rule, why error) rule {
	path := r.Path
	if path.IsZero() {
		path = MustParsePath(jsonpath.Prefix + "$")
	}
	return rule{Rule: Rule{Kind: r.Kind, Name: r.Name, Path: path, Message: r.Message}, unusable: why}
}

// unusable returns the doubt about what cannot be used because of problems.
func unusable(what string, problems []Problem) error {
	text := what + " cannot be used: " + problems[0].Error()
	if more := len(problems) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return doubtful(DoubtRules, errors.New(text))
}

// readRules returns all problems in an annotation, and as much of each rule as can be read, with its node.
func readRules(annotation string, o parseOptions) ([]rule, []jsontext.Node, []Problem) {
	if problems := o.problems(); problems != nil {
		return nil, nil, problems
	}
	if strings.TrimSpace(annotation) == "" {
		return nil, nil, nil
	}
	nodes, problems := readText(annotation, o)
	o.isOld = o.isOld || o.detects && !havePrefix(nodes)
	reader := ruleReader{parseOptions: o, text: annotation, problems: problems, paths: map[string]Path{}}
	rules := make([]rule, 0, len(nodes))
	for i, n := range nodes {
		if o.budget.Err() != nil {
			break
		}
		rules = append(rules, reader.read(i, n))
	}
	reader.uniqueNames(rules, nodes)
	reader.tooMuch(len(rules), nodes)
	problems = reader.problems
	for i, p := range problems {
		if p.Index >= 0 && p.Index < len(rules) {
			problems[i].Rule = rules[p.Index].Name
		}
	}
	place(problems, annotation)
	return rules, nodes, problems
}

// readText returns the elements of the array in an annotation, and what is wrong with its JSON.
func readText(annotation string, o parseOptions) ([]jsontext.Node, []Problem) {
	bytes, nesting := maxAnnotation, maxNesting
	if o.inGo {
		bytes, nesting = maxBuilt, value.MaxDepth
	}
	if len(annotation) > bytes {
		message := fmt.Sprintf("the annotation has %d bytes, but all annotations of an object together may have %d", len(annotation), bytes)
		return nil, wholeProblem("", ReasonTooLong, codeTooLong, message)
	}
	format := jsontext.Format{Name: "the annotation", Root: "an array of rules", Item: "rule", MaxItems: maxRules, MaxDepth: nesting}
	root, wrong := jsontext.Read(annotation, format, &o.budget.Meter)
	if !root.IsZero() && root.Value != json.Delim('[') {
		const message = "the annotation must be a JSON array of rules: [ { … }, { … } ]"
		return nil, []Problem{{Index: -1, Offset: root.Start, Reason: ReasonTypeInvalid, Code: codeWrongType, Message: message}}
	}
	var problems []Problem
	for _, e := range wrong {
		problems = append(problems, problemOf(e))
	}
	return root.Items, problems
}

func problemOf(e jsontext.Error) Problem {
	p := Problem{Index: e.Item, Key: e.Key, Offset: e.Offset, Reason: ReasonInvalid, Message: e.Message}
	switch e.Kind {
	case jsontext.Duplicate:
		p.Reason = ReasonDuplicate
	case jsontext.TooCostly:
		p.Reason, p.Message = ReasonTooLong, tooMuchToRead(e)
	}
	if p.Code = codeOf(p.Reason, p.Key); p.Code == codeInvalidArgument && !rulekey.OfAnyVersion(p.Key).IsArgument {
		p.Code = codeUnreadable
	}
	return p
}

func tooMuchToRead(err error) string {
	return fmt.Sprintf("the annotation is too costly to read from here on: %v", err)
}

// place sorts problems by their offsets, and sets their lines and columns.
func place(problems []Problem, text string) {
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Offset - b.Offset })
	c := jsontext.NewCursor(text)
	for i, p := range problems {
		problems[i].Line, problems[i].Column = c.MoveTo(p.Offset)
	}
}

// tooMuch adds a problem where reading ended, after so many rules, if the budget was too small.
func (r *ruleReader) tooMuch(read int, nodes []jsontext.Node) {
	err := r.budget.Err()
	if err == nil || len(nodes) == 0 {
		return
	}
	last := nodes[max(read-1, 0)]
	r.problems = append(r.problems, Problem{Index: -1, Offset: last.Start, Reason: ReasonTooLong, Code: codeTooLong, Message: tooMuchToRead(err)})
}

func (r *ruleReader) uniqueNames(rules []rule, nodes []jsontext.Node) {
	first := make(map[string]int, len(rules))
	for i := range rules {
		own := rules[i].Name
		switch earlier, isTaken := first[own]; {
		case own == "":
		case isTaken:
			r.index = i
			name, _ := nodes[i].Member(rulekey.Name)
			r.problem(name, rulekey.Name, ReasonDuplicate, "rules[%d] already has this name: names must be unique", earlier)
		default:
			first[own] = i
		}
	}
}
