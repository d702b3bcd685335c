package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
)

func sorted(all []vmPlace) []vmPlace {
	slices.SortFunc(all, func(a, b vmPlace) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return all
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

const (
	// seedsVariable is an environment variable that says with which seeds the generators are tested: 30
	// is for 1 to 30, and 17-19 for three of these. Without it, there is one seed.
	seedsVariable = "VMRULES_POLICY_SEEDS"

	generatedRules = 1000
	generatedVMs   = 12
)

// forSeeds runs a test with each seed.
func forSeeds(t *testing.T, test func(t *testing.T, seed uint64)) {
	t.Parallel()
	first, last, isRange := strings.Cut(cmp.Or(os.Getenv(seedsVariable), "1"), "-")
	if !isRange {
		first, last = "1", first
	}
	from, err := strconv.ParseUint(first, 10, 64)
	to, alsoErr := strconv.ParseUint(last, 10, 64)
	if err != nil || alsoErr != nil || from > to {
		t.Fatalf("%s must be a number or a range, such as 17-19", seedsVariable)
	}
	for seed := from; seed <= to; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { test(t, seed) })
	}
}

// of returns the generator that makes the n-th rule of a seed.
func (g generator) of(seed, n uint64) *generator {
	g.Rand = rand.New(rand.NewPCG(seed, n))
	return &g
}

func parseOne(t *testing.T, rule map[string]any) vmrules.Rules {
	t.Helper()
	text, err := json.Marshal([]any{rule})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := vmrules.ParseRules(string(text))
	if err != nil {
		return vmrules.Rules{} // such as a min that is a string without a number
	}
	return rules
}

