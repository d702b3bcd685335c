package crd_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// Each of these took seconds, minutes or all memory before it was bounded; as
// long as it is, the test ends.
func TestHostileRules(t *testing.T) {
	big := strings.Repeat("a", 1<<20)
	var list []any
	for range 20_000 {
		list = append(list, map[string]any{})
	}
	dots := map[string]any{}
	for i := range 200 {
		dots[strings.Repeat("a.", i)+"x"] = map[string]any{strings.Repeat("b.", i): "x"}
	}
	object := map[string]any{"spec": map[string]any{"a": big, "l": list, "dots": dots}}
	cel := func(expression string) string {
		return `{"rule": "cel", "name": "r", "path": "jsonpath::.spec", "message": "m", "expression": "` + expression + `"}`
	}
	schema := func(path, text string) string {
		return `{"rule": "schema", "name": "r", "path": "jsonpath::` + path + `", "message": "m", "schema": ` + text + `}`
	}
	doubling := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, "[a%d+a%d].all(a%d,", i, i, i+1)
		}
		return "[self.a].all(a0," + s.String() + "true" + strings.Repeat(")", n+1)
	}
	const tooCostly, tooManySteps = "cannot be evaluated: ", "too many steps" // by its cost, or first by its time
	for name, test := range map[string]struct {
		rule, want string // a part of the problem or of the note
	}{
		"a text times itself":          {cel("self.a.replace('', self.a) == ''"), tooCostly},
		"a text, doubled often":        {cel(doubling(60)), tooCostly},
		"a text as an expression":      {cel("self.a.matches(self.a)"), tooCostly},
		"texts with a long joint":      {cel("self.l.map(x, self.a).join(self.a) == ''"), tooCostly},
		"a very precise number":        {cel("'%.99999999f'.format([1.5]) == ''"), tooCostly},
		"a long range":                 {cel("lists.range(1000000).size() > 0"), tooCostly},
		"pairs of items":               {cel("sets.contains(self.l, self.l)"), tooCostly},
		"each item with each":          {cel("self.l.distinct().size() > 0"), tooCostly},
		"objects inside a loop":        {cel("self.l.all(x, self == self)"), tooCostly},
		"a loop in a loop":             {cel("self.l.all(x, self.l.all(y, true))"), tooCostly},
		"a long expression":            {cel(strings.Repeat("self.a == '' || ", 1000) + "true"), "at most 4096"},
		"a deep expression":            {cel(strings.Repeat("(", 1500) + "true" + strings.Repeat(")", 1500)), "recursion limit"},
		"all fields of each item":      {schema(".spec.l", `{"type": "array", "items": {"type": "object", "properties": {`+repeated(1000, `"f%d": {"type": "string"}`)+`}}}`), tooManySteps},
		"all values of an enum":        {schema(".spec.l", `{"type": "array", "items": {"type": "object", "enum": [`+repeated(1000, `"f%d"`)+`]}}`), tooManySteps},
		"a default in each item":       {schema(".spec.l", `{"type": "array", "items": {"type": "object", "properties": {"d": {"type": "array", "items": {"type": "integer"}, "default": [`+repeated(900, `%d`)+`]}}}}`), tooManySteps},
		"a large default":              {schema(".spec.l", `{"type": "array", "items": {"type": "object", "properties": {"d": {"type": "array", "items": {"type": "integer"}, "default": [`+repeated(1001, `%d`)+`]}}}}`), "more than 1000 values"},
		"a long rule":                  {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "`+strings.Repeat("self != '' || ", 6_000)+`true"}]}`), "at most 4096"},
		"errors in each item":          {schema(".spec.l", `{"type": "array", "items": {"type": "string"}}`), tooManySteps},
		"a rule's regex on a text":     {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "self.matches('(a?){999}b')"}]}`), tooManySteps},
		"patterns on a long text":      {schema(".spec.a", `{"type": "string", "allOf": [`+repeated(100, `{"pattern": "(a|b)*%d"}`)+`]}`), tooManySteps},
		"too many patterns":            {schema(".spec.a", `{"type": "string", "allOf": [`+repeated(6000, `{"pattern": "a%d"}`)+`]}`), "too many patterns"},
		"too many rules":               {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [`+repeated(1001, `{"rule": "self != '%d'"}`)+`]}`), "at most 1000"},
		"too many fieldPaths":          {schema(".spec.a", `{"type": "object", "properties": {`+repeated(2000, `"f%d": {"type": "string"}`)+`}, "x-kubernetes-validations": [`+repeated(900, `{"rule": "true", "fieldPath": ".f%d"}`)+`]}`), "too many rules with a fieldPath"},
		"a message times itself":       {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "self == ''", "messageExpression": "self.replace('', self)"}]}`), `the function "replace"`},
		"a message of loops":           {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "self == ''", "messageExpression": "self.split('').map(x, self).join('')"}]}`), "estimated messageExpression cost"},
		"a message that grows":         {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "self == ''", "messageExpression": "self.replace('a', 'aaaaaaaaaaa').replace('a', 'aaaaaaaaaaa')"}]}`), `the function "replace"`},
		"a message that grows little":  {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "self == ''", "messageExpression": "self.replace('a', 'b').replace('b', 'cc')"}]}`), ""},
		"a rule with a precision":      {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "'%.99999999f'.format([1.5]) == ''"}]}`), `the function "format"`},
		"a rule of pairs":              {schema(".spec.l", `{"type": "array", "items": {"type": "object"}, "x-kubernetes-validations": [{"rule": "self.distinct() == self"}]}`), "exceeds budget"},
		"a message of many texts":      {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "self == ''", "messageExpression": "`+strings.Repeat("self + ", 100)+`self"}]}`), ""},
		"loops of a schema's rules":    {schema(".spec", `{"type": "object", "properties": {"l": {"type": "array", "maxItems": 20000, "items": {"type": "object"}, "x-kubernetes-validations": [{"rule": "self.all(x, true)"}, {"rule": "self.all(x, true)"}, {"rule": "self.all(x, true)"}]}}}`), ""},
		"names of nothing but dots":    {schema(".spec.dots", `{"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}}`), ""},
		"a pattern that repeats much":  {schema(".spec.a", `{"type": "string", "pattern": "(`+strings.Repeat("ab", 900)+`){1000}"}`), "a pattern that comes to more than 10000 steps"},
		"a regex that repeats much":    {cel("self.a.matches('(" + strings.Repeat("ab", 900) + "){1000}')"), "a regular expression that comes to more than 10000 steps"},
		"a rule that repeats much":     {schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "self.matches('(`+strings.Repeat("ab", 900)+`){1000}')"}]}`), "a regular expression that comes to more than 10000 steps"},
		"repeats on a long text":       {schema(".spec.a", `{"type": "string", "pattern": "(a?){999}b"}`), tooManySteps},
		"regex repeats on a long text": {cel("self.a.matches('(a?){999}b')"), tooCostly},
		"a schema that goes on deep":   {schema(".spec", strings.Repeat(`{"type": "object", "x-kubernetes-validations": [{"rule": "true"}], "properties": {"a": `, 25)+`{"type": "string"}`+strings.Repeat("}}", 25)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := vmrules.ParseRules("["+test.rule+"]", kinds...)
			if err != nil {
				if test.want == "" || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
				return
			}
			report := vmrules.Validate(rules, object)
			if text := report.String(); !strings.Contains(text, test.want) || test.want != "" && report.Results[0].Outcome != vmrules.Undecided {
				t.Errorf("want Undecided, %q:\n%s", test.want, text)
			}
		})
	}
}

func repeated(n int, format string) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(format, i))
	}
	return strings.Join(parts, ", ")
}

// All rules of a call share what expressions may cost.
func TestBudget(t *testing.T) {
	var rules []string
	for i := range 200 {
		rules = append(rules, fmt.Sprintf(`{"rule": "cel", "name": "%d", "path": "jsonpath::.l", "message": "m", "expression": "self.all(x, self.all(y, x + y >= 0))"}`, i))
	}
	rules = append(rules, `{"rule": "schema", "name": "last", "path": "jsonpath::.l", "message": "m", "schema": {"type": "array", "maxItems": 100, "items": {"type": "integer"}, "x-kubernetes-validations": [{"rule": "self.size() > 0"}]}}`)
	var list []any
	for i := range 100 {
		list = append(list, i)
	}
	parsed, err := vmrules.ParseRules("["+strings.Join(rules, ",")+"]", kinds...)
	if err != nil {
		t.Fatal(err)
	}
	report := vmrules.Validate(parsed, map[string]any{"l": list})
	first, last := report.Results[0], report.Results[len(rules)-1]
	if diff := cmp.Diff([]vmrules.Outcome{vmrules.Satisfied, vmrules.Undecided}, []vmrules.Outcome{first.Outcome, last.Outcome}); diff != "" {
		t.Errorf("outcomes of the first and the last rule (-want +got):\n%s\n%s", diff, report)
	}
}

// A Checker may be used by many at once.
func TestConcurrently(t *testing.T) {
	rules, err := vmrules.ParseRules(`[
		{"rule": "schema", "name": "s", "path": "jsonpath::.spec", "message": "m", "schema": {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a", "maxLength": 5}, "b": {"type": "integer", "default": 1}},
			"x-kubernetes-validations": [{"rule": "self.a != 'x' && self.b == 1", "messageExpression": "'not ' + self.a", "reason": "FieldValueDuplicate"}]}},
		{"rule": "cel", "name": "c", "path": "jsonpath::.spec", "message": "m", "expression": "self.a.matches('^a+$') && object.spec == self", "messageExpression": "'a is ' + string(self.a)"}
	]`, kinds...)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(`{"spec": {"a": "ab"}}`)
	judge := func() *vmrules.Report {
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			panic(err)
		}
		report := vmrules.Validate(rules, object)
		if after, _ := json.Marshal(object); string(after) != `{"spec":{"a":"ab"}}` {
			panic("the object was changed: " + string(after))
		}
		return report
	}
	want := judge()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 20 {
				if diff := cmp.Diff(want, judge()); diff != "" {
					t.Errorf("another report (-first +now):\n%s", diff)
				}
			}
		})
	}
	wait.Wait()
}
