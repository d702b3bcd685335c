package constraint_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/internal/value"
)

// literals are the arguments of random sets. They are close to each other, so that sets
// overlap, contain and exclude each other.
var literals = map[string][]any{
	constraint.Min:       {json.Number("1"), json.Number("2"), "2Ki", json.Number("2.5"), "-1"},
	constraint.Max:       {json.Number("1"), json.Number("2"), "2Ki", json.Number("2.5"), "3000"},
	constraint.MinLength: {json.Number("1"), json.Number("2"), json.Number("4")},
	constraint.MaxLength: {json.Number("1"), json.Number("2"), json.Number("4")},
	constraint.Values:    {"1", json.Number("2"), "2Ki", "virtio", "true", false},
	constraint.Regex:     {"^[0-9]", "i", "^..$", "^virtio$"},
}

var types = []constraint.Type{constraint.Scalar, constraint.String, constraint.Number, constraint.Integer}

// candidates are the values that the random sets judge.
var candidates = []any{
	json.Number("0"), json.Number("1"), json.Number("2"), json.Number("2.5"), json.Number("2048"), json.Number("3000"),
	"", "1", "2", "22", "2Ki", "2.5", "virtio", "vi", "true", "sata", true, false,
}

func newBudget() *meter.Budget {
	return &meter.Budget{Meter: meter.New(1_000_000_000, 64<<20), Backtracking: time.Minute}
}

func scalars(t *testing.T, values []any) []value.Scalar {
	t.Helper()
	var all []value.Scalar
	for _, v := range values {
		s, ok := value.ScalarOf(v)
		if !ok {
			t.Fatalf("%v is not a scalar", v)
		}
		all = append(all, s)
	}
	return all
}

func randomSet(t *testing.T, r *rand.Rand) constraint.Set {
	t.Helper()
	var all []constraint.Constraint
	for i := range constraint.Arguments {
		a := &constraint.Arguments[i]
		if r.IntN(3) > 0 {
			continue
		}
		from := literals[a.Key]
		chosen := []any{from[r.IntN(len(from))]}
		for a.IsList && r.IntN(4) > 0 {
			chosen = append(chosen, from[r.IntN(len(from))])
		}
		c, err := a.New(scalars(t, chosen), newBudget())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return constraint.NewSet(types[r.IntN(len(types))], all)
}

// Together, sets admit the values that each of them admits. If they conflict, they admit none.
func TestTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(seeds.Of(1), 2))
	admitted, conflicts := 0, 0
	for range 3000 {
		b := newBudget()
		first, second := randomSet(t, r), randomSet(t, r)
		var together constraint.Combination
		together.Add(&first, b)
		conflict := false
		for range together.Conflicts(&second, b) {
			conflict = true
		}
		together.Add(&second, b)
		both := together.Set()
		for _, v := range candidates {
			s, _ := value.ScalarOf(v)
			want := admits(&first, &s, b) && admits(&second, &s, b)
			if got := admits(&both, &s, b); got != want {
				t.Fatalf("%v and %v: %v is admitted: %t, want %t", first.All(), second.All(), v, got, want)
			}
			if want && conflict {
				t.Fatalf("%v and %v conflict, and admit %v", first.All(), second.All(), v)
			}
			if typed, err := both.Type().Admits(&s, true); want && (!typed || err != nil) {
				t.Fatalf("%v and %v admit %v, and their type %s does not", first.All(), second.All(), v, both.Type())
			}
			if want {
				admitted++
			}
		}
		if conflict {
			conflicts++
		}
	}
	if admitted < 1000 || conflicts < 100 {
		t.Errorf("%d values were admitted, and %d sets conflict: too few", admitted, conflicts)
	}
}

// admits reports whether a value certainly satisfies a set.
func admits(set *constraint.Set, v *value.Scalar, b *meter.Budget) bool {
	for range set.Failures(v, true, b) {
		return false
	}
	return true
}

// A value has findings if, and only if, it does not satisfy its type or a constraint.
func TestFindings(t *testing.T) {
	r := rand.New(rand.NewPCG(seeds.Of(3), 4))
	for range 1000 {
		b, set := newBudget(), randomSet(t, r)
		for _, v := range candidates {
			s, _ := value.ScalarOf(v)
			found := 0
			for f := range set.Failures(&s, true, b) {
				if f.Err != nil || set.Breach(f.Demand, v, &s).Detail == "" {
					t.Fatalf("%v: %v: %+v", set.All(), v, f)
				}
				found++
			}
			isFit, _ := set.Type().Admits(&s, true)
			for _, c := range set.All() {
				holds, _ := c.Holds(&s, b)
				isFit = isFit && holds
			}
			if isFit != (found == 0) {
				t.Fatalf("%v: %v satisfies all: %t, with %d findings", set.All(), v, isFit, found)
			}
		}
	}
}

func TestDetails(t *testing.T) {
	set := func(kind constraint.Type, literal map[string][]any) constraint.Set {
		var all []constraint.Constraint
		for key, values := range literal {
			c, err := constraint.Named(key).New(scalars(t, values), newBudget())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		return constraint.NewSet(kind, all)
	}
	for _, test := range []struct {
		set   constraint.Set
		value any
		want  []string
	}{
		{set(constraint.Integer, nil), "500m", []string{`: "500m" is not an integer`}},
		{set(constraint.String, nil), json.Number("1"), []string{`: 1 is not a string`}},
		{set(constraint.Scalar, nil), []any{}, []string{`: an array is not a string, number or boolean`}},
		{
			set(constraint.Scalar, map[string][]any{"regex": {"^v"}, "max": {"1Gi"}, "minLength": {json.Number("3")}}), "s1",
			[]string{`max: "s1" is not a number, and max is 1Gi`, `minLength: "s1" has 2 characters, fewer than minLength 3`,
				`regex: "s1" does not match "^v"`},
		},
		{set(constraint.Scalar, map[string][]any{"values": {"a", "b"}}), "c", []string{`values: "c" is not one of "a", "b"`}},
	} {
		s, isScalar := value.ScalarOf(test.value)
		var got []string
		for f := range test.set.Failures(&s, isScalar, newBudget()) {
			got = append(got, f.Key()+": "+test.set.Breach(f.Demand, test.value, &s).Detail)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.value, diff)
		}
	}
}

// An unusable argument is an error that says what would be usable.
func TestUnfit(t *testing.T) {
	for _, test := range []struct {
		key     string
		literal any
		fault   constraint.Fault
		want    string
	}{
		{"min", true, constraint.WrongType, `must be a number, a quantity such as "2Gi", or a JSONPath, not true`},
		{"max", ".spec.a", constraint.Invalid,
			`must be a number, a quantity such as "2Gi", or a JSONPath, not ".spec.a" (for a path write "jsonpath::.spec.a")`},
		{"minLength", json.Number("-1"), constraint.Invalid, `must be a whole number that is not negative, or a JSONPath, not -1`},
		{"regex", json.Number("1"), constraint.WrongType, `must be a regular expression in a string, or a JSONPath, not 1`},
	} {
		_, err := constraint.Named(test.key).New(scalars(t, []any{test.literal}), newBudget())
		e, ok := err.(*constraint.Error)
		if !ok || e.Fault != test.fault || e.Error() != test.want {
			t.Errorf("%s %v: %v\nwant %s", test.key, test.literal, err, test.want)
		}
	}
}