// parseAll is for rules without problems.
func parseAll(t *testing.T, rules ...any) vmrules.Rules {
	t.Helper()
	text, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := vmrules.ParseRules(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// want returns whether the expression must be true, and the outcome of the rule.
func want(rules vmrules.Rules, object map[string]any) (bool, vmrules.Outcome) {
	outcome := vmrules.Validate(rules, object).Results()[0].Outcome
	return outcome == vmrules.Satisfied || outcome == vmrules.Skipped, outcome
}

// An evaluator evaluates one translated rule on a VM.
type evaluator func(object map[string]any) (celResult, error)

// A vmSource makes rules and VMs for them, and counts the results.
type vmSource struct {
	name string
	generator
	counts map[string]int
}

// A translated rule, in each form, is true for exactly those VMs for which the rule is Satisfied
// or Skipped. If a VM has an object instead of a list or the like, a policy for any types may also
// be an error.
func TestTranslate(t *testing.T) { forSeeds(t, testTranslate) }

func testTranslate(t *testing.T, seed uint64) {
	for _, c := range []struct {
		name    string
		sources []vmSource // which make the same rules, so that each is translated once
		compile func(*testing.T, vmrules.Rules) (string, evaluator)
	}{
		{
			"policy", []vmSource{{name: "without null", generator: generator{noNulls: true}}, {name: "with null"}},
			func(t *testing.T, rules vmrules.Rules) (string, evaluator) { return policyOf(t, Translate(rules)) },
		},
		{
			"policy with declared types", []vmSource{{generator: generator{noNulls: true, noFloats: true, declared: true}}},
			func(t *testing.T, rules vmrules.Rules) (string, evaluator) {
				return typedPolicyOf(t, onlyPolicy(rules))
			},
		},
		{
			"policy for any types",
			[]vmSource{{name: "any scalars", generator: generator{anyTypes: true}}, {name: "any objects", generator: generator{anyTypes: true, chaos: true}}},
			func(t *testing.T, rules vmrules.Rules) (string, evaluator) {
				return policyOf(t, onlyPolicy(rules, AnyTypes()))
			},
		},
		{
			"crd", []vmSource{{generator: generator{noNulls: true, noFloats: true}}},
			func(t *testing.T, rules vmrules.Rules) (string, evaluator) { return crdOf(t, onlyCRD(rules)) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i := range c.sources {
				c.sources[i].counts = map[string]int{}
			}
			for n := range uint64(generatedRules) {
				compareRule(t, seed, n, c.sources, c.compile)
			}
			for _, s := range c.sources {
				s.check(t)
			}
		})
	}
}

// compareRule compares the n-th rule of the sources with its translation, on the VMs of each.
func compareRule(t *testing.T, seed, n uint64, sources []vmSource, compile func(*testing.T, vmrules.Rules) (string, evaluator)) {
	var translated vmrules.Rules
	var expression string
	var eval evaluator
	for i, s := range sources {
		s.generator = *s.of(seed, n)
		rules := parseOne(t, s.rule())
		if rules.Len() == 0 {
			return
		}
		if i == 0 {
			translated = rules
			expression, eval = compile(t, rules)
		}
		if !rules.Equal(translated) {
			t.Fatalf("the sources make different rules: %s and %s", translated, rules)
		}
		if eval == nil {
			s.counts["refused"]++
			continue
		}
		s.compare(t, rules, expression, eval)
	}
}

// compare compares a rule with its translation on some VMs.
func (s *vmSource) compare(t *testing.T, rules vmrules.Rules, expression string, eval evaluator) {
	for range generatedVMs {
		object := s.vm()
		holds, outcome := want(rules, object)
		got, err := eval(object)
		if got == "" {
			s.counts["denied by the schema"]++
			continue
		}
		s.counts[fmt.Sprintf("%s: %s", outcome, got)]++
		if !s.disagrees(object, holds, got) {
			continue
		}
		text, _ := json.Marshal(object)
		t.Errorf("%s: rules %s\nexpression %s\nobject %s\nvmrules %s, CEL %s (%v)", s.name, rules, expression, text, outcome, got, err)
		if s.counts["different"]++; s.counts["different"] > 5 {
			t.FailNow()
		}
	}
}

// check fails the test if there were too few of some results.
func (s *vmSource) check(t *testing.T) {
	t.Log(s.name, table(s.counts))
	least, results := 10, []string{"Satisfied: true", "Skipped: true", "Violated: false", "Violated: error", "Undecided: false", "refused"}
	if s.chaos {
		least, results = 1000, []string{"Satisfied: true", "Skipped: true", "Violated: false"}
	}
	for _, result := range results {
		if s.counts[result] < least {
			t.Errorf("%s: %s only %d times", s.name, result, s.counts[result])
		}
	}
}

// disagrees reports whether an expression has a result that it must not have for a VM that
// satisfies the rule, or does not.
func (g *generator) disagrees(vm map[string]any, holds bool, got celResult) bool {
	if !holds {
		return got == celTrue
	}
	mayFail := g.chaos && got == celError
	return got != celTrue && !mayFail && !g.mayDeny(vm)
}

// mayDeny reports whether the expression for a rule that a VM satisfies may be false: the VM names an
// instance type or a preference, or has null, which KubeVirt's CRD denies.
func (g *generator) mayDeny(vm map[string]any) bool {
	return namesSetter(vm) || !g.anyTypes && hasNull(vm)
}

// namesSetter reports whether a VM names an instance type or a preference.
func namesSetter(object map[string]any) bool {
	spec, _ := object["spec"].(map[string]any)
	return spec["instancetype"] != nil || spec["preference"] != nil
}

// hasNull reports whether a value contains null.
func hasNull(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasNull)
	case []any:
		return slices.ContainsFunc(v, hasNull)
	}
	return v == nil
}

// onlyPolicy does what Translate does for a policy.
func onlyPolicy(rules vmrules.Rules, opts ...Option) (out Translation) {
	for _, r := range rules.All() {
		_ = out.addPolicy(r, &allowance{left: maxTranslation}, opts) // a rule that is refused is missing in out
	}
	return out
}

