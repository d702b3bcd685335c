package instancetype

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A Conflict is a reason for which KubeVirt refuses a VM.
type Conflict struct {
	// Field is the path of the field as KubeVirt reports it.
	Field string `json:"field"`
	// Message says what is wrong and what to do.
	Message string `json:"message"`
}

// conflicts returns the fields that the VM and the instance type both set. KubeVirt reports
// only the first one about memory.
func (e *expansion) conflicts() ([]Conflict, error) {
	var found []Conflict
	inMemory := false
	for _, f := range e.instancetype.class.fields {
		isMemory := strings.HasPrefix(f.From, "memory.")
		if f.When == jsonpath.Overwritten || isMemory && inMemory {
			continue
		}
		conflicts, err := e.conflictsOf(f)
		if err != nil {
			return nil, err
		}
		inMemory = inMemory || isMemory && len(conflicts) > 0
		found = append(found, conflicts...)
	}
	return found, nil
}

func (e *expansion) conflictsOf(f vmfields.Field) ([]Conflict, error) {
	given, places, err := e.places(e.instancetype, f)
	if err != nil {
		return nil, err
	}
	var found []Conflict
	for _, p := range places {
		isSame := f.How == vmfields.Merged && reflect.DeepEqual(p.value(), given.(map[string]any)[p.name()])
		if f.When.Holds(p.value()) || isSame {
			continue
		}
		c := e.conflict(f, p)
		if err := e.spend(0, conflictSize+len(c.Field)+len(c.Message)); err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, nil
}

const conflictSize = 32 // in bytes, without its texts

func (e *expansion) conflict(f vmfields.Field, p place) Conflict {
	if f.How == vmfields.Merged {
		return Conflict{f.Reported + "." + p.name(), e.instancetype.name + " sets this annotation to another value " +
			"than the VM's spec.template: remove it there, or use another instance type"}
	}
	return Conflict{cmp.Or(f.Reported, p.at.String()), fmt.Sprintf("%s sets spec.%s, so the VM must not set this field: "+
		"remove it, or use another instance type", e.instancetype.name, f.From)}
}
