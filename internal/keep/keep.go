// Package keep keeps values up to a size, for the next call that needs one of them.
package keep

import (
	"container/list"
	"sync"
)

// A Store keeps values by their keys. If it gets too large, it drops what was not used for longest. It
// is safe for concurrent use.
type Store[K comparable, V any] struct {
	mutex sync.Mutex
	room  int
	left  int
	all   *list.List // of *kept[K, V]; what was used last is in front
	known map[K]*list.Element
}

type kept[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// NewStore returns a Store for values of a size together.
func NewStore[K comparable, V any](room int) *Store[K, V] {
	return &Store[K, V]{room: room, left: room, all: list.New(), known: map[K]*list.Element{}}
}

// Find returns the value of a key.
func (s *Store[K, V]) Find(key K) (v V, ok bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	e := s.known[key]
	if e == nil {
		return v, false
	}
	s.all.MoveToFront(e)
	return e.Value.(*kept[K, V]).value, true
}

// Keep keeps the value of a key, unless there is one, or it is too large.
func (s *Store[K, V]) Keep(key K, v V, size int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if size > s.room || s.known[key] != nil {
		return
	}
	s.known[key] = s.all.PushFront(&kept[K, V]{key, v, size})
	for s.left -= size; s.left < 0; {
		dropped := s.all.Remove(s.all.Back()).(*kept[K, V])
		delete(s.known, dropped.key)
		s.left += dropped.size
	}
}