// onlyCRD does what Translate does for a CRD.
func onlyCRD(rules vmrules.Rules) (out Translation) {
	all := newSchema()
	for _, r := range rules.All() {
		_ = out.addCRD(r, &allowance{left: maxTranslation}, all)
	}
	out.Schema = all.ofVM(out.CRD)
	return out
}

func policyOf(t *testing.T, out Translation) (string, evaluator) {
	if len(out.Policy) == 0 {
		return "", nil
	}
	program := compilePolicy(t, out.Policy[0].Expression)
	return out.Policy[0].Expression, func(object map[string]any) (celResult, error) { return evalPolicy(program, object) }
}

func crdOf(t *testing.T, out Translation) (string, evaluator) {
	if len(out.CRD) == 0 {
		return "", nil
	}
	validator := compileCRD(t, out.Schema)
	return out.CRD[0].Rule, func(object map[string]any) (celResult, error) {
		if err := validator.denies(object); err != nil {
			return "", err
		}
		return validator.eval(object)
	}
}

func table(counts map[string]int) string {
	var s strings.Builder
	for _, about := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&s, "\n%7d %s", counts[about], about)
	}
	return s.String()
}

// A vector is a rule and its translations. The rule has no name and no message: they are
// the same in all vectors.
type vector struct {
	Name         string
	Rule         map[string]any
	Policy       string   `json:",omitempty"`
	Warning      string   `json:",omitempty"`
	AnyTypes     string   `json:",omitempty"` // of the policy
	Update       string   `json:",omitempty"` // what is added to the policy, so that it forgives updates
	CRD          string   `json:",omitempty"`
	FieldPath    string   `json:",omitempty"`
	Untranslated []string `json:",omitempty"`
}

func (v vector) translated(t *testing.T) vector {
	t.Helper()
	rule := map[string]any{"name": "r", "message": "m"}
	maps.Copy(rule, v.Rule)
	rules := parseAll(t, rule)
	out := Translate(rules)
	got := vector{Name: v.Name, Rule: v.Rule}
	for _, p := range out.Policy {
		got.Policy = p.Expression
	}
	for _, p := range out.Warnings {
		got.Warning = p.Expression
	}
	for _, r := range out.CRD {
		got.CRD, got.FieldPath = r.Rule, r.FieldPath
	}
	for _, u := range out.Untranslated {
		got.Untranslated = append(got.Untranslated, u.String())
	}
	if v.Update != "" {
		got.Update = strings.TrimPrefix(out.forgiving[0].forgiving, grouped(got.Policy, " ? ")+" || ")
	}
	if v.AnyTypes != "" {
		got.AnyTypes = Translate(rules, AnyTypes()).Policy[0].Expression
	}
	return got
}

func readVectors(t testing.TB) []vector { return readJSON[vector](t, "testdata/vectors.json") }

func readJSON[T any](t testing.TB, file string) (all []T) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// The vectors show the translation of each kind and argument.
func TestVectors(t *testing.T) {
	vectors := readVectors(t)
	var got []vector
	for _, v := range vectors {
		got = append(got, v.translated(t))
	}
	if diff := gocmp.Diff(vectors, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A CRD with all translated rules of the vectors passes the API server's own
// validation: its schema is structural, messages and field paths are right, and
// the cost of each rule and of all is within the bounds.
func TestCRDIsValid(t *testing.T) {
	rules := vectorRules(t)
	out := Translate(rules)
	if len(out.CRD) < 20 {
		t.Fatalf("only %d rules", len(out.CRD))
	}
	crd := apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "virtualmachines.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "virtualmachines", Singular: "virtualmachine", Kind: "VirtualMachine", ListKind: "VirtualMachineList",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: out.Schema},
			}},
		},
		Status: apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	var internal apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&crd, &internal, nil); err != nil {
		t.Fatal(err)
	}
	for _, err := range crdvalidation.ValidateCustomResourceDefinition(t.Context(), &internal) {
		t.Error(err)
	}
}

