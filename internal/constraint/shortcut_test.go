package constraint_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// A Shortcut must admit and refuse nothing that its Set does not.
func TestShortcut(t *testing.T) {
	values := []any{
		int64(0), int64(1), int64(8), int64(-1), int64(math.MaxInt64), int64(math.MinInt64), 1, 1.5, 8.0, json.Number("8"), true, nil,
		"", "a", "virtio", "sata", "8", "8Gi", "ä", "äöü", "\xff", strings.Repeat("a", 100), strings.Repeat("ä", 51), []any{}, map[string]any{},
	}
	literals := map[string][][]any{
		constraint.Min:       {nil, {"1"}, {json.Number("8")}, {json.Number("1.5")}, {"1e30"}},
		constraint.Max:       {nil, {json.Number("8")}, {"8Gi"}, {json.Number("-1e30")}},
		constraint.MinLength: {nil, {json.Number("1")}, {json.Number("3")}},
		constraint.MaxLength: {nil, {json.Number("2")}, {json.Number("99999999999999999999")}},
		constraint.Values:    {nil, {"virtio", "8"}, {}, {"a", "b", "c", "d", "e", "f", "g", "h", "virtio"}},
		constraint.Regex:     {nil, {"^[a-z]+$"}, {"(?=v)v"}},
	}
	kinds := []constraint.Type{constraint.Scalar, constraint.String, constraint.Integer}
	keys := []string{constraint.Min, constraint.Max, constraint.MinLength, constraint.MaxLength, constraint.Values, constraint.Regex}
	b := &meter.Budget{Meter: meter.New(math.MaxInt, math.MaxInt), Backtracking: math.MaxInt64}
	admitted, refused := 0, 0
	var each func(keys []string, made []constraint.Constraint)
	each = func(keys []string, made []constraint.Constraint) {
		if len(keys) > 0 {
			for _, texts := range literals[keys[0]] {
				next := made[:len(made):len(made)]
				if texts != nil {
					next = append(next, newConstraint(t, keys[0], texts, b))
				}
				each(keys[1:], next)
			}
			return
		}
		for _, kind := range kinds {
			set := constraint.NewSet(kind, append([]constraint.Constraint(nil), made...))
			cut := set.Shortcut()
			for _, v := range values {
				s, isScalar := value.ScalarOf(v)
				failures := slices.Collect(set.Failures(&s, isScalar, b))
				admits, broken := cut.Judge(v, b)
				if admits && len(failures) > 0 || broken != nil && !cmp.Equal([]constraint.Failure{{Demand: broken}}, failures, bySame) {
					t.Fatalf("%v by the shortcut of %s with %v: %t, %v; by the set: %v", v, kind, made, admits, broken, failures)
				}
				if admits {
					admitted++
				}
				if broken != nil {
					refused++
				}
				s.ReadQuantity()
				n, err := s.Quantity()
				i, isWhole := n.Int64()
				if !isScalar || err != nil || !isWhole {
					continue
				}
				admits, broken = cut.JudgeWhole(i)
				if admits && len(failures) > 0 || broken != nil && !cmp.Equal([]constraint.Failure{{Demand: broken}}, failures, bySame) {
					t.Fatalf("%v as a whole number by the shortcut of %s with %v: %t, %v; by the set: %v", v, kind, made, admits, broken, failures)
				}
			}
		}
	}
	each(keys, nil)
	if admitted < 100 || refused < 100 {
		t.Errorf("the shortcuts admit %d values and refuse %d, which are too few to show anything", admitted, refused)
	}
	var zero constraint.Shortcut
	for _, v := range []any{int64(0), ""} {
		if admits, broken := zero.Judge(v, b); admits || broken != nil {
			t.Errorf("the zero Shortcut is sure of %v", v)
		}
	}
}

// bySame compares constraints by identity.
var bySame = cmp.Comparer(func(x, y constraint.Constraint) bool { return x == y })

func newConstraint(t *testing.T, key string, texts []any, b *meter.Budget) constraint.Constraint {
	t.Helper()
	var literals []value.Scalar
	for _, text := range texts {
		s, _ := value.ScalarOf(text)
		literals = append(literals, s)
	}
	c, err := constraint.Named(key).New(literals, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
