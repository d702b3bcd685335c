package export

import (
	"slices"
	"strconv"
	"strings"

	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// messageExpression returns the messageExpression of a policy: the message of the rule, with the
// value of its field, or with why the field cannot be judged. If it fails, for example because the
// value has line breaks, the API server uses the message. It returns "" if it has nothing to add, or
// if the message is too long.
func (t *translator) messageExpression(message string) string {
	steps, err := stepsOf("path", t.rule.Path)
	if err != nil || len(message) > celconfig.MaxEvaluatedMessageExpressionSizeBytes {
		return ""
	}
	field := "spec.template"
	for _, s := range steps {
		field += s.String()
	}
	said := strconv.Quote(message)
	if found := t.found(steps); found != "" {
		said = strconv.Quote(message+" ("+field+": ") + " + " + found + ` + ")"`
	}
	var named, references []string
	for _, s := range setters {
		if maySet(s, t.rule) {
			named = append(named, "has("+t.root+".spec."+s+")")
			references = append(references, "spec."+s)
		}
	}
	switch {
	case named != nil:
		unknown := message + " (this cannot be judged: the VM has " + strings.Join(references, " or ") + ", which may set what the rule is about)"
		return strings.Join(named, " || ") + " ? " + strconv.Quote(unknown) + " : " + said
	case said == strconv.Quote(message):
		return ""
	}
	return said
}

const notSet = `"not set"`

// found returns an expression for what a VM has at a path, as text. It returns "" for items of
// items.
func (t *translator) found(steps []step) string {
	i := firstEach(steps)
	if i < 0 {
		return t.text(t.base(steps), nil, steps)
	}
	if firstEach(steps[i+1:]) >= 0 {
		return ""
	}
	list := t.chain(t.base(steps), nil, steps[:i])
	_, item := namesFor(steps[:i])
	text := "string(" + item + ")"
	if i+1 < len(steps) {
		text = t.text(item, steps[:i+1], steps[i+1:])
	}
	return list + ".orValue([]).map(" + item + ", " + text + `).join(", ")`
}

// text returns an expression for a field below base, as text.
func (t *translator) text(base string, at, steps []step) string {
	optional := t.chain(base, at, steps)
	if t.typeAt(slices.Concat(at, steps)) == stringType {
		return optional + ".orValue(" + notSet + ")"
	}
	v := nameOf(steps)
	return optional + ".optMap(" + v + ", string(" + t.read(v, steps) + ")).orValue(" + notSet + ")"
}
