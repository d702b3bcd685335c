package keep_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/keep"
)

// TestStore: what was not used for longest goes first.
func TestStore(t *testing.T) {
	s := keep.NewStore[string, int](10)
	s.Keep("a", 1, 4)
	s.Keep("b", 2, 4)
	s.Keep("a", 9, 4) // is there already
	s.Find("a")
	s.Keep("c", 3, 4)
	s.Keep("huge", 5, 11)
	s.Keep("d", 4, 2)
	got := map[string]int{}
	for _, key := range []string{"a", "b", "c", "d", "huge"} {
		if v, ok := s.Find(key); ok {
			got[key] = v
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 1, "c": 3, "d": 4}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStoreConcurrently(t *testing.T) {
	s := keep.NewStore[string, int](100)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 1000 {
				key := fmt.Sprint(i % 30)
				if v, ok := s.Find(key); ok && v != i%30 {
					t.Errorf("%s: %d", key, v)
				}
				s.Keep(key, i%30, 7)
			}
		})
	}
	all.Wait()
}
