package vmrules

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/racetest"
)

// A lintVector is one case of testdata/lint.json: an annotation, as in the
// conformance vectors, and all findings about it, in order.
type lintVector struct {
	Name       string
	Annotation json.RawMessage
	Version    Version
	Strict     bool
	Findings   []wantFinding
}

// A wantFinding is a Finding but for the offset, and with a part of the message.
type wantFinding struct {
	Severity             Severity
	ID, Rule, Key        string
	Index, Line, Column  int
	Suggestion, Contains string
}

func readLintVectors(t testing.TB) []lintVector {
	t.Helper()
	text, err := os.ReadFile("testdata/lint.json")
	if err != nil {
		t.Fatal(err)
	}
	var content struct{ Vectors []lintVector }
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&content); err != nil {
		t.Fatal(err)
	}
	return content.Vectors
}

func (v lintVector) text(t testing.TB) string {
	return conformance.Vector{Annotation: v.Annotation}.Text(t)
}

func (v lintVector) options() []ParseOption {
	opts := []ParseOption{}
	if v.Version != "" {
		opts = append(opts, WithVersion(v.Version))
	}
	if v.Strict {
		opts = append(opts, Strict())
	}
	return opts
}

func TestLint(t *testing.T) {
	for _, v := range readLintVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			text := v.text(t)
			findings := Lint(text, v.options()...)
			var got []wantFinding
			for i, f := range findings {
				g := wantFinding{f.Severity, f.ID, f.Rule, f.Key, f.Index, f.Line, f.Column, f.Suggestion, f.Message}
				if i < len(v.Findings) && strings.Contains(f.Message, v.Findings[i].Contains) {
					g.Contains = v.Findings[i].Contains
				}
				got = append(got, g)
			}
			if diff := cmp.Diff(v.Findings, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			checkFindings(t, text, findings, v.options()...)
		})
	}
}

// checkFindings checks what holds for the findings about any annotation.
func checkFindings(t *testing.T, text string, findings []Finding, opts ...ParseOption) {
	t.Helper()
	if findings == nil {
		t.Fatal("nil, which JSON writes as null")
	}
	if diff := cmp.Diff(findings, Lint(text, opts...)); diff != "" {
		t.Fatalf("other findings the second time:\n%s", diff)
	}
	places := []Problem{}
	refused := []Problem{}
	for i, f := range findings {
		if _, ok := severities[f.ID]; !ok || f.Severity == "" {
			t.Fatalf("not one of the checks: %v", f)
		}
		if i > 0 && f.Offset == findings[i-1].Offset && f.ID < findings[i-1].ID {
			t.Fatalf("not sorted by ID: %v", f)
		}
		p := Problem{Rule: f.Rule, Index: f.Index, Key: f.Key, Offset: f.Offset, Line: f.Line, Column: f.Column, Message: f.Message, Suggestion: f.Suggestion, Reason: "any"}
		places = append(places, p)
		if f.Severity == SeverityError {
			refused = append(refused, p)
		}
		if f.Suggestion != "" {
			checkSuggestion(t, text, f, opts...)
		}
	}
	checkPlaces(t, text, places)
	byMessage := cmpopts.SortSlices(func(a, b Problem) bool { return a.Offset < b.Offset || a.Offset == b.Offset && a.Message < b.Message })
	if diff := cmp.Diff(problemsIn(t, text, opts...), refused, cmpopts.IgnoreFields(Problem{}, "Reason"), byMessage, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the errors are not the problems of ParseRules (-problems +errors):\n%s", diff)
	}
}

// checkSuggestion writes the suggestion in place of the string at the finding,
// which must then be gone.
func checkSuggestion(t *testing.T, text string, f Finding, opts ...ParseOption) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text[f.Offset:]))
	token, err := decoder.Token()
	if _, ok := token.(string); !ok {
		t.Fatalf("what stands at the finding is no string: %v, %v: %v", token, err, f)
	}
	mended := text[:f.Offset] + string(mustJSON(f.Suggestion)) + text[f.Offset+int(decoder.InputOffset()):]
	for _, again := range Lint(mended, opts...) {
		if again.Offset == f.Offset && again.Message == f.Message {
			t.Fatalf("%v\nis still there with the suggestion %s:\n%v", f, f.Suggestion, again)
		}
	}
}

