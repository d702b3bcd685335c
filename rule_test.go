package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsontext"
)

func mustJSON(v any) []byte {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func mustParse(t testing.TB, annotation string, opts ...ParseOption) Rules {
	t.Helper()
	rules, err := ParseRules(annotation, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func problemsIn(t testing.TB, annotation string, opts ...ParseOption) []Problem {
	t.Helper()
	rules, err := ParseRules(annotation, opts...)
	if rules.Len() > 0 && err != nil {
		t.Error("rules beside an error")
	}
	var parsed *ParseError
	if err != nil && !errors.As(err, &parsed) {
		t.Fatalf("%T is not a *ParseError", err)
	}
	if parsed == nil {
		return nil
	}
	return parsed.Problems
}

// TestAllProblemsTogether: one error lists a hundred problems of fifty rules, each with its line
// and column.
func TestAllProblemsTogether(t *testing.T) {
	var rules []string
	for i := range 50 {
		rules = append(rules, fmt.Sprintf(`{"name":"r%d","rule":"integer","message":"m","path":".spec","min":"x"}`, i))
	}
	problems := problemsIn(t, "["+strings.Join(rules, ",\n")+"]")
	if len(problems) != 100 {
		t.Fatalf("%d problems, want 100", len(problems))
	}
	for i, p := range problems {
		key, column := "path", 52
		if i%2 == 1 {
			key, column = "min", 66
		}
		if i/2 == 0 || i/2 >= 10 {
			column++ // the [ of the first line; the second digit of later names
		}
		want := Problem{Rule: fmt.Sprintf("r%d", i/2), Index: i / 2, Key: key, Line: i/2 + 1, Column: column}
		got := Problem{Rule: p.Rule, Index: p.Index, Key: p.Key, Line: p.Line, Column: p.Column}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("problem %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestNotWellFormed: if an annotation is not well-formed, that is its only problem, and does not
// belong to a rule.
func TestNotWellFormed(t *testing.T) {
	tests := []struct {
		in           string
		line, column int
		cure         string
	}{
		{"[{\"name\": \"n\"},\n {\"rule\": \"string\" \"path\": \"\", \"path\": \"\"}]", 2, 20, `a comma is missing before "path"`},
		{`{}`, 1, 1, "must be a JSON array"},
		{`"[]"`, 1, 1, "must be a JSON array"},
		{`"[{\"a\": 1}]"`, 1, 1, "must be a JSON array"},
		{"[{\"name\": 1, \"name\": 2}] x", 1, 26, `"x" follows the end of the annotation: remove it`},
		{strings.Repeat(" ", maxAnnotation+1), 0, 0, ""},
		{"[" + strings.Repeat(" ", maxAnnotation-2) + "]", 0, 0, ""},
		{"[" + strings.Repeat(" ", maxAnnotation), 1, 1, "262145 bytes"},
		{"[" + strings.Repeat("1,", maxRules) + "1]", 1, 2*maxRules + 2, "more than 10000 rules"},
		{strings.Repeat("[", maxNesting+1), 1, maxNesting + 1, "nested deeper than 64 levels"},
	}
	for _, test := range tests {
		problems := problemsIn(t, test.in)
		if test.cure == "" {
			if problems != nil {
				t.Errorf("%.40q: %v", test.in, problems)
			}
			continue
		}
		if len(problems) != 1 {
			t.Errorf("%.40q: %d problems, want 1: %v", test.in, len(problems), problems)
			continue
		}
		p := problems[0]
		want := Problem{Index: -1, Line: test.line, Column: test.column}
		if diff := cmp.Diff(want, Problem{Rule: p.Rule, Index: p.Index, Key: p.Key, Line: p.Line, Column: p.Column}); diff != "" {
			t.Errorf("%.40q (-want +got):\n%s", test.in, diff)
		}
		if !strings.Contains(p.Message, test.cure) {
			t.Errorf("%.40q: %s; it does not say %q", test.in, p.Message, test.cure)
		}
	}
}

const everyKey = `[
	{"name": "all", "rule": "integer", "path": "jsonpath::.a", "valid": "jsonpath::.b", "message": "<m> & “q”",
	 "min": 1.50, "max": "jsonpath::.max", "minLength": 2, "maxLength": 3.0, "regex": "^a", "values": [1, "<a>", true, "jsonpath::.v"],
	 "justWarning": true, "x-more": {"z": [1.0, null, {"b": "<"}], "a": 1e400}, "Min": null},
	{"name": "from", "rule": "enum", "path": "jsonpath::$['a']", "message": "m", "values": "jsonpath::.list[*]", "regex": "jsonpath::.re"},
	{"name": "none", "rule": "enum", "path": "jsonpath::.a", "message": "m", "values": []},
	{"name": "other", "rule": "newer", "path": "jsonpath::.a", "message": "m", "min": {"from": "afar"}, "values": "x"},
	{"name": "plain", "rule": "string", "path": "jsonpath::.a", "message": "m", "min": null, "valid": null, "justWarning": null}
]`

// TestMessages: the messages about single members of a rule.
func TestMessages(t *testing.T) {
	tests := []struct{ member, want string }{
		{`"min": true`, `"min" must be a number, a quantity such as "2Gi", or a JSONPath, not true`},
		{`"min": {}`, `"min" must be a number, a quantity such as "2Gi", or a JSONPath, not an object`},
		{`"max": ".spec.x"`,
			`"max" must be a number, a quantity such as "2Gi", or a JSONPath, not ".spec.x" (for a path write "jsonpath::.spec.x")`},
		{`"max": "jsonpath:.x"`,
			`"max" must be a number, a quantity such as "2Gi", or a JSONPath, not "jsonpath:.x" (for a path write "jsonpath::.x")`},
		{`"minLength": "3"`, `"minLength" must be a number without quotes, or a JSONPath`},
		{`"maxLength": -1`, `"maxLength" must be a whole number that is not negative, or a JSONPath, not -1`},
		{`"values": [null]`, `an item of "values" must be a string, a number, a boolean or a JSONPath, not null`},
		{`"values": [[1]]`, `an item of "values" must be a string, a number, a boolean or a JSONPath, not an array`},
		{`"values": [1e1001]`, `an item of "values" is a number of more than 1,000 digits, or with an exponent beyond 1,000`},
		{`"values": 7`, `"values" must be an array of values, or a JSONPath that yields one, not 7`},
		{`"regex": 7`, `"regex" must be a regular expression in a string, or a JSONPath, not 7`},
		{`"valid": ""`, `"valid" is empty: write a JSONPath, or leave it out`},
		{`"justWarning": "true"`, `"justWarning" must be true or false, without quotes`},
		{`"Min": 1`, `unknown key "Min": did you mean "min"?`},
		{`"included": [1]`, `unknown key "included": version 201902-2 calls it "values"`},
		{`"least": 1`, `unknown key "least": remove it, or correct its spelling`},
		{`"minimum": 1`, `unknown key "minimum": did you mean "min"?`},
		{`"warning": true`, `unknown key "warning": did you mean "justWarning"? Without it, the rule refuses VMs`},
		{`"min": "1 gb"`, `"min" must be a number, a quantity such as "2Gi", or a JSONPath, not "1 gb": did you mean "1Gi" or "1G"?`},
		{`"min": "1.5KiB"`, `"min" must be a number, a quantity such as "2Gi", or a JSONPath, not "1.5KiB": did you mean "1.5Ki"?`},
		{`"min": "12B"`, `"min" must be a number, a quantity such as "2Gi", or a JSONPath, not "12B"`},
	}
	for _, test := range tests {
		problems := problemsIn(t, `[{"name": "r", "rule": "enum", "path": "jsonpath::.a", "message": "m", `+test.member+`}]`, Strict())
		if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Message == test.want }) {
			t.Errorf("%s: %v; want %s", test.member, problems, test.want)
		}
	}
	for member, want := range map[string]string{`"rule": null`: `"rule" is null: it must be integer, string, regex or enum`,
		`"rule": ""`: `"rule" is empty: it must be integer, string, regex or enum`} {
		problems := problemsIn(t, `[{"name": "r", `+member+`, "path": "jsonpath::.a", "message": "m"}]`)
		if len(problems) != 1 || problems[0].Message != want {
			t.Errorf("%s: %v; want %s", member, problems, want)
		}
	}
	for annotation, want := range map[string]string{
		"name: x":   `"name" is not allowed here, where an array of rules is expected`,
		"- name: x": `"-" is not allowed here, where an array of rules is expected: the annotation is JSON, not YAML`,
	} {
		problems := problemsIn(t, annotation)
		if len(problems) != 1 || problems[0].Message != want {
			t.Errorf("%s: %v; want %s", annotation, problems, want)
		}
	}
}

func TestRulesRoundTrip(t *testing.T) {
	rules := mustParse(t, everyKey)
	text, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	again := mustParse(t, string(text))
	if diff := cmp.Diff(rules, again); diff != "" {
		t.Errorf("through JSON (-before +after):\n%s\n%s", diff, text)
	}
	var all []Rule
	for _, r := range rules.All() {
		all = append(all, r)
	}
	made, err := NewRules(all)
	if diff := cmp.Diff(rules, made); diff != "" || err != nil {
		t.Errorf("through NewRules (-before +after):\n%s\n%v", diff, err)
	}
	var readAll []Rule
	if err := json.Unmarshal(text, &readAll); !cmp.Equal(readAll, all) || err != nil {
		t.Errorf("read as []Rule: %v, %v", err, readAll)
	}
	var one Rule
	if err := json.Unmarshal([]byte(`{"name": "n", "rule": "integer"}`),
		&one); err == nil || !strings.Contains(err.Error(), `the rule has no "path"`) {
		t.Errorf("half a rule: %v, %v", err, one)
	}
	want := `{"name":"none","rule":"enum","path":"jsonpath::.a","message":"m","values":[]}`
	if got, err := json.Marshal(all[2]); err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got := rules.String(); !strings.Contains(got, `"message":"<m> & “q”"`) || !strings.Contains(got, `"values":[1,"<a>",true,"jsonpath::.v"]`) {
		t.Errorf("String escapes: %s", got)
	}
	if text, err := json.Marshal(Rules{}); err != nil || string(text) != "[]" {
		t.Errorf("no rules: %s, %v", text, err)
	}
}

// TestRulesAreCopies: changing what All yields does not change the Rules.
func TestRulesAreCopies(t *testing.T) {
	rules, same := mustParse(t, everyKey), mustParse(t, everyKey)
	for _, r := range rules.All() {
		items, _ := r.Values.List()
		for i := range items {
			items[i] = MustNewArgument("changed")
		}
		for key := range r.Unknown {
			r.Unknown[key][0] = 'X'
			r.Unknown[key] = json.RawMessage("0")
		}
	}
	if diff := cmp.Diff(same, rules); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	for i := range rules.All() {
		if i > 0 {
			t.Error("All goes on after break")
		}
		break
	}
}

func TestRuleEqual(t *testing.T) {
	base := func() Rule {
		return Rule{
			Kind: KindInteger, Name: "n", Path: MustParsePath("jsonpath::.a"), Message: "m", Valid: MustParsePath("jsonpath::.b"),
			Min: MustNewArgument(1), Max: MustNewArgument(2), MinLength: MustNewArgument(3), MaxLength: MustNewArgument(4),
			Regex:  MustNewArgument("a"),
			Values: MustNewArgument([]string{"x"}), Unknown: map[string]json.RawMessage{"u": json.RawMessage(`{"a": 1}`)},
		}
	}
	same := base()
	same.Min, same.Unknown = MustNewArgument(json.Number("1.0")), map[string]json.RawMessage{"u": json.RawMessage(`{"a":1}`)}
	if !base().Equal(same) {
		t.Error("1 and 1.0, and blanks in JSON, make a difference")
	}
	changes := []func(*Rule){
		func(r *Rule) { r.Kind = KindString }, func(r *Rule) { r.Name = "o" }, func(r *Rule) { r.Message = "o" },
		func(r *Rule) { r.Path = MustParsePath("jsonpath::.o") }, func(r *Rule) { r.Valid = Path{} },
		func(r *Rule) { r.JustWarning = true }, func(r *Rule) { r.Min = MustNewArgument("1") }, func(r *Rule) { r.Max = Argument{} },
		func(r *Rule) { r.MinLength = MustNewArgument("jsonpath::.a") }, func(r *Rule) { r.MaxLength = MustNewArgument(true) },
		func(r *Rule) { r.Regex = MustNewArgument("b") }, func(r *Rule) { r.Values = Argument{} }, func(r *Rule) { r.Values = MustNewArgument([]string{}) },
		func(r *Rule) { r.Values = MustNewArgument([]string{"x", "x"}) }, func(r *Rule) { r.Values = MustNewArgument("x") },
		func(r *Rule) { r.Values = MustNewArgument("jsonpath::.o") },
		func(r *Rule) { r.Unknown = map[string]json.RawMessage{"u": json.RawMessage(`{"a":2}`)} }, func(r *Rule) { r.Unknown = nil },
	}
	for i, change := range changes {
		changed := base()
		change(&changed)
		if base().Equal(changed) || changed.Equal(base()) {
			t.Errorf("change %d makes no difference", i)
		}
	}
	absent, broken := base(), base()
	absent.Unknown, broken.Unknown = map[string]json.RawMessage{"u": json.RawMessage("null")}, map[string]json.RawMessage{"u": json.RawMessage("{")}
	if absent.Equal(broken) || broken.Equal(absent) || !broken.Equal(broken) {
		t.Error("a rule with a value that is not JSON equals another rule, or does not equal itself")
	}
	zero := MustNewArgument(0)
	for _, other := range []Argument{{}, MustNewArgument("jsonpath::.a"), MustNewArgument(""), MustNewArgument("0"),
		MustNewArgument(false)} {
		if zero.Equal(other) || other.Equal(zero) {
			t.Errorf("0 equals %q", other)
		}
	}
}

// A literal that is a number is given as min and max compare it.
func TestArgumentNumber(t *testing.T) {
	for literal, want := range map[any]json.Number{
		"2Gi": "2147483648", "500m": "0.5", "1e3": "1000", "-1.50": "-1.5", "1.5Gi": "1610612736", "9Ei": "10376293541461622784",
		json.Number("2.0"): "2", json.Number("12345678901234567890.123"): "12345678901234567890.123", 7: "7",
		"": "", "x": "", "2 Gi": "", true: "", "jsonpath::.spec.min": "",
	} {
		if got, ok := MustNewArgument(literal).Number(); got != want || ok != (want != "") {
			t.Errorf("%v: %q, %v; want %q", literal, got, ok, want)
		}
	}
	if got, ok := (Argument{}).Number(); got != "" || ok {
		t.Errorf("no argument: %q, %v", got, ok)
	}
}

func TestNewRulesErrors(t *testing.T) {
	good := Rule{Kind: KindInteger, Name: "n", Path: MustParsePath("jsonpath::.a"), Message: "m", Min: MustNewArgument("2Gi")}
	tests := []struct {
		change func(*Rule)
		key    string
		words  string
	}{
		{func(r *Rule) { r.Name = "" }, "name", "empty"},
		{func(r *Rule) { r.Kind = "" }, "rule", "empty"},
		{func(r *Rule) { r.Path = Path{} }, "path", "no \"path\""},
		{func(r *Rule) { r.Message = "\xff" }, "", "not valid UTF-8"},
		{func(r *Rule) { r.Min = MustNewArgument("x") }, "min", "quantity"},
		{func(r *Rule) { r.MinLength = MustNewArgument(-1) }, "minLength", "not negative"},
		{func(r *Rule) { r.Min = MustNewArgument([]int{1}) }, "min", `"min" must be a number, a quantity such as "2Gi", or a JSONPath, not an array`},
		{func(r *Rule) { r.Max = MustNewArgument([]int{}) }, "max", `"max" must be a number, a quantity such as "2Gi", or a JSONPath, not an array`},
		{func(r *Rule) { r.MinLength = MustNewArgument([]int{1}) }, "minLength", "or a JSONPath, not an array"},
		{func(r *Rule) { r.MaxLength = MustNewArgument([]int{1}) }, "maxLength", "or a JSONPath, not an array"},
		{func(r *Rule) { r.Regex = MustNewArgument([]string{"a"}) }, "regex", `"regex" must be a regular expression in a string, or a JSONPath, not an array`},
		{func(r *Rule) { r.Values = MustNewArgument("x") }, "values", `"values" must be an array of values, or a JSONPath that yields one, not "x"`},
		{func(r *Rule) { r.Values = MustNewArgument(1) }, "values", `"values" must be an array of values, or a JSONPath that yields one, not 1`},
		{func(r *Rule) { r.Unknown = map[string]json.RawMessage{"u": json.RawMessage("{")} }, "", "not JSON"},
		{func(r *Rule) { r.Unknown = map[string]json.RawMessage{"max": json.RawMessage("1")} }, "",
			"\"max\" in Unknown is a field of Rule"},
		{func(r *Rule) { r.Kind, r.Unknown = "newer", map[string]json.RawMessage{"valid": json.RawMessage("1")} }, "",
			"is a field of Rule"},
		{func(r *Rule) { r.Unknown = map[string]json.RawMessage{"\xff": json.RawMessage("1")} }, "", "is not valid UTF-8"},
		{func(r *Rule) { r.Path = MustParsePath("jsonpath::['\xff']") }, "", "is not valid UTF-8"},
		{func(r *Rule) { r.Regex = MustNewArgument("\xff") }, "", "is not valid UTF-8"},
		{func(r *Rule) { r.Values = MustNewArgument([]string{"x", "\xff"}) }, "", "is not valid UTF-8"},
		{func(r *Rule) { r.Regex = MustNewArgument("(") }, "regex", "cannot be used"},
	}
	for _, test := range tests {
		r := good
		r.Name = "changed"
		test.change(&r)
		rules, err := NewRules([]Rule{good, r})
		var parsed *ParseError
		if !errors.As(err, &parsed) || rules.Len() > 0 {
			t.Errorf("%s: %v", test.words, err)
			continue
		}
		found := false
		for _, p := range parsed.Problems {
			found = found || p.Key == test.key && p.Index == 1 && strings.Contains(p.Message, test.words) && p.Line == 0
		}
		if !found {
			t.Errorf("no problem of %q says %q: %v", test.key, test.words, err)
		}
		text, _ := r.MarshalJSON()
		if err := json.Unmarshal(text, new(Rule)); test.key != "" && (err == nil || !strings.Contains(err.Error(), test.words)) {
			t.Errorf("read from its JSON %s: %v; want %q", text, err, test.words)
		}
	}
	unnamed, unwritable := good, good
	unnamed.Name, unwritable.Message = "", "\xff"
	_, err := NewRules([]Rule{unnamed, unwritable, unnamed})
	var parsed *ParseError
	if !errors.As(err, &parsed) || len(parsed.Problems) != 3 {
		t.Fatal(err)
	}
	for i, p := range parsed.Problems {
		if p.Index != i {
			t.Errorf("the problems are not in the order of the rules: %v", err)
		}
	}
	device := Rule{Kind: KindEnum, Name: "n", Path: good.Path, Message: "m", Values: MustNewArgument([]string{"/dev/vda"})}
	if rules, err := NewRules([]Rule{device},
		V201901()); err != nil || !rules.Equal(mustParse(t, "["+string(mustJSON(device))+"]")) {
		t.Errorf("a literal is something else in another version: %s, %v", rules, err)
	}
	if rules, err := NewRules(nil); err != nil || rules.Len() != 0 {
		t.Errorf("no rules: %v", err)
	}
	if _, err := NewRules([]Rule{{Kind: "newer", Name: "n", Path: good.Path, Message: "m"}}, Strict()); err == nil {
		t.Error("Strict does not reach NewRules")
	}
}

func TestArguments(t *testing.T) {
	path := MustParsePath("jsonpath::.a")
	tests := []struct {
		in      any
		want    string // JSON
		literal any
	}{
		{path, `"jsonpath::.a"`, nil}, {"jsonpath::.a", `"jsonpath::.a"`, nil},
		{"a", `"a"`, "a"}, {8, "8", json.Number("8")}, {uint8(8), "8", json.Number("8")}, {2.5, "2.5", json.Number("2.5")},
		{true, "true",
			true}, {json.Number("1.50"), "1.50",
			json.Number("1.50")}, {json.Number(""), "0", json.Number("0")}, {namedString("x"), `"x"`, "x"},
	}
	for _, test := range tests {
		a, err := NewArgument(test.in)
		if err != nil {
			t.Error(err)
			continue
		}
		text, _ := json.Marshal(a)
		literal, isLiteral := a.Literal()
		p, isPath := a.Path()
		if string(text) != test.want || !cmp.Equal(literal, test.literal) || isLiteral == isPath || a.IsZero() || isPath != p.Equal(path) {
			t.Errorf("%v: %s, %v", test.in, text, literal)
		}
		if want := strings.Trim(test.want, `"`); a.String() != want {
			t.Errorf("%v: %s, want %s", test.in, a, want)
		}
	}
	for _, bad := range []any{nil, map[string]any{}, Path{}, "jsonpath::", json.Number("x"), json.Number("1e9999"),
		func() {}} {
		if a, err := NewArgument(bad); err == nil || !a.IsZero() {
			t.Errorf("%v: %v, %v", bad, a, err)
		}
	}
	if text, err := json.Marshal(Argument{}); string(text) != "null" || err != nil || !(Argument{}).IsZero() || (Argument{}).String() != "" {
		t.Errorf("zero: %s, %v", text, err)
	}
	defer func() {
		if got := recover(); got == nil || !strings.Contains(got.(string), "MustNewArgument(map[])") {
			t.Errorf("recovered %v", got)
		}
	}()
	MustNewArgument(map[string]int{})
}

func TestArgumentLists(t *testing.T) {
	path := MustParsePath("jsonpath::.a")
	mixed := []Argument{MustNewArgument("x"), MustNewArgument(path), MustNewArgument(json.Number("1.50")), MustNewArgument(true)}
	const text = `["x","jsonpath::.a",1.50,true]`
	for _, in := range []any{
		mixed, MustNewArgument(mixed), []any{"x", "jsonpath::.a", json.Number("1.50"), true}, []any{mixed[0], mixed[1], 1.5, true},
		[4]any{namedString("x"), path, json.Number("1.50"), true}, json.RawMessage(text),
	} {
		a, err := NewArgument(in)
		if err != nil {
			t.Errorf("%T: %v", in, err)
			continue
		}
		items, isList := a.List()
		if diff := cmp.Diff(mixed, items); diff != "" || !isList {
			t.Errorf("%T: %v (-want +got):\n%s", in, isList, diff)
		}
		_, isLiteral := a.Literal()
		p, isPath := a.Path()
		n, isNumber := a.Number()
		if isLiteral || isPath || !p.IsZero() || isNumber || n != "" || a.IsZero() {
			t.Errorf("%T: a list is something else, too: %v", in, a)
		}
		if !a.Equal(MustNewArgument(mixed)) {
			t.Errorf("%T: %v", in, a)
		}
	}

	list := MustNewArgument(mixed)
	if written, err := json.Marshal(list); err != nil || string(written) != text || list.String() != text {
		t.Errorf("%s, %v; %s", written, err, list)
	}
	items, _ := list.List()
	items[0], mixed[0] = MustNewArgument("changed"), MustNewArgument("changed")
	if got := list.String(); got != text {
		t.Errorf("the list changed with what it was made from, or with what List returned: %s", got)
	}
	if got := MustNewArgument([]string{"<&>"}).String(); got != `["<&>"]` {
		t.Errorf("String escapes: %s", got)
	}
	empty := MustNewArgument([]string{})
	if items, isList := empty.List(); !isList || len(items) > 0 || empty.IsZero() || empty.String() != "[]" {
		t.Errorf("empty: %v, %v, %v", items, isList, empty)
	}
	for _, other := range []Argument{{}, MustNewArgument("x"), MustNewArgument(path)} {
		items, isList := other.List()
		if isList || other.IsZero() && items != nil || !other.IsZero() && (len(items) != 1 || !items[0].Equal(other)) {
			t.Errorf("%q: %v, %v", other, items, isList)
		}
	}
	different := []Argument{list, empty, {}, MustNewArgument("x"), MustNewArgument(path), MustNewArgument(""), MustNewArgument([]string{"x"}),
		MustNewArgument([]any{path}), MustNewArgument([]string{"x", "y"}), MustNewArgument([]string{"y", "x"}), MustNewArgument(text)}
	for i, a := range different {
		for k, b := range different {
			if a.Equal(b) != (i == k) {
				t.Errorf("%q and %q: %v", a, b, a.Equal(b))
			}
		}
	}
	if a, b := MustNewArgument([]any{1, "a"}), MustNewArgument([]any{json.Number("1.0"), "a"}); !a.Equal(b) {
		t.Errorf("%v and %v are not equal", a, b)
	}

	cyclic := []any{nil}
	cyclic[0] = cyclic
	const wanted = "it must be a string, a number, a boolean or a JSONPath, not "
	for _, bad := range []struct {
		in    any
		words string
	}{
		{[]any{"x", []string{"a"}}, "item 1 of the list: " + wanted + "an array"},
		{[]Argument{list}, wanted + "an array"}, {[]any{list}, wanted + "an array"}, {[]any{&list}, wanted + "an array"}, {cyclic, wanted + "an array"},
		{[]Argument{{}}, wanted + "nothing"}, {[]any{nil}, wanted + "nothing"}, {[]*Argument{nil}, wanted + "nothing"},
		{[]any{map[string]any{}}, wanted + "an object"}, {[]any{Path{}}, "the zero Path"},
		{[]string{"jsonpath::"}, "item 0 of the list: "}, {[]any{json.Number("1e9999")}, "item 0 of the list: the argument "},
		{[]string(nil), "or a list of these, not nothing"}, {[]Argument(nil), "or a list of these, not nothing"}, {Argument{}, "or a list of these, not nothing"},
	} {
		a, err := NewArgument(bad.in)
		if err == nil || !strings.Contains(err.Error(), bad.words) || !a.IsZero() {
			t.Errorf("%v: %v; want %q", a, err, bad.words)
		}
	}
}

// TestArgumentsInOrder: Arguments yields one Argument for each key, in the order of judging.
func TestArgumentsInOrder(t *testing.T) {
	r := Rule{Regex: MustNewArgument("a"), Values: MustNewArgument([]string{}), Max: MustNewArgument("jsonpath::.a"), Min: MustNewArgument(1)}
	var got []string
	for key, a := range r.Arguments() {
		got = append(got, key+" "+a.String())
	}
	if diff := cmp.Diff([]string{"min 1", "max jsonpath::.a", "values []", "regex a"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range r.Arguments() {
		break
	}
	for key := range (Rule{}).Arguments() {
		t.Errorf("a Rule without arguments has %s", key)
	}
}

func TestParseErrorText(t *testing.T) {
	_, err := ParseRules("[\n {\"name\": \"core-limits\", \"rule\": \"integer\", \"path\": \".spec\", \"message\": \"m\"},\n 7]")
	want := `the validation rules cannot be used: 2 problems
- line 2, column 53: rule "core-limits": path: a JSONPath begins with "jsonpath::": write "jsonpath::.spec"
- line 3, column 2: rules[1]: a rule must be an object: { "name": …, "rule": …, "path": …, "message": … }`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var first Problem
	if !errors.As(err, &first) || first.Rule != "core-limits" {
		t.Errorf("the first problem: %v", first)
	}
	causes := err.(*ParseError).Causes()
	wantCauses := []Cause{
		{ReasonInvalid, first.Error(), "[0].path"},
		{ReasonTypeInvalid, `line 3, column 2: rules[1]: a rule must be an object: { "name": …, "rule": …, "path": …, "message": … }`,
			"[1]"},
	}
	if diff := cmp.Diff(wantCauses, causes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = ParseRules("[7]")
	want = `the validation rules cannot be used: line 1, column 2: rules[0]: a rule must be an object: { "name": …, "rule": …, "path": …, "message": … }`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = ParseRules("{}")
	if got := err.(*ParseError).Causes()[0].Field; got != "" {
		t.Errorf("field %q of a problem of the whole text", got)
	}
	text, _ := json.Marshal(Problem{Rule: "r", Index: 1, Key: "min", Offset: 2, Line: 1, Column: 3, Reason: ReasonInvalid, Code: "c", Message: "m",
		Suggestion: "s", Source: "VM"})
	wantJSON := `{"rule":"r","index":1,"key":"min","offset":2,"line":1,"column":3,"reason":"FieldValueInvalid","code":"c","message":"m","suggestion":"s","source":"VM"}`
	if diff := cmp.Diff(wantJSON, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An unmarshaler that is called directly accepts exactly one value, as encoding/json would pass
// it.
func TestUnmarshalers(t *testing.T) {
	const rule, path = `{"name": "n", "rule": "string", "path": "jsonpath::.a", "message": "m"}`, "jsonpath::.a"
	tests := []struct {
		text         string
		rule, asPath string // what the errors say; "" for none
	}{
		{rule, "", "begins with"},
		{" " + rule + "\n", "", "begins with"},
		{"[" + rule + "]", "a rule must be an object", "begins with"},
		{"", "there are 0 values", ""},
		{" \n", "there are 0 values", "begins with"},
		{"null", "a rule must be an object", "begins with"},
		{"[]", "a rule must be an object", "begins with"},
		{"[null]", "a rule must be an object", "begins with"},
		{rule + "," + rule, "there are 2 values", "begins with"},
		{"{}," + rule, "there are 2 values", "begins with"},
		{rule + " " + rule, "a comma is missing", "begins with"},
		{rule + ",", "trailing comma", "begins with"},
		{rule + "],[" + rule, "follows the end", "begins with"},
		{"{", "is not allowed here", "begins with"},
		{path, "is not allowed here", ""},
	}
	check := func(text, what, want string, err error, changed bool) {
		t.Helper()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s of %q: %v, want %q", what, text, err, want)
		}
		if what != "path" && changed != (err == nil) {
			t.Errorf("%s of %q: changed is %t beside %v", what, text, changed, err)
		}
	}
	for _, test := range tests {
		before := mustParse(t, `[{"name": "before", "rule": "string", "path": "jsonpath::.b", "message": "m"}]`)
		r, p := before.rules[0].Rule, Path{}
		err := r.UnmarshalJSON([]byte(test.text))
		check(test.text, "rule", test.rule, err, r.Name != "before")
		err = p.UnmarshalText([]byte(test.text))
		check(test.text, "path", test.asPath, err, !p.IsZero())
	}
}

func TestByName(t *testing.T) {
	rules, err := ParseRules(`[
		{"name": "a", "rule": "integer", "path": "jsonpath::.spec.a", "message": "m", "min": 1},
		{"name": "b", "rule": "enum", "path": "jsonpath::.spec.b", "message": "m", "values": ["x", "y"]}
	]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range rules.All() {
		got, ok := rules.ByName(want.Name)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", want.Name, ok, diff)
		}
	}
	changed, _ := rules.ByName("b")
	changed.Values = MustNewArgument([]string{"changed"})
	if again, _ := rules.ByName("b"); again.Equal(changed) {
		t.Error("a change of what ByName returns changes the rules")
	}
	for _, name := range []string{"", "c", "A"} {
		if got, ok := rules.ByName(name); ok || !got.Equal(Rule{}) {
			t.Errorf("%q: %v, %v", name, got, ok)
		}
	}
}

// TestSuggestions: if a key, a kind or a path is nearly right, the Problem says what to write.
func TestSuggestions(t *testing.T) {
	tests := []struct {
		name, rule string
		opts       []ParseOption
		want       map[string]string // by key
	}{
		{
			"no prefix", `"rule": "integer", "path": ".spec.a", "valid": "jsonpath: spec.b", "min": ".spec.c", "maxLength": "jsonpath:.d"`,
			nil,
			map[string]string{"path": "jsonpath::.spec.a", "valid": "jsonpath::.spec.b", "min": "jsonpath::.spec.c",
				"maxLength": "jsonpath::.d"},
		},
		{
			"another mistake", `"rule": "integer", "path": "jsonpath::.a b", "valid": "a b", "min": "many", "max": true`, nil,
			map[string]string{"path": "", "valid": "", "min": "", "max": ""},
		},
		{
			"under Strict", `"rule": "intger", "path": "jsonpath::.a", "justwarning": true, "colour": "red"`,
			[]ParseOption{Strict()},
			map[string]string{"rule": "integer", "justwarning": "justWarning", "colour": ""},
		},
		{
			"of the old version", `"rule": "enum", "path": "jsonpath::.a", "included": ["a"]`, []ParseOption{Strict()},
			map[string]string{"included": "values"},
		},
	}
	for _, test := range tests {
		_, err := ParseRules(`[{"name": "r", "message": "m", `+test.rule+`}]`, test.opts...)
		var parsed *ParseError
		if !errors.As(err, &parsed) {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := map[string]string{}
		for _, p := range parsed.Problems {
			got[p.Key] = p.Suggestion
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func fuzzedOptions(old, strict bool) []ParseOption {
	var opts []ParseOption
	if old {
		opts = append(opts, V201901())
	}
	if strict {
		opts = append(opts, Strict())
	}
	return opts
}

// FuzzParseRules: reading does not panic, and accepts only what encoding/json accepts; every
// problem has a position in the text; the rules can be written and read again.
func FuzzParseRules(f *testing.F) {
	seedVectors(f, 60, func(annotation, _ string) { f.Add(annotation, false, false) })
	f.Add("\f\u00a0", false, false)
	f.Fuzz(func(t *testing.T, annotation string, old, strict bool) {
		opts := fuzzedOptions(old, strict)
		problems := problemsIn(t, annotation, opts...)
		checkPlaces(t, annotation, problems)
		if problems != nil {
			return
		}
		if strings.TrimSpace(annotation) != "" && !json.Valid([]byte(annotation)) {
			t.Fatal("accepted a text that is not JSON")
		}
		rules := mustParse(t, annotation, opts...)
		text, err := json.Marshal(rules)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > maxAnnotation {
			return
		}
		if again := mustParse(t, string(text)); !again.Equal(rules) {
			t.Fatalf("not the same after %s:\n%s", text, cmp.Diff(rules, again))
		}
	})
}

func checkPlaces(t *testing.T, annotation string, problems []Problem) {
	for i, p := range problems {
		if p.Offset < 0 || p.Offset > len(annotation) || p.Line < 1 || p.Column < 1 || p.Message == "" || p.Reason == "" {
			t.Fatalf("problem without position or message: %+v", p)
		}
		before := annotation[:p.Offset]
		if line := 1 + strings.Count(before, "\n"); p.Line != line {
			t.Fatalf("line %d, want %d: %v", p.Line, line, p)
		}
		if column := 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:])); p.Column != column {
			t.Fatalf("column %d, want %d: %v", p.Column, column, p)
		}
		if i > 0 && p.Offset < problems[i-1].Offset {
			t.Fatal("problems are not in the order of the text")
		}
	}
}
