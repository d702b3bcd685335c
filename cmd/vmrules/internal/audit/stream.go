package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
)

// A job is an object to validate. The channel has room for its result.
type job struct {
	object []byte
	result chan audited
}

// perCore is how many objects wait, or have a result that waits, for each core.
const perCore = 4

// stream validates the objects of a stream on all cores, and calls each with the results in the
// order of the objects. It holds only a few objects for each core at a time.
func (a *auditor) stream(input io.Reader, each func(audited) error) error {
	// Nearly all that is read is soon garbage: collected half as often, it takes 3 MB more and an eighth less time.
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	workers := runtime.GOMAXPROCS(0)
	jobs, inOrder, stop := make(chan job, perCore*workers), make(chan job, perCore*workers), make(chan struct{})
	defer close(stop)
	var judging sync.WaitGroup
	for range workers {
		go func() {
			reader := &objectReader{skips: len(a.Templates.Reading) == 0} // other kinds may look at anything
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
		read <- objectsIn(input, func(object []byte) error {
			if companion := companionIn(object); companion != nil {
				judging.Wait() // instance types are for the objects that follow
				a.keep(companion, 0, len(object))
				if !a.Book.IsWhole() {
					return nil
				}
			}
			j := job{slices.Clone(object), make(chan audited, 1)}
			select {
			case inOrder <- j:
				judging.Add(1)
				jobs <- j
				return nil
			case <-stop:
				return errStopped
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

// companionIn returns an instance type or a preference of a stream; nil for any other object.
// The group must be near the beginning: API servers and kubectl write apiVersion first.
func companionIn(object []byte) map[string]any {
	const beginning = 512
	if !bytes.Contains(object[:min(len(object), beginning)], []byte(instancetypes.Group+"/")) {
		return nil
	}
	if decoded, _ := new(objectReader).decode(object); instancetypes.IsMember(decoded) {
		return decoded
	}
	return nil
}

// maxCompanions is the largest size in bytes of all instance types and preferences of all files,
// those of --with apart. Real ones have a thousandth of that.
const maxCompanions = 16 << 20

// keep keeps a companion, with its line, 0 if that is not known, and its size in bytes.
func (a *auditor) keep(companion map[string]any, line, size int) {
	var err error
	if a.companions += size; a.companions > maxCompanions {
		err = fmt.Errorf("%s: the instance types and preferences have more than %d bytes up to here: those that follow are not used",
			a.file, maxCompanions)
	} else {
		err = a.With.Set.Add(companion, token.Position{Filename: a.file, Line: line})
	}
	a.wrong = cmp.Or(a.wrong, err)
}

const notInStream = "VMs name instance types or preferences that are missing: put them before the VMs, or use --with"
