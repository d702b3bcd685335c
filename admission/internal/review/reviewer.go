// Package review decides about requests for admission. All that reviews share is here. The
// package reads from any Cluster and imports little of Kubernetes, so that the race detector
// needs few packages compiled.
package review

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrules/vmrules"
)

// A Reviewer decides about requests for admission. It is safe for concurrent use.
type Reviewer struct {
	Settings
	cluster     Cluster
	absent      sync.Map               // of schema.GroupVersionKind: time.Time until which it counts as absent
	kept        vmrules.ValidateOption // rules, for all calls of vmrules.ValidateOwn
	quick, slow pace
	bodies      atomic.Int64 // the bytes of large ones in memory
	objects     *queue       // of reviews that are quick, in memory
	lane        *lane        // for what is not quick
}

// Settings say how a Reviewer decides. What does not warn refuses.
type Settings struct {
	Warning            []vmrules.Doubt // a rule that is Undecided for one of these reasons
	BrokenWarns        bool            // a template whose rules cannot be used
	NamespaceFallback  bool            // a template without a namespace may be in that of the VM
	TemplateNamespaces []string        // or, after that, in these
	WholeUpdates       bool            // an update is validated like a creation
	ProtectTemplates   bool            // a template with rules is not deleted while VMs refer to it
	RefuseBroken       bool            // a template whose rules no VM can satisfy is not written
	Parse              []vmrules.ParseOption
	Validate           []vmrules.ValidateOption
}

// New returns a Reviewer that reads from a cluster.
func New(c Cluster, s Settings) *Reviewer {
	budget, kept := vmrules.WithBudget(quickBudget), vmrules.KeepRules(s.Parse...)
	validate := slices.Concat([]vmrules.ValidateOption{kept}, s.Validate)
	cores := runtime.GOMAXPROCS(0)
	return &Reviewer{
		Settings: s, cluster: c, kept: kept,
		quick: pace{true, append(slices.Clip(s.Parse), budget), append(slices.Clip(validate), budget), &queue{free: cores}},
		slow:  pace{false, s.Parse, validate, nil},
		lane:  newLane(max(cores-1, 1)), objects: &queue{free: 4 * cores * quickSize}, // a core is for what is quick
	}
}

// A Request is what is read of a request for admission.
type Request struct {
	Operation       string // "CREATE", "UPDATE", "DELETE" or "CONNECT"
	Kind            schema.GroupVersionKind
	Subresource     string
	Namespace, Name string
	Size            int            // of the text of both objects
	Object, Old     map[string]any // of the Kind; nil if the operation has none
}

// Review decides about a request. If the objects of the request count, read fills them in: once
// more if that takes long.
func (r *Reviewer) Review(ctx context.Context, q *Request, read func() error) *Decision {
	if d := r.withoutObjects(q); d != nil {
		return d
	}
	if q.Size <= quickSize {
		var d *Decision
		failed := r.objects.do(ctx, q.Size, max(q.Size-plainSize, 0), func() { d = r.attempt(ctx, q, read, r.quick) })
		if failed != nil {
			return failure(failed)
		}
		if d != nil {
			return d
		}
	}
	return r.slowly(ctx, q, read)
}

// attempt decides about a request at a pace; nil if the pace is too quick for it.
func (r *Reviewer) attempt(ctx context.Context, q *Request, read func() error, p pace) *Decision {
	var err error
	failed := p.do(ctx, q.Size, func() { err = read() })
	switch {
	case failed != nil:
		return failure(failed)
	case err != nil:
		return malformed(err)
	case !IsTemplate(q.Kind.GroupKind()):
		return r.judge(ctx, q, p)
	case q.Operation == "DELETE":
		return r.deletion(ctx, q, p)
	}
	return r.written(ctx, q, p)
}

// withoutObjects decides about a request whose objects do not count; nil about any other.
func (r *Reviewer) withoutObjects(q *Request) *Decision {
	kind := q.Kind.GroupKind()
	_, isVM := vmPlaces[kind]
	isTemplate := IsTemplate(kind)
	switch {
	case q.Kind.Kind == "":
		return malformed(errors.New("the request does not say of which kind its object is"))
	case !isVM && !isTemplate:
		return exempt(fmt.Sprintf("vmrules does not review the kind %s: remove it from the rules of the webhook", Shorten(kind.String(), MaxName)))
	case q.Subresource != "":
		return exempt()
	}
	switch q.Operation {
	case "CREATE", "UPDATE":
		return nil
	case "DELETE":
		if isTemplate && r.ProtectTemplates {
			return nil
		}
	case "CONNECT":
	default:
		return malformed(fmt.Errorf("the operation is %q: it must be CREATE, UPDATE, DELETE or CONNECT", Shorten(q.Operation, MaxName)))
	}
	return exempt()
}
