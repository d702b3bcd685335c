package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/seeds"
)

// The JSON Schema of rules makes two promises. Validate rejects every object that the
// schema rejects. Validate accepts every object that the schema accepts, apart from what
// the schema lists as not expressed. These tests check both with a JSON Schema validator
// and an engine for ECMA-262, on the rules and VMs that are generated for CEL.

const (
	schemaDefaultSeed = 20201202

	schemaRuleSets  = 3000 // of 1 to 4 rules
	schemaVMsForSet = 4
)

func TestSchema(t *testing.T) {
	t.Parallel()
	seed := generatorSeed(t, schemaDefaultSeed)
	counts, sets := map[string]int{}, schemaRuleSets*factor(t)
	for n := range uint64(sets) {
		g := newCELGen(seed, n)
		rules := g.rules()
		first := schemaCase{celCase: g.vm(rules), partial: g.chance(15), ready: &schemaReady{}}
		first.given = first.celCase
		for i := range schemaVMsForSet {
			c := first
			if i > 0 {
				c.celCase = g.vm(rules)
				c.form = first.form
			}
			if why := c.wrong(t, schemaOf, counts); why != "" {
				t.Fatal(schemaFailure(t, seed, c, schemaOf))
			}
		}
	}
	var listed strings.Builder
	for _, about := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&listed, "%6d  %s\n", counts[about], about)
	}
	t.Logf("\n%s", &listed)
	if compared := counts["rejected by both"] + counts["accepted by both"] + counts["rejected by Validate alone, as listed"]; compared != sets*schemaVMsForSet {
		t.Errorf("%d of %d pairs were compared", compared, sets*schemaVMsForSet)
	}
	for about, least := range map[string]int{
		"rejected by both": 2000, "accepted by both": 800, "equality promised": 1200, "equality promised, nothing listed": 400,
		"equality promised, accepted": 400, "equality promised, rejected": 400, "schema of another VM": 2000,
	} {
		if counts[about] < least {
			t.Errorf("%q only %d times, want %d", about, counts[about], least)
		}
	}
}

// A schemaCase is a VM to judge by rules, and by the schema of the rules. The schema was
// made for another VM, given.
type schemaCase struct {
	celCase
	given   celCase
	partial bool
	ready   *schemaReady // the schema for the VM given; nil to make it again each time
}

// A schemaReady is a compiled schema.
type schemaReady struct {
	compiled *jsonschema.Schema
	listed   []schemaGap
}

func newSchemaReady(t *testing.T, schema map[string]any) *schemaReady {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.UseRegexpEngine(ecmaRegexp)
	if err := compiler.AddResource("schema.json", throughJSON(t, schema)); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		text, _ := json.Marshal(schema)
		t.Fatalf("%s\n%v", text, err)
	}
	return &schemaReady{compiled, schemaListed(t, schema)}
}

func (c schemaCase) options() []vmrules.ValidateOption {
	if c.partial {
		return []vmrules.ValidateOption{withTime, vmrules.Partial()}
	}
	return []vmrules.ValidateOption{withTime}
}

func schemaOf(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) map[string]any {
	return form.Schema(rules, object, opts...)
}

// A schemaFunc is schemaOf, or a variant with a mistake.
type schemaFunc func(vmrules.Rules, map[string]any, ...vmrules.ValidateOption) map[string]any

// wrong returns which promise is broken, or "". It counts what was compared.
func (c schemaCase) wrong(t *testing.T, schemaOf schemaFunc, counts map[string]int) string {
	t.Helper()
	rules, err := vmrules.ParseRules(celAnnotation(c.rules))
	if err != nil {
		t.Fatalf("%s\nis refused: %v", celAnnotation(c.rules), err)
	}
	var ready *schemaReady
	switch given := c.given; {
	case c.given.form != c.form || !c.readsTheSame(rules):
		given = c.celCase
		fallthrough
	case c.ready == nil:
		ready = newSchemaReady(t, schemaOf(rules, given.object(), c.options()...))
	default:
		if c.ready.compiled == nil {
			*c.ready = *newSchemaReady(t, schemaOf(rules, given.object(), c.options()...))
		}
		ready = c.ready
		counts["schema of another VM"]++
	}
	accepts := ready.compiled.Validate(throughJSON(t, c.object())) == nil
	valid := vmrules.Validate(rules, c.object(), c.options()...).Valid()
	equality := c.promised(rules, ready.listed)
	if equality {
		counts["equality promised"]++
		counts[fmt.Sprintf("equality promised, %s", map[bool]string{true: "accepted", false: "rejected"}[valid])]++
		if len(ready.listed) == 0 {
			counts["equality promised, nothing listed"]++
		}
	}
	switch {
	case accepts && valid:
		counts["accepted by both"]++
	case !accepts && !valid:
		counts["rejected by both"]++
	case !accepts:
		return "the schema rejects what Validate accepts"
	case equality:
		return "the schema accepts what Validate rejects, and does not list it"
	default:
		counts["rejected by Validate alone, as listed"]++
	}
	return ""
}

