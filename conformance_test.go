package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/door"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/value"
)

// A vector is one case of testdata/conformance.
type vector struct{ conformance.Vector }

func readVectors(t testing.TB) map[string][]vector {
	t.Helper()
	all := map[string][]vector{}
	for file, vectors := range conformance.Read(t, "testdata/conformance") {
		for _, v := range vectors {
			all[file] = append(all[file], vector{v})
		}
	}
	return all
}

// A judgedVector is a vector of Validate with its rules.
type judgedVector struct {
	vector
	rules Rules
}

// judgedVectors yields the vectors of Validate whose rules can be read, by their file and name.
func judgedVectors(t testing.TB) iter.Seq2[string, judgedVector] {
	return func(yield func(string, judgedVector) bool) {
		for file, vectors := range readVectors(t) {
			for _, v := range vectors {
				if v.Call != "" && v.Call != "validate" {
					continue
				}
				rules, err := ParseRules(v.Text(), v.parseOptions()...)
				if err == nil && !yield(file+"/"+v.Name, judgedVector{v, rules}) {
					return
				}
			}
		}
	}
}

func (v vector) parseOptions() []ParseOption {
	var opts []ParseOption
	if v.IsOld() {
		opts = append(opts, V201901())
	}
	if v.Options.Strict {
		opts = append(opts, Strict())
	}
	if v.Options.Root == "object" {
		opts = append(opts, WholeObjects())
	}
	return opts
}

func (v vector) validateOptions(t testing.TB, decode func(json.RawMessage) map[string]any) []ValidateOption {
	opts := []ValidateOption{withTime}
	if v.Options.Partial {
		opts = append(opts, Partial())
	}
	if v.Options.Ratcheting {
		opts = append(opts, Ratcheting())
	}
	if v.Old != nil {
		opts = append(opts, WithOldObject(decode(v.Old)))
	}
	if v.Instancetype != nil || v.Preference != nil {
		opts = append(opts, WithInstancetype(decode(v.Instancetype), decode(v.Preference)))
	}
	if v.Cluster != nil {
		opts = append(opts, WithInstancetypes(v.Find(decode)))
	}
	if v.Templates != nil || v.Options.Lookup != "" {
		opts = append(opts, WithTemplates(v.lookUp()))
	}
	if v.Options.WarnIfUndecided != nil {
		var doubts []Doubt
		for _, d := range v.Options.WarnIfUndecided {
			doubts = append(doubts, Doubt(d))
		}
		opts = append(opts, WarnIfUndecided(doubts...))
	}
	if v.Options.WithoutInstancetypes {
		opts = append(opts, WithoutInstancetypes())
	}
	for path, value := range v.Options.Defaults {
		opts = append(opts, defaultOf(t, path, value))
	}
	return opts
}

// lookUp returns the function that finds the templates of a vector.
func (v vector) lookUp() func(TemplateRef) (*Template, error) {
	if v.Options.Lookup == "nil" {
		return nil
	}
	return func(ref TemplateRef) (*Template, error) {
		switch v.Options.Lookup {
		case "fails":
			return nil, errors.New("no connection")
		case "panics":
			panic("no cluster")
		}
		namespace := ref.Namespace
		if namespace == "" {
			namespace = ref.VMNamespace
		}
		template := v.FindTemplate(namespace, ref.Name)
		if template == nil {
			return nil, nil
		}
		if v.Options.Lookup != "whole" {
			return &Template{Namespace: namespace, Object: template}, nil
		}
		rules, err := RulesFor(nil, template, WholeObjects())
		return &Template{Namespace: namespace, Rules: rules}, err
	}
}

// withTime lets a regex that backtracks match on a machine that is busy.
var withTime = WithBudget(Budget{Backtracking: time.Minute})

// run makes the call of the vector, with objects from this decoder.
func (v vector) run(t testing.TB, decode func(json.RawMessage) map[string]any) (*Report, error) {
	object := decode(v.Object)
	switch v.Call {
	case "", "validate":
		rules, err := ParseRules(v.Text(), v.parseOptions()...)
		if err != nil {
			return nil, err
		}
		return Validate(rules, object, v.validateOptions(t, decode)...), nil
	case "rulesFor":
		rules, err := RulesFor(object, decode(v.Template), v.parseOptions()...)
		if err != nil {
			return nil, err
		}
		return Validate(rules, object, v.validateOptions(t, decode)...), nil
	case "validateOwn":
		return ValidateOwn(object, v.validateOptions(t, decode)...), nil
	}
	t.Fatalf("unknown call %q", v.Call)
	return nil, nil
}

