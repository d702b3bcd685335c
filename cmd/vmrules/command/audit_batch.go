package command

import (
	"encoding/json"
	"io"
	"runtime"
	"sync"
)

// A batch holds objects, and then their results. Goroutines hand over batches, because handing
// over each object takes longer, and their memory is used again.
type batch struct {
	objects []byte // one behind the other
	ends    []int  // of each object
	results []audited
	judged  chan struct{}
}

// A batch is full when it has so many objects, or so many bytes of them. Larger batches are
// not much faster, and hold more reports at a time.
const (
	batchObjects = 8
	batchBytes   = 64 << 10
)

// perCore is how many batches there are for each core. While one is judged, others are filled
// or wait.
const perCore = 3

func newBatch() *batch { return &batch{judged: make(chan struct{}, 1)} }

func (b *batch) add(object json.RawMessage) {
	b.objects = append(b.objects, object...)
	b.ends = append(b.ends, len(b.objects))
}

func (b *batch) isFull() bool { return len(b.ends) >= batchObjects || len(b.objects) >= batchBytes }

// judge judges all objects.
func (b *batch) judge(a *auditor, r *objectReader) {
	begin := 0
	for _, end := range b.ends {
		b.results = append(b.results, a.judge(r, b.objects[begin:end]))
		begin = end
	}
	b.judged <- struct{}{}
}

// empty makes the batch ready for other objects.
func (b *batch) empty() {
	clear(b.results)
	b.objects, b.ends, b.results = b.objects[:0], b.ends[:0], b.results[:0]
}

// stream judges the objects of a stream on all cores, and calls each with the results in the
// order of the objects. It holds only a few batches for each core at a time.
func (a *auditor) stream(input io.Reader, each func(audited) error) error {
	workers := runtime.GOMAXPROCS(0)
	most := perCore * workers
	free, jobs, inOrder := make(chan *batch, most), make(chan *batch, most), make(chan *batch, most)
	for range most {
		free <- newBatch()
	}
	defer close(free) // which also stops the reader
	var judging sync.WaitGroup
	for range workers {
		go func() {
			reader := newObjectReader()
			reader.skips = len(a.templates.Reading) == 0 // other kinds may look at anything
			for b := range jobs {
				b.judge(a, reader)
				judging.Done()
			}
		}()
	}
	read := make(chan error, 1)
	go func() {
		defer close(inOrder)
		defer close(jobs)
		read <- a.inBatches(input, free, &judging, func(b *batch) {
			judging.Add(1)
			jobs <- b
			inOrder <- b
		})
	}()
	for b := range inOrder {
		<-b.judged
		for _, result := range b.results {
			if err := each(result); err != nil {
				return err
			}
		}
		b.empty()
		free <- b
	}
	return <-read
}

// inBatches fills free batches with the objects of a stream, and calls each with them. It stops
// when free is closed. Instance types are for the objects that follow: it waits until all before
// them are judged.
func (a *auditor) inBatches(input io.Reader, free <-chan *batch, judging *sync.WaitGroup, each func(*batch)) error {
	b := <-free
	err := objectsIn(input, func(object json.RawMessage) bool {
		if companion := companionIn(object); companion != nil {
			if len(b.ends) > 0 {
				each(b)
				b = <-free
			}
			judging.Wait()
			a.inStream.keep(&a.with.set, companion, 0, len(object))
			if b == nil || !a.book.isWhole() {
				return b != nil
			}
		}
		b.add(object)
		if b.isFull() {
			each(b)
			b = <-free
		}
		return b != nil
	})
	if b != nil {
		each(b)
	}
	return err
}