// readsTheSame reports whether the rules read the same arguments from both VMs.
func (c schemaCase) readsTheSame(rules vmrules.Rules) bool {
	content, given := schemaDefaults(c.content), schemaDefaults(c.given.content)
	for _, r := range rules.All() {
		var paths []vmrules.Path
		items, _ := r.Values.List()
		for _, a := range append(items, r.Min, r.Max, r.MinLength, r.MaxLength, r.Regex, r.Values) {
			path, _ := a.Path()
			paths = append(paths, path)
		}
		for _, path := range paths {
			found, err := path.Find(content)
			same, errOfGiven := path.Find(given)
			if err != nil || errOfGiven != nil || !cmp.Equal(found, same) {
				return false
			}
		}
	}
	return true
}

// schemaDefaults returns a copy of a VM's content with the defaults of the fields that
// arguments are read from, since Find sees only written values.
func schemaDefaults(content map[string]any) map[string]any {
	var filled map[string]any
	text, err := json.Marshal(content)
	if err == nil {
		filled, err = vmrules.ToObject(json.RawMessage(text))
	}
	if err != nil {
		panic(err)
	}
	member := func(v any, name string) any {
		object, _ := v.(map[string]any)
		return object[name]
	}
	domain := member(member(filled, "spec"), "domain")
	if cpu, ok := member(domain, "cpu").(map[string]any); ok && (cpu["threads"] == nil || cpu["threads"] == json.Number("0")) {
		cpu["threads"] = json.Number("1")
	}
	disks, _ := member(member(domain, "devices"), "disks").([]any)
	for _, d := range disks {
		if disk, ok := d.(map[string]any); ok && disk["serial"] == nil {
			disk["serial"] = ""
		}
	}
	return filled
}

// A schemaGap is a constraint that a schema lists as not expressed.
type schemaGap struct{ Rule, Argument, Type, Reason string }

func schemaListed(t *testing.T, schema map[string]any) []schemaGap {
	t.Helper()
	text, err := json.Marshal(schema[form.SchemaUnexpressed])
	if err != nil {
		t.Fatal(err)
	}
	var listed []schemaGap
	if err := json.Unmarshal(text, &listed); err != nil {
		t.Fatal(err)
	}
	return listed
}

// promised reports whether nothing in the list affects the VM.
func (c schemaCase) promised(rules vmrules.Rules, listed []schemaGap) bool {
	types := map[string]map[string]bool{} // by rule
	for _, gap := range listed {
		if gap.Type == "" || gap.Rule == "" {
			return false
		}
		if types[gap.Rule] == nil {
			types[gap.Rule] = map[string]bool{}
		}
		types[gap.Rule][gap.Type] = true
	}
	for _, r := range rules.All() {
		found, _ := r.Path.Find(c.content)
		for _, m := range found {
			switch m.Value.(type) {
			case string:
				if types[r.Name]["string"] {
					return false
				}
			case json.Number:
				if types[r.Name]["number"] {
					return false
				}
			}
		}
	}
	return true
}