// vectorRules are the rules of all vectors together.
func vectorRules(t *testing.T) vmrules.Rules {
	t.Helper()
	var all []any
	for i, v := range readVectors(t) {
		rule := map[string]any{"name": fmt.Sprint("rule-", i), "message": "what is\nwrong"}
		maps.Copy(rule, v.Rule)
		all = append(all, rule)
	}
	return parseAll(t, all...)
}

// Each rule is in each form, or is listed as untranslated for that form.
func TestTranslateLosesNone(t *testing.T) {
	rules := vectorRules(t)
	out := Translate(rules)
	listed := map[Form]int{}
	for _, u := range out.Untranslated {
		listed[u.Form]++
	}
	got := map[Form]int{
		FormPolicy: len(out.Policy) + len(out.Warnings) + listed[FormPolicy] + listed[FormBoth],
		FormCRD:    len(out.CRD) + listed[FormCRD] + listed[FormBoth],
	}
	want := map[Form]int{FormPolicy: rules.Len(), FormCRD: rules.Len()}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Translate promises nothing about numbers in a VM that CEL does not represent exactly. Each
// case fails once CEL represents its number.
func TestNumbersBeyond(t *testing.T) {
	for _, c := range []struct {
		name  string
		rule  map[string]any
		value string // JSON
		want  vmrules.Outcome
		got   celResult
	}{
		{"integers of 19 digits", map[string]any{"rule": "integer"}, `"9223372036854775807"`, vmrules.Satisfied, celFalse},
		{"integers beyond int64", map[string]any{"rule": "integer"}, `9223372036854775808`, vmrules.Satisfied, celFalse},
		{"digits beyond double", map[string]any{"rule": "enum", "max": 0.1}, `0.10000000000000000001`, vmrules.Violated, celTrue},
		{"finer than nano", map[string]any{"rule": "string", "min": 1}, `"0.99999999999"`, vmrules.Violated, celTrue},
		{"with an exponent as text", map[string]any{"rule": "enum", "values": []any{"1000000"}}, `1e6`, vmrules.Satisfied, celFalse},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.rule["name"], c.rule["message"], c.rule["path"] = "r", "m", "jsonpath::.spec.limits.a"
			rules := parseOne(t, c.rule)
			object := map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{
				"spec": map[string]any{"limits": map[string]any{"a": json.RawMessage(c.value)}}}}}
			text, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			_, outcome := want(rules, conformance.DecodeExactly(text))
			_, eval := policyOf(t, Translate(rules))
			got, _ := eval(decoded(object))
			if outcome != c.want || got != c.got {
				t.Errorf("vmrules %s, CEL %s, want %s, %s", outcome, got, c.want, c.got)
			}
		})
	}
}

// Very long paths, names and lists of values are refused without being translated.
func TestBounds(t *testing.T) {
	t.Parallel()
	values := make([]vmrules.Argument, 20_000)
	for i := range values {
		values[i] = vmrules.MustNewArgument(fmt.Sprint("v", i))
	}
	for _, r := range []vmrules.Rule{
		{Path: vmrules.MustParsePath("jsonpath::.spec.x" + strings.Repeat("[*]", 20_000))},
		{Path: vmrules.MustParsePath("jsonpath::" + strings.Repeat(".a", 20_000))},
		{Path: vmrules.MustParsePath("jsonpath::.spec.hostname"), Values: values},
		{Path: vmrules.MustParsePath("jsonpath::.spec." + strings.Repeat("a", 60_000))},
	} {
		r.Kind, r.Name, r.Message = vmrules.KindString, "r", "m"
		rules, err := vmrules.NewRules([]vmrules.Rule{r})
		if err != nil {
			t.Fatal(err)
		}
		if out := Translate(rules); len(out.Policy)+len(out.CRD) != 0 || len(out.Untranslated) == 0 {
			t.Errorf("%.50s: %d, %d", r.Path, len(out.Policy), len(out.CRD))
		}
	}
}