func TestConformance(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				conformance.Run(t, v.Vector,
					func(decode func(json.RawMessage) map[string]any) (*Report, error) { return v.run(t, decode) })
			})
		}
	}
}

var decodeExactly, decodeOddly = conformance.DecodeExactly, conformance.DecodeOddly

type (
	namedString string
	namedMap    map[namedString]any
	namedList   []any

	resourceQuantity struct{ text string } // has MarshalJSON, as resource.Quantity does
	broken           struct{}              // has a MarshalJSON that fails
	panics           struct{}              // has a MarshalJSON that panics
	point            struct{ X int }
)

func (q resourceQuantity) MarshalJSON() ([]byte, error) { return json.Marshal(q.text) }
func (broken) MarshalJSON() ([]byte, error)             { return nil, errors.New("no") }
func (*panics) MarshalJSON() ([]byte, error)            { panic("half built") }

func pointerTo[T any](v T) *T { return &v }

// WithKind can express the kinds of the format: as Checkers under other names, they give the
// same results.
func TestFormatAsOtherKinds(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	compared := 0
	for name, v := range judgedVectors(t) {
		if slices.Contains(v.Want.Doubts, string(DoubtConflict)) {
			continue // a Checker sees the whole VM, so a conflict leaves all its rules undecided
		}
		for _, decode := range []func(json.RawMessage) map[string]any{decodeExactly, decodeOddly} {
			t.Run(name, func(t *testing.T) {
				compared += checkOtherKinds(t, v.rules, decode(v.Object), v.validateOptions(t, decode)...)
			})
		}
	}
	if compared < 1000 {
		t.Errorf("only %d results were compared", compared)
	}
}

// checkOtherKinds compares the report of the kinds of the format with that of Checkers under
// other names, and returns how many results it compared. It leaves out enum and regex rules
// without arguments, because such a rule is ignored only if its kind is one of the format. It
// also leaves out isMixed results, because for other kinds such a rule is violated or undecided
// as a whole.
func checkOtherKinds(t *testing.T, rules Rules, object map[string]any, opts ...ValidateOption) int {
	t.Helper()
	others := make([]rule, 0, rules.Len())
	for _, r := range rules.rules {
		if r.Kind.isOfFormat() && !r.enforcesNothing() {
			r.checker = typeChecker(constraint.OfKind(r.Kind))
			r.Kind = "other " + r.Kind
			r.literal = constraint.NewSet(constraint.Scalar, r.literal.All())
		}
		others = append(others, r)
	}
	want, got := Validate(rules, object, opts...), Validate(newRules(others, rules.isWhole), object, opts...)
	compared := 0
	wanted, results := want.Results(), got.Results()
	for i := range results {
		results[i].Kind = wanted[i].Kind
		if isMixed(wanted[i]) {
			results[i] = wanted[i]
			continue
		}
		compared++
	}
	if diff := cmp.Diff(wanted, results, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Violation{}, "Text")); diff != "" {
		t.Errorf("(-format +other):\n%s", diff)
	}
	return compared
}

// A typeChecker demands a type, like the kinds of the format.
type typeChecker constraint.Type

func (c typeChecker) Check(in *Input) Verdict {
	if len(in.Values) == 0 {
		missing := in.Violation(-1)
		missing.Reason, missing.Detail = ReasonRequired, notSet
		return Verdict{Outcome: OutcomeViolated, Violations: []Violation{missing}}
	}
	verdict := Verdict{Outcome: OutcomeSatisfied}
	for i, m := range in.Values {
		s, isScalar := value.ScalarOf(m.Value)
		ok, err := constraint.Type(c).Admits(&s, isScalar)
		switch {
		case err != nil && verdict.Note == "":
			verdict.Note, verdict.Doubt = fmt.Sprintf("%s: %v", m.Field, err), DoubtBound
		case err == nil && !ok:
			v := in.Violation(i)
			v.Reason, v.Detail = ReasonTypeInvalid, constraint.Type(c).Mismatch(m.Value)
			verdict.Violations = append(verdict.Violations, v)
		}
	}
	switch {
	case verdict.Violations != nil:
		verdict.Outcome = OutcomeViolated
	case verdict.Note != "":
		verdict.Outcome = OutcomeUndecided
	}
	return verdict
}

// isMixed reports whether some values have the wrong type and others break an argument, or
// whether some could not be judged.
func isMixed(r Result) bool {
	types := 0
	for _, v := range r.Violations {
		if v.Reason == ReasonTypeInvalid {
			types++
		}
	}
	return types > 0 && types < len(r.Violations) || strings.HasPrefix(r.Note, "not decided")
}

