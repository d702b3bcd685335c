package hostile

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// annotation writes n rules with different names. The body is the rest of each rule;
// %d in it is replaced with the rule's number.
func annotation(n int, body string) string {
	return "[" + list(n, `{"name":"%d","message":"m",`+body+`}`) + "]"
}

// beside adds a rule to an annotation.
func beside(annotation, rule string) string {
	return strings.TrimSuffix(annotation, "]") + "," + rule + "]"
}

// list writes n items with commas between them; %d in an item is replaced with its
// number.
func list(n int, item string) string {
	parts := strings.Split(item, "%d")
	items := make([]string, n)
	for i := range items {
		items[i] = strings.Join(parts, strconv.Itoa(i))
	}
	return strings.Join(items, ",")
}

// nested repeats left before, and right after, the middle.
func nested(n int, left, middle, right string) string {
	return strings.Repeat(left, n) + middle + strings.Repeat(right, n)
}

// quoted writes a JSON string.
func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// object reads JSON. It panics if the text is larger than the promise covers.
func object(text string) map[string]any {
	limit("object", len(text), mostObject)
	o, err := vmrules.ToObject(json.RawMessage(text))
	if err != nil {
		panic(err)
	}
	return o
}

// vms is a list of n VMs, whose spec.template has the given members.
func vms(n int, template string) map[string]any {
	return object(`{"kind":"List","items":[` + list(n, `{"spec":{"template":{"spec":{},`+template+`}}}`) + `]}`)
}

// annotated is a VM with rules in its annotation.
func annotated(text string) string {
	return `{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1","metadata":{"annotations":{"vm.kubevirt.io/validations":` +
		quoted(text) + `}},"spec":{"template":{"spec":{}}}}`
}

// template is a template with a parameter A and others, and a VM with rules and a field .a.
func template(parameters, rules, a string) string {
	return `{"kind":"Template","parameters":[{"name":"A"},` + parameters + `],"objects":[` +
		`{"kind":"VirtualMachine","metadata":{"annotations":{"vm.kubevirt.io/validations":` + quoted(rules) + `}},` +
		`"spec":{"template":{"spec":{},"a":` + a + `}}}]}`
}

// ownTemplate is a template of version 201901-1, with n VMs.
func ownTemplate(text string, n int) map[string]any {
	return object(`{"kind":"Template","apiVersion":"template.openshift.io/v1","metadata":{"annotations":{"validations":` + quoted(text) + `}},` +
		`"objects":[` + list(n, `{"kind":"VirtualMachine","spec":{"template":{"spec":{},"a":"%d"}}}`) + `]}`)
}

func limitsJSON(limits []form.Limit) func() (int, error) {
	return func() (int, error) {
		text, err := json.Marshal(limits)
		return len(text), err
	}
}
