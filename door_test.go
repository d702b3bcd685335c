package vmrules

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules/internal/door"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/racetest"
)

func TestDoorIsShut(t *testing.T) {
	for _, key := range []*door.Key{nil, new(door.Key)} {
		func() {
			defer func() {
				if recover() == nil && key != door.Opened { // the keys have no size, so that two may be one
					t.Error("it opens without the key")
				}
			}()
			Internal.Open(key)
		}()
	}
}

// Judging part by part, rules are in force where Validate judges values, and their paths select
// what Validate finds to be wrong.
func TestJudgingAgreesWithValidate(t *testing.T) {
	racetest.SkipLong(t)
	insides := Internal.Open(door.Opened)
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
			if isPartial, _ := insides.Settings(opts); isPartial != v.Options.Partial {
				t.Errorf("partial: %t", isPartial)
			}
		})
	}
}

func checkJudging(t *testing.T, j door.Judging, rules Rules, at *target, want Result) {
	t.Helper()
	insides := Internal.Open(door.Opened)
	_, outcome, note := j.InForce(want.Index, at)
	if outcome != "" && (string(want.Outcome) != outcome || want.Outcome != Undecided && want.Note != note) {
		t.Errorf("%s: %s (%s), want %s (%s)", want.Rule, outcome, note, want.Outcome, want.Note)
	}
	fields := map[string]string{} // with their origins
	w := j.Search(at, jsonpath.VisitorFunc(func(w *jsonpath.Search, _ any) bool {
		fields[w.At().String()] = j.Origin(at, w.At(), w.StandIn())
		return true
	}))
	err := w.Run(insides.Parsed(want.Path), at.Root)
	if open, why := j.Doubt(at, &w); open && why == nil {
		t.Errorf("%s: open without a reason", want.Rule)
	}
	for _, v := range want.Violations {
		origin, isThere := fields[v.Field]
		if err == nil && v.Value != nil && rules.rules[want.Index].Kind.IsOfFormat() && (!isThere || origin != v.Origin) {
			t.Errorf("%s: %s (%q) is not selected: %v", want.Rule, v.Field, v.Origin, fields)
		}
	}
	if root := insides.At(at.At); !at.HasNoVM && at.Nothing == "" && root.IsZero() {
		t.Errorf("%s: %s is not a path", want.Rule, at.At)
	}
	_, read := j.Arguments(want.Index, at)
	_, unread := insides.Demands(rules, want.Index)
	if len(read) != len(unread) {
		t.Errorf("%s: %v of the arguments %v", want.Rule, read, unread)
	}
	filled := insides.Filled(rules, want.Index, read)
	for key, arguments := range filled.Arguments() {
		for _, a := range arguments {
			if path, isPath := a.Path(); isPath && rules.rules[want.Index].Kind.IsOfFormat() {
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
	insides := Internal.Open(door.Opened)
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				text, opts := v.Text(t), v.parseOptions()
				problemsOf := func(opts ...ParseOption) []Problem {
					var err *ParseError
					if _, all := ParseRules(text, opts...); errors.As(all, &err) {
						return err.Problems
					}
					return nil
				}
				b := insides.NewBudget()
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
	if _, others := insides.Options([]ParseOption{insides.Option(7), nil}); len(others) != 1 || others[0] != 7 {
		t.Errorf("options: %v", others)
	}
}