// Judging part by part, rules are in force where Validate judges values, and their paths select
// what Validate finds to be wrong.
func TestJudgingAgreesWithValidate(t *testing.T) {
	racetest.SkipLong(t)
	insides := insides{}
	for name, v := range judgedVectors(t) {
		t.Run(name, func(t *testing.T) {
			v.Options.Ratcheting = false // it compares with the old object
			object, opts := decodeExactly(v.Object), v.validateOptions(t, decodeExactly)
			results := Validate(v.rules, object, opts...).Results()
			j := insides.Judging(v.rules, object, opts)
			defer j.Release()
			targets := j.Targets()
			for n := range results {
				if want := results[n]; want.Index >= 0 {
					checkJudging(t, j, v.rules, &targets[n/v.rules.Len()], want)
				}
			}
			if isPartial, _, _ := insides.Settings(opts); isPartial != v.Options.Partial {
				t.Errorf("partial: %t", isPartial)
			}
		})
	}
}

func checkJudging(t *testing.T, j door.Judging, rules Rules, at *target, want Result) {
	t.Helper()
	insides := insides{}
	_, outcome, note := j.InForce(want.Index, at)
	if outcome != "" && (string(want.Outcome) != outcome || want.Outcome != OutcomeUndecided && want.Note != note) {
		t.Errorf("%s: %s (%s), want %s (%s)", want.Rule, outcome, note, want.Outcome, want.Note)
	}
	fields := map[string]string{} // with their origins
	w := j.Search(at, jsonpath.VisitorFunc(func(w *jsonpath.Search, _ any) bool {
		fields[w.At().String()] = at.OriginOf(w.At(), w.StandIn())
		return true
	}))
	err := w.Run(insides.Parsed(want.Path), at.Root)
	if open, why := j.Doubt(at, &w); open && why == nil {
		t.Errorf("%s: open without a reason", want.Rule)
	}
	for _, v := range want.Violations {
		origin, isThere := fields[v.Field]
		if err == nil && v.Value != nil && rules.rules[want.Index].Kind.isOfFormat() && (!isThere || origin != v.Origin) {
			t.Errorf("%s: %s (%q) is not selected: %v", want.Rule, v.Field, v.Origin, fields)
		}
	}
	if root := insides.At(at.At); !at.HasNoVM && at.Nothing == "" && root.IsZero() {
		t.Errorf("%s: %s is not a path", want.Rule, at.At)
	}
	_, read := j.Arguments(want.Index, at)
	if paths := rules.rules[want.Index].paths; len(read) != len(paths) {
		t.Errorf("%s: %v of the arguments %v", want.Rule, read, paths)
	}
	filled := insides.Filled(rules, want.Index, read)
	for key, argument := range filled.Arguments() {
		for _, a := range argument.items() {
			if path, isPath := a.Path(); isPath && rules.rules[want.Index].Kind.isOfFormat() {
				t.Errorf("%s: %s is still %s", want.Rule, key, path)
			}
		}
	}
	if j.Budget().Err() == nil && j.Implied(at) != nil && at.IsWhole {
		t.Errorf("%s: defaults in a whole object", want.Rule)
	}
}

// What lint reads are the problems that ParseRules returns, with and without Strict, and the
// rules that have none.
func TestReadAgreesWithParseRules(t *testing.T) {
	racetest.SkipLong(t)
	insides := insides{}
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				text, opts := v.Text(), v.parseOptions()
				problemsOf := func(opts ...ParseOption) []Problem {
					var err *ParseError
					if _, all := ParseRules(text, opts...); errors.As(all, &err) {
						return err.Problems
					}
					return nil
				}
				b := Budget{}.whole()
				usable, problems, strict := insides.Read(text, opts, &b, nil)
				if diff := cmp.Diff(problemsOf(opts...), problems); diff != "" {
					t.Errorf("(-ParseRules +Read):\n%s", diff)
				}
				all := append(append([]Problem{}, problems...), strict...)
				byPlace := cmpopts.SortSlices(func(p, q Problem) bool { return p.Offset < q.Offset || p.Offset == q.Offset && p.Message < q.Message })
				if diff := cmp.Diff(problemsOf(append(opts, Strict())...), all, cmpopts.EquateEmpty(), byPlace); diff != "" {
					t.Errorf("with Strict (-ParseRules +Read):\n%s", diff)
				}
				isWrong := map[int]bool{}
				for _, p := range problems {
					isWrong[p.Index] = isWrong[p.Index] || !isOfStrict(p.Code)
				}
				for _, r := range usable {
					if isWrong[r.Index] || text[r.Node.Start:r.Node.End] == "" {
						t.Errorf("rule %d has a problem", r.Index)
					}
				}
			})
		}
	}
	if _, _, others := insides.Options([]ParseOption{insides.Option(7), nil}); len(others) != 1 || others[0] != 7 {
		t.Errorf("options: %v", others)
	}
}

