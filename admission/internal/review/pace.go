package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vmrules/vmrules"
)

// A review that takes little ends at once. Real VMs need a hundredth of this, and reading the rules
// of a template a twentieth. Regular expressions that backtrack are left to the lane.
var quickBudget = vmrules.Budget{Time: 2 * time.Millisecond, Memory: 8 << 20, Backtracking: -1}

// quickSize is the length of the objects that are read at once.
const quickSize = 256 << 10

// plainSize is the length of the objects of which any number may be in memory. Of longer ones, a
// Reviewer has a limit: in memory, they take up to 40 times the length of their text.
const plainSize = 8 << 10

// slowTime is how long any other review may wait and be validated.
const slowTime = 5 * time.Second

var errLate = fmt.Errorf("%v have passed", slowTime)

// A pace is how a review proceeds: at once with little to spend, or in a lane with all that the
// options allow.
type pace struct {
	isQuick  bool
	parse    []vmrules.ParseOption
	validate []vmrules.ValidateOption
	slots    *queue // nil in a lane, which has slots itself
}

// do calls what takes the time of a processor. It returns an error if the context ends.
func (p pace) do(ctx context.Context, size int, f func()) error {
	if p.slots != nil {
		return p.slots.do(ctx, size, 1, f)
	}
	if ctx.Err() == nil {
		f()
	}
	return context.Cause(ctx)
}

// isTooQuickFor reports whether a rule may only be undecided or violated, or an annotation unusable, because the
// pace is quick. A Note of such a rule says what else could not be decided, which may be a bound.
func (p pace) isTooQuickFor(report *vmrules.Report) bool {
	isBound := func(r vmrules.Result) bool { return r.Doubt == vmrules.DoubtBound || r.Note != "" }
	failing := report.Results(vmrules.OutcomeUndecided, vmrules.OutcomeViolated)
	return p.isQuick && (p.cannotRead(problemsIn(report)) || slices.ContainsFunc(failing, isBound))
}

// cannotRead reports whether rules may only be unusable because the pace is quick.
func (p pace) cannotRead(err error) bool {
	var broken *vmrules.ParseError
	return p.isQuick && errors.As(err, &broken) && slices.ContainsFunc(broken.Problems, func(p vmrules.Problem) bool {
		return p.Reason == vmrules.ReasonTooLong
	})
}

// slowly decides about a request in the lane for those that take long. The objects are read again
// there: they need much more memory than their text while they wait.
func (r *Reviewer) slowly(ctx context.Context, q *Request, read func() error) *Decision {
	q.Object, q.Old = nil, nil
	ctx, cancel := context.WithTimeoutCause(ctx, slowTime, errLate)
	defer cancel()
	var d *Decision
	if err := r.lane.do(ctx, q.Namespace, q.Size, func() { d = r.attempt(ctx, q, read, r.slow) }); err != nil {
		d = failure(err)
	}
	if errors.Is(d.Err, errLate) || errors.Is(d.Err, errFull) {
		err := fmt.Errorf("this object is not validated: %w: make it simpler, or try again later", d.Err)
		d = refused(err, []vmrules.Cause{{Reason: vmrules.ReasonInternal, Message: err.Error()}})
	}
	d.IsSlow = true
	return d
}

// bytesOfBodies is how long all large bodies in memory may be. A pod of the manifests has eight times as much.
const bytesOfBodies = 128 << 20

// Take calls a function that reads a body and answers it, unless the body is large and there is no room for it now.
// It does not wait for room: in HTTP/2, a body that nobody reads holds up all requests of its connection, and an API
// server has one connection.
func (r *Reviewer) Take(size int, f func()) error {
	if size > quickSize {
		defer r.bodies.Add(int64(-size))
		if r.bodies.Add(int64(size)) > bytesOfBodies {
			return errors.New("there is no room for the bodies of so many large requests")
		}
	}
	f()
	return nil
}

// unpackTime is how long a large body may wait until it is unpacked. With slowTime, that is less than a webhook may take.
const unpackTime = 3 * time.Second

// Unpack calls a function that reads the body of a request. Who sends a large one is not known yet. It takes
// a slot of the lane: with slots of their own, bodies would take the core that the lane leaves.
func (r *Reviewer) Unpack(ctx context.Context, size int, f func()) error {
	if size <= quickSize {
		return r.quick.do(ctx, size, f)
	}
	ctx, cancel := context.WithTimeout(ctx, unpackTime)
	defer cancel()
	return r.lane.slots.do(ctx, 0, 1, f)
}
