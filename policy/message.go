package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ohler55/ojg/jp"

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
	field := "spec.template" + jsonpath.Write(steps)
	said := strconv.Quote(message)
	if found := t.found(steps); found != "" {
		said = strconv.Quote(message+" ("+field+": ") + " + " + found + ` + ")"`
	}
	doubts := t.doubts(message)
	if doubts == "" && said == strconv.Quote(message) {
		return ""
	}
	return doubts + said
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
		if steps, err := argument(key, a); err == nil {
			doubts += doubt("!("+t.present(t.base(steps), nil, steps)+")", "the VM has no "+a.String()+", the "+key+" of the rule")
		}
	}
	return doubts
}

const notSet = `"not set"`

// beyond is said behind a quantity that integral does not accept because of its size.
const beyond = ", which has more than 18 digits, too many for the API server"

// found returns an expression for what a VM has at a path, as text. It returns "" for items of
// items.
func (t *translator) found(steps jp.Expr) string {
	i := firstEach(steps)
	if i < 0 {
		return t.text(t.base(steps), nil, steps)
	}
	if firstEach(steps[i+1:]) >= 0 {
		return ""
	}
	list := chain(t.base(steps), nil, steps[:i])
	_, item := namesFor(steps[:i])
	at, below := steps[:i+1], steps[i+1:]
	if len(below) == 0 {
		return list + ".orValue([]).map(" + item + ", string(" + item + `)).join(", ")`
	}
	exists := t.exists(item, at, below)
	return "(" + list + ".orValue([]).exists(" + item + ", " + exists + ") ? " +
		list + ".orValue([]).map(" + item + ", " + exists + ", " + t.text(item, at, below) + `).join(", ") : ` + notSet + ")"
}

// text returns an expression for a field below base, as text.
func (t *translator) text(base string, at, steps jp.Expr) string {
	optional := chain(base, at, steps)
	of := sortAt(slices.Concat(at, steps))
	if of == vmapi.Text {
		return optional + ".orValue(" + notSet + ")"
	}
	v := nameOf(steps)
	text := "string(" + read(v, steps) + ")"
	if t.rule.Kind == vmrules.KindInteger && of == vmapi.Quantity {
		text += " + [quantity(" + text + `)].map(q, q.isInteger() || q.asApproximateFloat() < 9.2e18 ? "" : "` + beyond + `")[0]`
	}
	return optional + ".optMap(" + v + ", " + text + ").orValue(" + notSet + ")"
}