func throughJSON(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// ecmaEngine is an engine for ECMA-262 with the flag u.
type ecmaEngine struct{ *regexp2.Regexp }

// ecmaCompiled caches compiled patterns: most schemas have the pattern of quantities.
var ecmaCompiled = map[string]ecmaEngine{}

func ecmaRegexp(pattern string) (jsonschema.Regexp, error) {
	if known, ok := ecmaCompiled[pattern]; ok {
		return known, nil
	}
	r, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
	if err == nil {
		ecmaCompiled[pattern] = ecmaEngine{r}
	}
	return ecmaEngine{r}, err
}

func (e ecmaEngine) MatchString(s string) bool {
	matched, err := e.Regexp.MatchString(s)
	return matched && err == nil
}

// schemaFailure shows the smallest case on which a promise is still broken.
func schemaFailure(t *testing.T, seed uint64, c schemaCase, schemaOf schemaFunc) string {
	t.Helper()
	c.ready = nil
	c = c.shrunk(func(c schemaCase) bool { return c.wrong(t, schemaOf, map[string]int{}) != "" })
	rules, _ := vmrules.ParseRules(celAnnotation(c.rules))
	schema, _ := json.MarshalIndent(schemaOf(rules, c.given.object(), c.options()...), "", "  ")
	object, _ := json.Marshal(c.object())
	return fmt.Sprintf("%s=%d\n%s\npartial: %t\nrules:   %s\nobject:  %s\nlibrary: %s\nschema:  %s", seeds.Variable, seed,
		c.wrong(t, schemaOf, map[string]int{}), c.partial, celAnnotation(c.rules), object,
		vmrules.Validate(rules, c.object(), c.options()...), schema)
}

// shrunk returns the smallest case that still fails. It prefers the schema for the VM
// itself, if that fails too.
func (c schemaCase) shrunk(fails func(schemaCase) bool) schemaCase {
	if own := (schemaCase{c.celCase, c.celCase, c.partial, nil}); fails(own) {
		least := c.celCase.shrunk(func(smaller celCase) bool { return fails(schemaCase{smaller, smaller, c.partial, nil}) })
		return schemaCase{least, least, c.partial, nil}
	}
	least := c.celCase.shrunk(func(smaller celCase) bool { return fails(schemaCase{smaller, c.given, c.partial, nil}) })
	return schemaCase{least, c.given, c.partial, nil}
}

// TestSchemaVectors checks both promises on the objects of the conformance vectors, which
// have every kind of target.
func TestSchemaVectors(t *testing.T) {
	files, err := filepath.Glob("../testdata/conformance/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	compared, equal := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var of struct {
			Vectors []struct {
				Name               string
				Annotation, Object json.RawMessage
				Version            string
			}
		}
		if err := json.Unmarshal(text, &of); err != nil {
			t.Fatal(err)
		}
		for _, v := range of.Vectors {
			annotation := string(v.Annotation)
			_ = json.Unmarshal(v.Annotation, &annotation) // it may be a string already
			var opts []vmrules.ParseOption
			if v.Version == "201901-1" {
				opts = append(opts, vmrules.V201901())
			}
			rules, err := vmrules.ParseRules(annotation, opts...)
			object, isObject := schemaObject(v.Object)
			if err != nil || !isObject {
				continue
			}
			for _, opts := range [][]vmrules.ValidateOption{{withTime}, {withTime, vmrules.Partial()}} {
				ready := newSchemaReady(t, form.Schema(rules, object, opts...))
				accepts := ready.compiled.Validate(throughJSON(t, object)) == nil
				report := vmrules.Validate(rules, object, opts...)
				compared++
				if len(ready.listed) == 0 {
					equal++
				}
				if accepts != report.Valid() && (!accepts || len(ready.listed) == 0 && !schemaKnowsNoBounds(report)) {
					t.Errorf("%s, %s: the schema accepts: %t; Validate: %s\n%s\n%s", file, v.Name, accepts, report, annotation, v.Object)
				}
			}
		}
	}
	t.Logf("%d compared, %d with nothing listed", compared, equal)
	if compared < 500 || equal < 100 {
		t.Errorf("%d compared, %d with nothing listed", compared, equal)
	}
}

func schemaObject(text json.RawMessage) (map[string]any, bool) {
	var raw map[string]any
	if len(text) == 0 || json.Unmarshal(text, &raw) != nil || raw == nil {
		return nil, false
	}
	object, err := vmrules.ToObject(text)
	return object, err == nil
}

// schemaKnowsNoBounds reports whether a value is beyond the library's bounds, which a
// schema does not have.
func schemaKnowsNoBounds(r *vmrules.Report) bool {
	return slices.ContainsFunc(r.Results(vmrules.OutcomeUndecided), func(r vmrules.Result) bool {
		text := fmt.Sprint(r.Violations)
		return strings.Contains(text, "1,000") || strings.Contains(text, "10,000")
	})
}

const schemaPatterns = 4000

