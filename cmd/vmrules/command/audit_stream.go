package command

import (
	"encoding/json"
	"io"
	"runtime"
	"slices"
	"sync"
)

// A job is an object to judge. The channel has room for its result.
type job struct {
	object json.RawMessage
	result chan audited
}

// perCore is how many objects wait, or have a result that waits, for each core.
const perCore = 4

// stream judges the objects of a stream on all cores, and calls each with the results in the
// order of the objects. It holds only a few objects for each core at a time.
func (a *auditor) stream(input io.Reader, each func(audited) error) error {
	workers := runtime.GOMAXPROCS(0)
	jobs, inOrder, stop := make(chan job, perCore*workers), make(chan job, perCore*workers), make(chan struct{})
	defer close(stop)
	var judging sync.WaitGroup
	for range workers {
		go func() {
			reader := newObjectReader()
			reader.skips = len(a.templates.Reading) == 0 // other kinds may look at anything
			for j := range jobs {
				j.result <- a.judge(reader, j.object)
				judging.Done()
			}
		}()
	}
	read := make(chan error, 1)
	go func() {
		defer close(inOrder)
		defer close(jobs)
		read <- objectsIn(input, func(object json.RawMessage) bool {
			if companion := companionIn(object); companion != nil {
				judging.Wait() // instance types are for the objects that follow
				a.inStream.keep(&a.with.set, companion, 0, len(object))
				if !a.book.isWhole() {
					return true
				}
			}
			j := job{slices.Clone(object), make(chan audited, 1)}
			select {
			case inOrder <- j:
				judging.Add(1)
				jobs <- j
				return true
			case <-stop:
				return false
			}
		})
	}()
	for j := range inOrder {
		if err := each(<-j.result); err != nil {
			return err
		}
	}
	return <-read
}
