package constraint

import (
	"iter"
	"slices"

	"github.com/vmrules/vmrules/internal/meter"
)

// A Combination is what several sets demand of one value. The zero Combination demands nothing.
// It is not safe for concurrent use.
type Combination struct {
	kind Type
	ones [len(Arguments)]Constraint // one of each argument, in the order of Arguments; nil if there is none
	more []Constraint               // those that could not be combined with one of the same argument
	seen map[string]bool
}

// Add adds what a set demands. It combines two constraints of the same argument into one if
// it can; if they are equally strict, it keeps the earlier one. Add pays from b; if the
// budget is used up, the result means nothing.
func (t *Combination) Add(s *Set, b *meter.Budget) {
	t.kind |= s.kind
	for _, c := range s.all {
		i := order(c)
		one := c
		if t.ones[i] != nil {
			one = t.ones[i].with(c, b)
		}
		if one != nil {
			t.ones[i] = one
			continue
		}
		if t.seen == nil {
			t.seen = map[string]bool{}
		}
		if id := c.Key() + " " + c.String(); !t.seen[id] {
			t.seen[id] = true
			t.more = append(t.more, c)
		}
	}
}

// Set returns what the sets that were added demand.
func (t *Combination) Set() Set {
	var all []Constraint
	for _, c := range t.ones {
		if c != nil {
			all = append(all, c)
		}
	}
	return NewSet(t.kind, append(all, t.more...))
}

// Conflicts yields the pairs of constraints that no value would satisfy if the set were
// added: two bounds that cross, or the same constraint twice if it allows no value. If it
// yields none, there may still be no value that satisfies everything.
func (t *Combination) Conflicts(s *Set, b *meter.Budget) iter.Seq2[Constraint, Constraint] {
	together := Combination{ones: t.ones}
	together.Add(s, b)
	return func(yield func(x, y Constraint) bool) {
		for i, x := range together.ones {
			for _, y := range together.ones[i:] {
				if x != nil && y != nil && x.excludes(y) && !yield(x, y) {
					return
				}
			}
		}
	}
}

// order returns the index of a constraint's argument in the table.
func order(c Constraint) int {
	return slices.IndexFunc(Arguments[:], func(a Argument) bool { return a.Key == c.Key() })
}
