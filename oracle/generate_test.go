package oracle

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
)

// generatorSeed is the seed of a run: the same each time, unless a variable says
// another. It is printed, so that what failed can be run again.
func generatorSeed(t testing.TB, variable string, otherwise uint64) uint64 {
	t.Helper()
	seed := otherwise
	if text := os.Getenv(variable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
	}
	t.Logf("%s=%d", variable, seed)
	return seed
}

// smallerParts lists what a JSON value becomes with one part less: a member or
// an item anywhere in it or, if leaf is given, what that makes of the rest.
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