// TestSchemaPatterns checks that the patterns in schemas match the same strings as in the
// library.
func TestSchemaPatterns(t *testing.T) {
	seed := generatorSeed(t, schemaDefaultSeed)
	source := caseSources[0]
	expressed, compared, verdicts := 0, 0, map[verdict]int{}
	for i := range uint64(schemaPatterns) {
		g := &regexGenerator{Rand: rand.New(rand.NewPCG(seed, i)), source: source}
		c := source.generate(g)
		rules, refusal := regexRule(t, c.pattern)
		if refusal != "" {
			continue
		}
		pattern, ok := schemaPattern(rules)
		if !ok {
			continue
		}
		expressed++
		engine, err := ecmaRegexp(pattern)
		if err != nil {
			t.Fatalf("%s=%d: %q, written as %q: %v", seeds.Variable, seed, c.pattern, pattern, err)
		}
		for i, want := range judge(t, rules, c.subjects, libraryBudget) {
			if got := map[bool]verdict{true: match, false: miss}[engine.MatchString(c.subjects[i])]; want != gaveUp && got != want {
				t.Fatalf("%s=%d: %q, written as %q, and %q: %v, not %v", seeds.Variable, seed, c.pattern, pattern, c.subjects[i], got, want)
			}
			compared++
			verdicts[want]++
		}
	}
	t.Logf("%d of %d patterns are expressed, %d matches compared", expressed, schemaPatterns, compared)
	if expressed < schemaPatterns/4 || verdicts[match] < 1000 || verdicts[miss] < 1000 {
		t.Errorf("%d patterns are expressed, with %v", expressed, verdicts)
	}
}

// schemaPattern returns the pattern in the schema of regexRule, if it has one.
func schemaPattern(rules vmrules.Rules) (string, bool) {
	schema := form.Schema(rules, map[string]any{})
	for _, name := range []string{"properties", "s", "items"} {
		schema, _ = schema[name].(map[string]any)
	}
	if anyOf, ok := schema["anyOf"].([]any); ok {
		schema, _ = anyOf[len(anyOf)-1].(map[string]any)
	}
	pattern, ok := schema["pattern"].(string)
	return pattern, ok
}

// TestSchemaFindsMistakes plants mistakes in schemas. The comparison has to find them, and
// to show them in a small case.
func TestSchemaFindsMistakes(t *testing.T) {
	for _, mistake := range []struct{ name, old, new string }{
		{"min is exclusive", `"minimum"`, `"exclusiveMinimum"`},
		{"max is exclusive", `"maximum"`, `"exclusiveMaximum"`},
		{"no max", `"maximum"`, `"x"`},
		{"minLength is maxLength", `"minLength"`, `"maxLength"`},
		{"no maxLength", `"maxLength"`, `"x"`},
		{"no values", `"enum"`, `"x"`},
		{"no patterns", `"pattern"`, `"x"`},
		{"patterns are anchored", `"pattern":"`, `"pattern":"^`},
		{"all parts but the first are lost", `"allOf"`, `"x"`},
		{"null is not absent", `"null"`, `"object"`},
		{"nothing is required", `"required"`, `"x"`},
		{"one item is enough", `"items"`, `"contains"`},
		{"no item is needed", `"contains"`, `"x"`},
		{"items by index do not count", `"prefixItems"`, `"x"`},
		{"conditions always hold", `"if"`, `"x"`},
		{"conditions are lost", `"then"`, `"x"`},
		{"no booleans", `,"boolean"`, ``},
		{"integers are numbers", `"integer"`, `"number"`},
		{"numbers are integers", `"number"`, `"integer"`},
		{"no quantities with k", `[numkMGTPE]`, `[numMGTPE]`},
		{"0 is not the default", `{"const":0}`, `{"not":{}}`},
		{"nothing is left out", `"type":"string"}`, `"type":"number"}`},
	} {
		t.Run(mistake.name, func(t *testing.T) {
			mistaken := func(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) map[string]any {
				text, err := json.Marshal(schemaOf(rules, object, opts...))
				if err != nil {
					t.Fatal(err)
				}
				var schema map[string]any
				if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), mistake.old, mistake.new)), &schema); err != nil {
					t.Fatal(err)
				}
				return schema
			}
			for n := range uint64(schemaRuleSets) {
				g := newCELGen(schemaDefaultSeed, n)
				c := schemaCase{celCase: g.vm(g.rules())}
				c.given = c.celCase
				if fails := func(c schemaCase) bool { return c.wrong(t, mistaken, map[string]int{}) != "" }; fails(c) {
					if least := c.shrunk(fails); len(least.rules) != 1 || len(least.rules[0].Arguments) > 2 {
						t.Errorf("not small: %s", celAnnotation(least.rules))
					}
					return
				}
			}
			t.Error("not found")
		})
	}
}
