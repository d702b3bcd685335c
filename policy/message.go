package policy

import (
	"strconv"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/vmapi"
)

// messageExpression returns the messageExpression of a policy: the message of the rule, with the
// value of its field, or with why the field cannot be decided. If it fails, for example because the
// value has line breaks, the API server uses the message. It returns "" if it has nothing to add, or
// if the message is too long.
func (t *translator) messageExpression(message string) string {
	steps, err := stepsOf("path", t.rule.Path)
	if err != nil || len(message) > maxMessage {
		return ""
	}
	found, doubts := t.found(t.at(steps)), t.doubts(message)
	switch {
	case found != "":
		return doubts + strconv.Quote(message+" (spec.template"+jsonpath.Write(steps)+": ") + " + " + found + ` + ")"`
	case doubts != "":
		return doubts + strconv.Quote(message)
	}
	return ""
}

// doubts begins an expression for a message: for a VM that the rule cannot decide, it says why. It
// returns "" if the rule can decide each VM.
func (t *translator) doubts(message string) string {
	doubt := func(isDoubted, why string) string {
		return isDoubted + " ? " + strconv.Quote(message+" (this cannot be decided: "+why+")") + " : "
	}
	doubts := ""
	if set := strings.Join(t.references("has("), " || "); set != "" && !t.skipsSetters {
		which := strings.NewReplacer("has("+t.root+".", "", ")", "", "||", "or").Replace(set)
		doubts = doubt(set, "the VM has "+which+", which may set what the rule is about")
	}
	for key, a := range t.rule.Arguments() {
		if p, err := t.argument(key, a); err == nil {
			doubts += doubt("!("+p.exists()+")", "the VM has no "+a.String()+", the "+key+" of the rule")
		}
	}
	return doubts
}

const notSet = `"not set"`

// beyond is said behind a quantity that integral does not accept because of its size.
const beyond = ", which has more than 18 digits, too many for the API server"

// found returns an expression for what a VM has at a place, as text. It returns "" for items of items.
func (t *translator) found(p place) string {
	list, item, ok := p.items()
	if !ok {
		return t.text(p)
	}
	if firstEach(item.steps) >= 0 {
		return ""
	}
	items := list.optional() + ".orValue([])"
	if len(item.steps) == 0 {
		return items + ".map(" + item.base + ", string(" + item.base + `)).join(", ")`
	}
	exists := item.exists()
	return "(" + items + ".exists(" + item.base + ", " + exists + ") ? " +
		items + ".map(" + item.base + ", " + exists + ", " + t.text(item) + `).join(", ") : ` + notSet + ")"
}

// text returns an expression for a field, as text.
func (t *translator) text(p place) string {
	of := sortAt(p.path())
	if of == vmapi.Text {
		return p.optional() + ".orValue(" + notSet + ")"
	}
	name, read := p.variable()
	text := "string(" + read + ")"
	if t.rule.Kind == vmrules.KindInteger && of == vmapi.Quantity {
		text += " + [quantity(" + text + `)].map(q, q.isInteger() || q.asApproximateFloat() < 9.2e18 ? "" : "` + beyond + `")[0]`
	}
	return p.optional() + ".optMap(" + name + ", " + text + ").orValue(" + notSet + ")"
}
