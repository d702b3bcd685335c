package oracle

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/vmrules/vmrules/internal/seeds"
)

// generatorSeed returns the seed of a run: that of the environment variable, or otherwise.
// It logs the seed, so that a failure can be repeated.
func generatorSeed(t testing.TB, otherwise uint64) uint64 {
	t.Helper()
	n := seeds.Of(otherwise)
	t.Logf("%s=%d", seeds.Variable, n)
	return n
}

// factor returns ORACLE_FACTOR, which multiplies the number of generated cases.
func factor(t testing.TB) int {
	t.Helper()
	f, err := strconv.Atoi(cmp.Or(os.Getenv("ORACLE_FACTOR"), "1"))
	if err != nil || f < 1 {
		t.Fatalf("ORACLE_FACTOR must be a positive number")
	}
	return f
}

// smallerParts lists the values that a JSON value becomes when one part is removed: a
// member or an item at any depth. If leaf is not nil, it also replaces each scalar with
// each value that leaf returns for it.
func smallerParts(v any, leaf func(any) []any) []any {
	var all []any
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			without := maps.Clone(v)
			delete(without, name)
			all = append(all, without)
			for _, smaller := range smallerParts(v[name], leaf) {
				changed := maps.Clone(v)
				changed[name] = smaller
				all = append(all, changed)
			}
		}
	case []any:
		for i := range v {
			all = append(all, slices.Delete(slices.Clone(v), i, i+1))
			for _, smaller := range smallerParts(v[i], leaf) {
				changed := slices.Clone(v)
				changed[i] = smaller
				all = append(all, changed)
			}
		}
	default:
		if leaf != nil {
			return leaf(v)
		}
	}
	return all
}