func TestChecks(t *testing.T) {
	tested := map[string]bool{notChecked: true} // by TestLintHostile: it takes a long annotation
	for _, v := range readLintVectors(t) {
		for _, f := range v.Findings {
			tested[f.ID] = true
		}
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, c := range Checks() {
		if !kebab.MatchString(c.ID) || seen[c.ID] || c.Meaning == "" {
			t.Errorf("not well formed, or there twice: %+v", c)
		}
		if !tested[c.ID] {
			t.Errorf("no vector has the finding %s", c.ID)
		}
		if !bytes.Contains(readme, []byte("`"+c.ID+"`")) {
			t.Errorf("README.md does not have the ID %s", c.ID)
		}
		seen[c.ID] = true
	}
	Checks()[0].ID = "changed"
	if Checks()[0].ID == "changed" {
		t.Error("a caller can change the checks")
	}
}

func TestFindingString(t *testing.T) {
	findings := Lint("[\n" + `{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m", "min": 3, "max": 2}]`)
	want := `warning: line 2, column 108: rule "cores": min: 3 is more than max 2, so that no value is allowed (unsatisfiable-range)`
	if len(findings) != 1 || findings[0].String() != want {
		t.Errorf("%v; want %s", findings, want)
	}
}

func TestFindingJSON(t *testing.T) {
	text, err := json.Marshal(Lint(`[{"name": "r", "rule": "enum", "path": "jsonpath::.spec.hostnam", "message": "m", "values": ["a"]}]`))
	want := `[{"severity":"warning","id":"misspelt-field","rule":"r","index":0,"key":"path","offset":39,"line":1,"column":40,` +
		`"message":"no VM has a field \"hostnam\" in .spec: did you mean \"hostname\"?","suggestion":"jsonpath::.spec.hostname"}]`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
}

// TestLintKnowsFields: the paths that this package itself names have no finding.
func TestLintKnowsFields(t *testing.T) {
	var paths []Path
	for _, field := range zeroIsUnset {
		paths = append(paths, Path{parsed: field.Path()})
	}
	for _, s := range settableFields {
		paths = append(paths, MustParsePath("jsonpath::."+s.Path))
	}
	for _, d := range alwaysThere {
		paths = append(paths, Path{parsed: d.field.Path()})
	}
	for _, path := range paths {
		s := pathSearch{budget: fullBudget(), fields: []*field{vmFields()}}
		s.run(path)
		if len(s.found) > 0 || len(s.fields) == 0 {
			t.Errorf("%s: %v", path, s.found)
		}
	}
}

// TestFieldTable: each type is written once, named somewhere, and has fields.
func TestFieldTable(t *testing.T) {
	types := readFields(fieldTable)
	used := map[string]bool{"VirtualMachineInstanceTemplateSpec": true}
	written := map[string]bool{}
	for line := range strings.Lines(fieldTable) {
		if line[0] == '#' || strings.TrimSpace(line) == "" {
			continue
		}
		if line[0] != '\t' {
			name := strings.TrimSpace(line)
			if written[name] {
				t.Errorf("the type %s is there twice", name)
			}
			written[name] = true
			continue
		}
		for _, word := range strings.Fields(line) {
			if _, of, ok := strings.Cut(word, ":"); ok {
				used[strings.TrimPrefix(of, "[]")] = true
			}
		}
	}
	for name, f := range types {
		if !written[name] || !used[name] || (len(f.members) == 0) != (name == "Empty") {
			t.Errorf("%s: written %v, used %v, %d fields", name, written[name], used[name], len(f.members))
		}
	}
	if len(types) < 100 || len(vmFields().below()) < 100 {
		t.Errorf("%d types, %d fields of different types", len(types), len(vmFields().below()))
	}
}

// TestLintIsRight holds what Lint says about generated rules against Validate: where
// it says that no value satisfies them, none does; and where they list values and
// none satisfies them all, Lint says so.
func TestLintIsRight(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2019, 2))
	pool := []any{0, 1, 2, 10, "0", "1", "2", "1k", "", "a", "bb", "1.5", "true", true, 1.5, "10"}
	said := map[bool]int{}
	for range 2000 {
		rules := []Rule{randomRule(random, pool), randomRule(random, pool)}
		rules[0].Name, rules[1].Name = "a", "b"
		made, err := NewRules(rules)
		if err != nil {
			t.Fatal(err)
		}
		satisfied := func(v any) bool {
			return Validate(made, map[string]any{"kind": "VirtualMachineInstance", "spec": map[string]any{"hostname": v}}).Valid()
		}
		possible := slices.ContainsFunc(pool, satisfied)
		says := finds(made, "unsatisfiable-range", "empty-values", "unsatisfiable-values", "contradicting-rules")
		lists := rules[0].Values != nil || rules[1].Values != nil
		if says && possible || !says && lists && !possible {
			t.Fatalf("some value satisfies them: %v, Lint says that none does: %v\n%s\n%v", possible, says, made, Lint(made.String()))
		}
		said[says]++
	}
	if said[true] < 400 || said[false] < 400 {
		t.Errorf("too little of one: %v", said)
	}
}