// For any rules, each is translated or listed as untranslated, and all expressions compile. So do
// those of the whole policies, in which any text may be the name of a template.
func FuzzTranslate(f *testing.F) {
	for _, v := range readVectors(f) {
		text, err := json.Marshal([]any{v.Rule})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.Replace(string(text), "{", `{"name":"r","message":"m",`, 1))
	}
	f.Fuzz(func(t *testing.T, annotation string) {
		rules, err := vmrules.ParseRules(annotation)
		if err != nil || rules.Len() > 3 {
			return
		}
		for _, opts := range [][]Option{nil, {AnyTypes()}} {
			out := Translate(rules, opts...)
			if n := len(out.Policy) + len(out.Warnings) + len(out.Untranslated); n < rules.Len() {
				t.Errorf("%d of %d rules", n, rules.Len())
			}
			for _, u := range out.Untranslated {
				if strings.Contains(u.Why, "does not compile") {
					t.Error(u)
				}
			}
			policies, err := out.Policies("fuzz", Scope{Template: annotation, Namespace: annotation, Annotation: annotation})
			if err != nil {
				t.Error(err)
			}
			for _, p := range policies {
				checkObject(t, p.Policy)
			}
		}
	})
}

// A rule with an argument that the translation does not know is not translated. The test forgets
// each argument in turn, because vmrules has no others yet.
func TestUnknownArgument(t *testing.T) {
	rules := parseAll(t, map[string]any{
		"name": "r", "message": "m", "rule": "string", "path": "jsonpath::.spec.hostname",
		"min": 1, "max": 2, "minLength": 1, "maxLength": 2, "values": []any{"1"}, "regex": "1",
	})
	if out := Translate(rules); out.Untranslated != nil {
		t.Fatal(out.Untranslated)
	}
	known := translated
	defer func() { translated = known }()
	for i, key := range known {
		translated = slices.Delete(slices.Clone(known), i, i+1)
		want := []Untranslated{{Form: FormBoth, Rule: "r", Key: key, Why: "this version of the translation does not know the argument"}}
		if diff := gocmp.Diff(want, Translate(rules).Untranslated); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

// Rules about whole objects are not translated.
func TestRulesAboutObjects(t *testing.T) {
	rules, err := vmrules.ParseRules(`[{"name": "n", "rule": "string", "path": "jsonpath::.metadata.name", "message": "m"}]`, vmrules.WholeObjects())
	if err != nil {
		t.Fatal(err)
	}
	got := Translate(rules).Untranslated
	want := []Untranslated{{Form: FormBoth, Rule: "n", Why: "the rule is about whole objects, not about a VM's spec.template"}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The work of compiling all rules is bounded: the rules beyond the bound are untranslated.
func TestManyRules(t *testing.T) {
	t.Parallel()
	var list []vmrules.Rule
	for i := range 1000 {
		list = append(list, vmrules.Rule{Kind: vmrules.KindInteger, Name: fmt.Sprint(i), Path: vmrules.MustParsePath("jsonpath::.spec.domain.cpu.cores"), Message: "m"})
	}
	rules, err := vmrules.NewRules(list)
	if err != nil {
		t.Fatal(err)
	}
	out := Translate(rules)
	if len(out.Policy) < 100 || len(out.CRD) < 100 || len(out.Untranslated) < 500 {
		t.Fatalf("%d and %d rules are translated, %d are not", len(out.Policy), len(out.CRD), len(out.Untranslated))
	}
	want := Untranslated{Form: FormBoth, Index: 999, Rule: "999", Why: "compiling it and the rules before it would take too long: translate fewer rules at once"}
	if diff := gocmp.Diff(want, out.Untranslated[len(out.Untranslated)-1]); diff != "" {
		t.Errorf("the last rule (-want +got):\n%s", diff)
	}
}