// seedVectors adds one of step conformance vectors. A seed costs a fuzzer as much as twenty
// other inputs, and TestConformance, TestPlanChangesNothing and TestFormatAsOtherKinds judge all vectors.
func seedVectors(t testing.TB, step int, add func(annotation, object string)) {
	for _, vectors := range readVectors(t) {
		for i, v := range vectors {
			if i%step == 0 {
				add(v.Text(), string(v.Object))
			}
		}
	}
}

// decodes reports whether a text is a JSON object that Go decoders accept.
func decodes(text string) bool {
	var object map[string]any
	return len(text) < 10_000 && json.Unmarshal([]byte(text), &object) == nil
}

// untested are the sentences of docs/format.md that have no vector, each with the reason.
var untested = map[string]string{}

var (
	numbered  = regexp.MustCompile(`(?m)^\| ([A-Z])(\d+) \|`)
	reference = regexp.MustCompile(`\b[A-Z]\d{1,2}\b`)
)

// numbersOfFormat returns the numbers of the sentences of docs/format.md, in its order.
func numbersOfFormat(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	rows := map[string]int{} // by section
	for _, row := range numbered.FindAllStringSubmatch(string(page), -1) {
		rows[row[1]]++
		if row[2] != fmt.Sprint(rows[row[1]]) {
			t.Errorf("%s%s is row %d of its section", row[1], row[2], rows[row[1]])
		}
		numbers = append(numbers, row[1]+row[2])
	}
	return numbers
}

// TestCoverage checks that each vector names sentences of docs/format.md, and that each sentence has
// vectors. With -v it prints how many, and in which files.
func TestCoverage(t *testing.T) {
	numbers := numbersOfFormat(t)
	if len(numbers) < 100 || len(untested) > 5 {
		t.Errorf("%d of %d sentences are not tested", len(untested), len(numbers))
	}
	counts := map[string]map[string]int{} // of vectors, by number and file
	for _, number := range numbers {
		counts[number] = map[string]int{}
	}
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			for number := range strings.SplitSeq(v.Spec, ", ") {
				if counts[number] == nil {
					t.Errorf("%s/%s tests %q, which docs/format.md does not have", file, v.Name, number)
					continue
				}
				counts[number][file]++
			}
		}
	}
	var table strings.Builder
	for _, number := range numbers {
		total, files := 0, untested[number]
		for _, file := range slices.Sorted(maps.Keys(counts[number])) {
			total += counts[number][file]
			files += fmt.Sprintf("  %s %d", file, counts[number][file])
		}
		fmt.Fprintf(&table, "\n%-4s%5d%s", number, total, files)
		if (total == 0) != (untested[number] != "") {
			t.Errorf("%s has %d vectors, and the reason to have none is %q", number, total, untested[number])
		}
	}
	t.Log(table.String())
}

// TestReferences finds numbers that docs/format.md does not have.
func TestReferences(t *testing.T) {
	numbers := numbersOfFormat(t)
	for _, page := range []string{
		"doc.go", "rule.go", "docs/format.md", "docs/consumers.md", "oracle/jsonpath_exceptions.md", "testdata/conformance/README.md",
	} {
		text, err := os.ReadFile(page)
		if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(page, "oracle/") {
			continue // this is the module alone
		}
		if err != nil {
			t.Fatal(err)
		}
		references := reference.FindAllString(string(text), -1)
		if len(references) == 0 {
			t.Errorf("%s refers to nothing: does the test still read it?", page)
		}
		for _, number := range references {
			if !slices.Contains(numbers, number) {
				t.Errorf("%s refers to %s", page, number)
			}
		}
	}
}

// TestSuite checks that each file of vectors says its version, for readers that are not of this module.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob("testdata/conformance/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var content struct{ Suite string }
		if err := json.Unmarshal(text, &content); err != nil || content.Suite != conformance.Suite {
			t.Errorf("%s: version %q: %v", file, content.Suite, err)
		}
	}
}