// TestLintKnowsDefaults holds what Lint says about the defaults of fields against
// Validate, for a VM that has the parents of these fields and none of them.
func TestLintKnowsDefaults(t *testing.T) {
	random := rand.New(rand.NewPCG(2019, 2))
	vm := decodeExactly(json.RawMessage(`{"kind": "VirtualMachineInstance", "spec": {"domain": {
		"cpu": {}, "machine": {}, "devices": {"disks": [{}], "interfaces": [{"ports": [{}]}]}}}}`))
	said := map[bool]int{}
	for _, d := range alwaysThere {
		for range 100 {
			r := randomRule(random, []any{0, 1, "", "a"})
			r.Name, r.Path = "r", Path{parsed: d.field.Path()}
			made, err := NewRules([]Rule{r})
			if err != nil {
				t.Fatal(err)
			}
			says := finds(made, "default-violates-rule", "unsatisfiable-range", "empty-values", "unsatisfiable-values")
			if report := Validate(made, vm); report.Valid() == says {
				t.Fatalf("Lint says that the default breaks the rule: %v\n%s\n%s", says, made, report)
			}
			said[says]++
		}
	}
	if said[true] < 200 || said[false] < 200 {
		t.Errorf("too little of one: %v", said)
	}
}

// finds tells whether Lint finds one of these.
func finds(rules Rules, ids ...string) bool {
	return slices.ContainsFunc(Lint(rules.String()), func(f Finding) bool { return slices.Contains(ids, f.ID) })
}

func randomRule(random *rand.Rand, pool []any) Rule {
	kinds := []Kind{KindInteger, KindString, KindRegex, KindEnum}
	patterns := []any{"^[0-9]+$", "[a-z]", "^$", "1"}
	r := Rule{Kind: kinds[random.IntN(4)], Path: MustParsePath("jsonpath::.spec.hostname"), Message: "m"}
	some := func(argument *Argument, values ...any) {
		if random.IntN(4) == 0 {
			*argument = MustArgument(values[random.IntN(len(values))])
		}
	}
	some(&r.Min, 0, 1, 2, "1k")
	some(&r.Max, 0, 1, 2, "1k")
	some(&r.MinLength, 0, 1, 2)
	some(&r.MaxLength, 0, 1, 2)
	some(&r.Regex, patterns...)
	if random.IntN(2) == 0 {
		r.Values = []Argument{}
		for range random.IntN(5) {
			r.Values = append(r.Values, MustArgument(pool[random.IntN(len(pool))]))
		}
	}
	return r
}

