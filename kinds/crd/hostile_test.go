package crd_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// Without bounds, each of these rules takes seconds, minutes or all memory. The test fails by
// not ending.
func TestHostileRules(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("a", 1<<20)
	var list []any
	for range 20_000 {
		list = append(list, map[string]any{})
	}
	dots := map[string]any{}
	for i := range 200 {
		dots[strings.Repeat("a.", i)+"x"] = map[string]any{strings.Repeat("b.", i): "x"}
	}
	object := map[string]any{
		"spec": map[string]any{"a": big, "l": list, "dots": dots, "accents": strings.Repeat("é", 100_000), "q": "1e900000"},
		"loop": map[string]any{"a": big, "l": list[:4000]},
	}
	cel := func(expression string) string {
		return `{"rule": "cel", "name": "r", "path": "jsonpath::.loop", "message": "m", "expression": "` + expression + `"}`
	}
	schema := func(path, text string) string {
		return `{"rule": "schema", "name": "r", "path": "jsonpath::` + path + `", "message": "m", "schema": ` + text + `}`
	}
	rule := func(path, expression string) string {
		return schema(path, `{"type": "string", "x-kubernetes-validations": [{"rule": "`+expression+`"}]}`)
	}
	message := func(expression string) string {
		return schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [{"rule": "self == ''", "messageExpression": "`+expression+`"}]}`)
	}
	on := func(path, expression string) string { return strings.Replace(cel(expression), ".loop", path, 1) }
	annotation := func(n int, rule func(i int) string) string {
		var all []string
		for i := range n {
			all = append(all, strings.Replace(rule(i), `"name": "r"`, fmt.Sprintf(`"name": "r%d"`, i), 1))
		}
		return strings.Join(all, ",")
	}
	doubling := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, "[a%d+a%d].all(a%d,", i, i, i+1)
		}
		return "[self.a].all(a0," + s.String() + "true" + strings.Repeat(")", n+1)
	}
	const tooCostly, tooManySteps = "cannot be evaluated: ", "the budget for "
	for name, test := range map[string]struct {
		rule, want string // a part of the problem or of the note
	}{
		"a text times itself":     {cel("self.a.replace('', self.a) == ''"), tooCostly},
		"a text, doubled often":   {cel(doubling(60)), tooCostly},
		"a text as an expression": {cel("self.a.matches(self.a)"), tooCostly},
		"texts with a long joint": {cel("self.l.map(x, self.a).join(self.a) == ''"), tooCostly},
		"a very precise number":   {cel("'%.99999999f'.format([1.5]) == ''"), tooCostly},
		"a long range":            {cel("lists.range(1000000).size() > 0"), `the function "lists.range"`},
		"pairs of items":          {cel("sets.contains(self.l, self.l)"), tooCostly},
		"each item with each":     {cel("self.l.distinct().size() > 0"), tooCostly},
		"objects inside a loop":   {cel("self.l.all(x, self == self)"), tooCostly},
		"a loop in a loop":        {cel("self.l.all(x, self.l.all(y, true))"), tooCostly},
		"a long expression":       {cel(strings.Repeat("self.a == '' || ", 1000) + "true"), "at most 4096"},
		"a deep expression":       {cel(strings.Repeat("(", 1500) + "true" + strings.Repeat(")", 1500)), "recursion limit"},
		"all fields of each item": {
			schema(".spec.l", `{"type": "array", "items": {"type": "object", "properties": {`+repeated(1000, `"f%d": {"type": "string"}`)+`}}}`),
			tooManySteps,
		},
		"all values of an enum": {
			schema(".spec.l", `{"type": "array", "items": {"type": "object", "enum": [`+repeated(1000, `"f%d"`)+`]}}`),
			tooManySteps,
		},
		"a default in each item": {
			schema(".spec.l", `{"type": "array", "items": {"type": "object", `+
				`"properties": {"d": {"type": "array", "items": {"type": "integer"}, "default": [`+repeated(900, `%d`)+`]}}}}`),
			tooManySteps,
		},
		"a large default": {
			schema(".spec.l", `{"type": "array", "items": {"type": "object", `+
				`"properties": {"d": {"type": "array", "items": {"type": "integer"}, "default": [`+repeated(1001, `%d`)+`]}}}}`),
			"more than 1000 values",
		},
		"a long rule":              {rule(".spec.a", strings.Repeat("self != '' || ", 6_000)+"true"), "at most 4096"},
		"errors in each item":      {schema(".spec.l", `{"type": "array", "items": {"type": "string"}}`), tooManySteps},
		"a rule's regex on a text": {rule(".spec.a", `self.matches('(a?){999}b')`), tooManySteps},
		"patterns on a long text": {
			schema(".spec.a", `{"type": "string", "allOf": [`+repeated(100, `{"pattern": "(a|b)*%d"}`)+`]}`),
			tooManySteps,
		},
		"too many new patterns": {
			schema(".spec.a", `{"type": "string", "allOf": [`+repeated(6000, `{"pattern": "a%d"}`)+`]}`),
			"too many new patterns",
		},
		"too many rules": {
			schema(".spec.a", `{"type": "string", "x-kubernetes-validations": [`+repeated(1001, `{"rule": "self != '%d'"}`)+`]}`),
			"at most 1000",
		},
		"too many fieldPaths": {
			schema(".spec.a", `{"type": "object", "properties": {`+repeated(2000, `"f%d": {"type": "string"}`)+`}, `+
				`"x-kubernetes-validations": [`+repeated(900, `{"rule": "true", "fieldPath": ".f%d"}`)+`]}`),
			"too many rules with a fieldPath",
		},
		"a message times itself":      {message(`self.replace('', self)`), `the function "replace"`},
		"a message of loops":          {message(`self.split('').map(x, self).join('')`), "estimated messageExpression cost"},
		"a message that grows":        {message(`self.replace('a', 'aaaaaaaaaaa').replace('a', 'aaaaaaaaaaa')`), `the function "replace"`},
		"a message that grows little": {message(`self.replace('a', 'b').replace('b', 'cc')`), `the function "replace"`},
		"a message that shrinks":      {message(`self.replace('aa', 'b').replace('b', '')`), ""},
		"a rule with a precision":     {rule(".spec.a", `'%.99999999f'.format([1.5]) == ''`), `the function "format"`},
		"texts in each step of a loop": {
			schema(".loop", `{"type": "object", "properties": {"a": {"type": "string"}, "l": {"type": "array", "maxItems": 5000, "items": {"type": "object"}}}, `+
				`"x-kubernetes-validations": [{"rule": "self.l.map(x, '%s'.format([self.a])).size() > 0"}]}`),
			"the budget for memory",
		},
		"a rule of pairs": {
			schema(".spec.l", `{"type": "array", "items": {"type": "object"}, "x-kubernetes-validations": [{"rule": "self.distinct() == self"}]}`),
			"exceeds budget",
		},
		"a message of many texts": {message(strings.Repeat("self + ", 100) + `self`), ""},
		"loops of a schema's rules": {
			schema(".spec", `{"type": "object", "properties": {"l": {"type": "array", "maxItems": 20000, "items": {"type": "object"}, `+
				`"x-kubernetes-validations": [`+
				`{"rule": "self.all(x, true)"}, {"rule": "self.all(x, true)"}, {"rule": "self.all(x, true)"}]}}}`),
			"",
		},
		"names of nothing but dots": {
			schema(".spec.dots", `{"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}}`),
			"",
		},
		"a pattern that repeats much": {
			schema(".spec.a", `{"type": "string", "pattern": "(`+strings.Repeat("ab", 900)+`){1000}"}`),
			"a pattern that has more than 10000 steps, or",
		},
		"a regex that repeats much": {
			cel("self.a.matches('(" + strings.Repeat("ab", 900) + "){1000}')"),
			"a regular expression that has more than 10000 steps, or",
		},
		"a rule that repeats much": {
			rule(".spec.a", `self.matches('(`+strings.Repeat("ab", 900)+`){1000}')`),
			"a regular expression that has more than 10000 steps, or",
		},
		"repeats by a full name": {
			rule(".spec.a", `.matches(self, '(`+strings.Repeat("ab", 900)+`){1000}')`),
			"a regular expression that has more than 10000 steps, or",
		},
		"repeats on a long text":       {schema(".spec.a", `{"type": "string", "pattern": "(a?){999}b"}`), tooManySteps},
		"regex repeats on a long text": {cel("self.a.matches('(a?){999}b')"), tooCostly},
		"a quantity without end":       {on(".spec.q", "quantity(self).isLessThan(quantity('1'))"), tooCostly},
		"a quantity of many digits":    {on(".spec.a", "isQuantity(self + '1')"), ""},
		"a schema's quantity":          {rule(".spec.q", `quantity(self).isLessThan(quantity('1'))`), "may be a quantity that is too long"},
		"a quantity that is made":      {rule(".spec.q", `isQuantity('1e999' + self)`), `the function "isQuantity"`},
		"a quantity in a rule":         {rule(".spec.q", `isQuantity('1e1000000000')`), `the function "isQuantity"`},
		"a quantity in a list":         {rule(".spec.q", `['1e900000'].all(x, isQuantity(x))`), `the function "isQuantity"`},
		"a quantity by a full name":    {rule(".spec.q", `.isQuantity(self + '0')`), `the function "isQuantity"`},
		"a schema's by a full name":    {rule(".spec.q", `.quantity(self).isLessThan(.quantity('1'))`), "may be a quantity that is too long"},
		"a quantity that is cut":       {rule(".spec.q", `isQuantity(self.substring(1))`), `the function "isQuantity"`},
		"a quantity of a list":         {rule(".spec.q", `isQuantity(distinct(self)[0])`), `the function "isQuantity"`},
		"a quantity that a loop makes": {rule(".spec.q", `[self + '0'].all(x, isQuantity(x))`), `the function "isQuantity"`},
		"a quantity of a variable":     {rule(".spec.q", `optional.of(self + '0').optMap(x, isQuantity(x)).orValue(true)`), `the function "isQuantity"`},
		"a quantity by several names":  {schema(".spec.o", `{"type": "object", "additionalProperties": {"type": "string", "maxLength": 20}, "maxProperties": 9, "x-kubernetes-validations": [{"rule": "['a', 'b'].all(x, !(x in self) || isQuantity(self[x]))"}]}`), ""},
		"many quantities": {
			schema(".spec.q", `{"type": "string", "maxLength": 20, "x-kubernetes-validations": [{"rule": "`+strings.Repeat("isQuantity('1') && ", 200)+`true"}]}`),
			"",
		},
		"a quantity in a message": {
			schema(".spec.q", `{"type": "string", "maxLength": 20, "x-kubernetes-validations": [`+
				`{"rule": "self == ''", "messageExpression": "quantity(self).isLessThan(quantity('1')) ? 'a' : 'b'"}]}`),
			"may be a quantity that is too long",
		},
		"variables in variables": {
			schema(".loop.l", `{"type": "array", "maxItems": 1, "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": "`+
				strings.Repeat("self.exists(a, [a, a, a].exists(b, [b, b, b].exists(c, [c, c, c].exists(d, isQuantity(d))))) || ", 20)+`true"}]}`),
			`the function "isQuantity"`,
		},
		"a text in a text":          {on(".spec.accents", "self.indexOf(self.replace('éé', 'éx')) == 0"), tooCostly},
		"a schema's text in a text": {rule(".spec.accents", `(self + self).lastIndexOf(self + 'x') == 0`), `the function "lastIndexOf"`},
		"lists of lists":            {cel("self.l.map(x, self.l).flatten(1000000).size() == 0"), `the function "flatten"`},
		"a schema's lists of lists": {
			schema(".spec.l", `{"type": "array", "maxItems": 5, "items": {"type": "object"}, `+
				`"x-kubernetes-validations": [{"rule": "[self, self].flatten().size() > 0"}]}`),
			`the function "flatten"`,
		},
		"a range of lists in a rule": {
			schema(".spec.q", `{"type": "string", "x-kubernetes-validations": [{"rule": "lists.range(size(self)).size() > 0"}]}`),
			`the function "lists.range"`,
		},
		"a list, doubled often":   {cel("[self.l + self.l].all(a, [a + a].all(b, [b + b].all(c, c == c)))"), tooCostly},
		"a loop over a long list": {on(".spec.l", "self.all(x, self.all(y, true))"), "for at most 5000"},
		"a long version":          {on(".spec.a", "isSemver('1.0.0-' + self)"), tooCostly},
		"an enum for each item":   {schema(".loop.l[*]", `{"type": "object", "enum": [`+repeated(10_000, `"f%d"`)+`]}`), tooManySteps},
		"long values of an enum": {
			schema(".loop.l[*]", `{"type": "object", "enum": [`+repeated(100, `"f%d`+strings.Repeat("x", 1000)+`"`)+`]}`),
			tooManySteps,
		},
		"large patterns": {annotation(100, func(i int) string {
			return schema(".spec.q", fmt.Sprintf(`{"type": "string", "pattern": "^%d\\pL{900}$"}`, i))
		}), "more than 10000 steps, or 2097152 bytes"},
		"large regexes": {
			annotation(100, func(i int) string { return cel(fmt.Sprintf(`self.a.matches('^%d\\\\pL{900}$')`, i)) }),
			"a regular expression that has more than",
		},
		"classes in a pattern": {schema(".spec.q", `{"type": "string", "pattern": "`+strings.Repeat(`\\pL`, 50_000)+`"}`), tooManySteps},
		"a regex that is data": {cel(`'x'.matches(self.a.replace('a', '\\\\pL'))`), tooCostly},
		"many expressions": {
			annotation(60, func(int) string { return cel("self == [1" + strings.Repeat(",1", 2000) + "]") }),
			tooManySteps,
		},
		"many schemas with a rule": {annotation(1400, func(int) string {
			return schema(".spec.q", `{"x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{"rule": "true"}]}`)
		}), tooManySteps},
		"a schema that goes on deep": {
			schema(".spec", strings.Repeat(`{"type": "object", `+
				`"x-kubernetes-validations": [{"rule": "true"}], "properties": {"a": `, 25)+`{"type": "string"}`+strings.Repeat("}}", 25)),
			"",
		},
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
			if text := report.String(); !strings.Contains(text, test.want) || test.want != "" && report.Results()[0].Doubt != vmrules.DoubtBound {
				t.Errorf("want Undecided by %s, not by %q: %q\n%s", vmrules.DoubtBound, report.Results()[0].Doubt, test.want, text)
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

// All rules of a call share one budget for expressions.
func TestBudget(t *testing.T) {
	t.Parallel()
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
	results := report.Results()
	first, last := results[0], results[len(results)-1]
	if diff := cmp.Diff([]vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeUndecided}, []vmrules.Outcome{first.Outcome, last.Outcome}); diff != "" {
		t.Errorf("outcomes of the first and the last rule (-want +got):\n%s\n%s", diff, report)
	}
}

// A Checker is safe for concurrent use.
func TestConcurrently(t *testing.T) {
	rules, err := vmrules.ParseRules(`[
		{"rule": "schema", "name": "s", "path": "jsonpath::.spec", "message": "m", "schema": {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a", "maxLength": 5}, "b": {"type": "integer", "default": 1}},
			"x-kubernetes-validations": [{"rule": "self.a != 'x' && self.b == 1", "messageExpression": "'not ' + self.a", "reason": "FieldValueDuplicate"}]}},
		{"rule": "cel", "name": "c", "path": "jsonpath::.loop", "message": "m", "expression": "self.a.matches('^a+$') && object.spec == self", "messageExpression": "'a is ' + string(self.a)"}
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

// WithBudget can lower and raise the bounds of the kinds.
func TestWithBudget(t *testing.T) {
	t.Parallel()
	var rules []string
	for i := range 20 {
		rules = append(rules, fmt.Sprintf(`{"rule": "cel", "name": "c%d", "path": "jsonpath::.l", "message": "m", "expression": "self.all(x, x >= 0)"},
			{"rule": "schema", "name": "s%[1]d", "path": "jsonpath::.l", "message": "m", "schema": {"type": "array", "items": {"type": "integer", "enum": [0, 1, 2]}}}`, i))
	}
	text := "[" + strings.Join(rules, ",") + "]"
	object := map[string]any{"l": []any{0, 1, 2}}
	read := func(b vmrules.Budget) (vmrules.Rules, error) {
		return vmrules.ParseRules(text, append(slices.Clip(kinds), vmrules.WithBudget(b))...)
	}
	for _, small := range []vmrules.Budget{{Time: 5 * time.Millisecond}, {Memory: 100_000}} {
		if _, err := read(small); err == nil || !strings.Contains(err.Error(), "the budget for ") {
			t.Errorf("read with %+v: %v", small, err)
		}
	}
	parsed, err := read(vmrules.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	undecided := func(b vmrules.Budget) int {
		n := 0
		for _, r := range vmrules.Validate(parsed, object, vmrules.WithBudget(b)).Results() {
			if r.Outcome == vmrules.OutcomeUndecided {
				n++
			}
		}
		return n
	}
	small, usual := undecided(vmrules.Budget{Time: 200 * time.Microsecond}), undecided(vmrules.Budget{})
	if small == 0 || small == 2*len(rules) || usual != 0 {
		t.Errorf("%d of %d rules are undecided with a small budget, %d with the usual one", small, 2*len(rules), usual)
	}
	large := map[string]any{"l": slices.Repeat([]any{1}, 4000)}
	object = large
	if usual, generous := undecided(vmrules.Budget{}), undecided(vmrules.Budget{Time: 10 * time.Second, Memory: 1 << 30}); usual == 0 || generous != 0 {
		t.Errorf("of a long list %d rules are undecided with the usual budget, %d with a generous one", usual, generous)
	}
}