// TestLintHostile: what is as large as an annotation may be takes no longer than
// reading it and about a second, most of which is for slow machines.
func TestLintHostile(t *testing.T) {
	t.Parallel()
	if racetest.Enabled {
		t.Skip("with the race detector this takes a minute, and nothing here is concurrent")
	}
	const values = `{"name":"r","rule":"enum","path":"jsonpath::.spec.hostname","message":"m","values":[`
	numbered := func(format string) func(int) string {
		return func(i int) string { return strings.ReplaceAll(format, "#", string(mustJSON(i))) }
	}
	var characters strings.Builder
	for i := range rune(1000) {
		characters.WriteRune(0x4e00 + i)
		characters.WriteByte('+')
	}
	tests := []struct {
		name         string
		before, then string
		item         func(i int) string
	}{
		{"rules with nothing", "[", "]", numbered(`{"rle":1,"nme":1,"pth":1}`)},
		{"rules for one path", "[", "]", numbered(`{"name":"#","rule":"integer","path":"jsonpath::.a","message":"m","min":#,"max":9999}`)},
		{"rules that all contradict the first", "[", "]", numbered(`{"name":"#","rule":"enum","path":"jsonpath::.a","message":"m","values":[#]}`)},
		{"values", `[{"name":"r","rule":"enum","path":"jsonpath::.a","message":"m","min":-1,"regex":"^[0-9]+$","values":[`, `]}]`, numbered(`#`)},
		{"the same value", "[" + values, "]}]", numbered(`1`)},
		{"values that do not fit", `[{"name":"r","rule":"integer","path":"jsonpath::.a","message":"m","regex":"(a|b)*c$","values":[`, `]}]`, numbered(`"x#"`)},
		{"regexes beside many values", "[" + values + strings.Repeat(`"sata", `, 9000) + `"ide"]},`,
			`,{"name":"last","rule":"regex","path":"jsonpath::.spec.hostname","message":"m","regex":"^$"}]`,
			numbered(`{"name":"#","rule":"regex","path":"jsonpath::.spec.hostname","message":"m","regex":"[a-z]"}`)},
		{"misspelt keys", `[{`, `}]`, numbered(`"mi#":1`)},
		{"names at any depth", "[" + values, "]}]", numbered(`"jsonpath::..fea#res"`)},
		{"wildcards at any depth", "[" + values, "]}]", numbered(`"jsonpath::..*..*[?(@..*.x==@..*)]"`)},
		{"steps", `[{"name":"r","rule":"enum","message":"m","path":"jsonpath::.spec`, `"}]`, func(int) string { return strings.Repeat("[*]", 9) }},
		{"characters", "[", "]", numbered(`{"name":"#","rule":"regex","path":"jsonpath::.a","message":"m","regex":"(?=a)` + characters.String() + `"}`)},
		{"nested repeats", "[", "]", numbered(`{"name":"#","rule":"regex","path":"jsonpath::.a","message":"m","regex":"` +
			strings.Repeat("(?:", 90) + `(?=a)[b-z]+` + strings.Repeat("a)+", 90) + `"}`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			separator := ","
			if test.name == "steps" {
				separator = ""
			}
			var s strings.Builder
			s.WriteString(test.before)
			for i := range maxRules {
				next := test.item(i)
				if s.Len()+len(separator)+len(next)+len(test.then) > maxAnnotation {
					break
				}
				if i > 0 {
					s.WriteString(separator)
				}
				s.WriteString(next)
			}
			s.WriteString(test.then)
			// With less to spend, it finds less, and says so.
			all, few := Lint(s.String(), workOf(200_000_000)), Lint(s.String(), workOf(40_000_000))
			if len(few) > len(all)+1 {
				t.Errorf("%d findings, and %d with less to spend", len(all), len(few))
			}
			if len(few) < len(all) && !isTooMuch(few) {
				t.Error("nothing says that findings are missing")
			}
		})
	}
}

// isTooMuch reports whether some finding says that there is more than the budget
// suffices for.
func isTooMuch(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		return f.ID == "not-checked" || strings.Contains(f.Message, "is used up")
	})
}
