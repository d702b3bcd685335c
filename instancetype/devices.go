package instancetype

import (
	"fmt"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// newFeatures appends the preferred CPU features that the VM does not name. If the preference
// names one twice, so does the VM.
func newFeatures(e *expansion, from *object, p place, given any) ([]change, error) {
	present, ok := p.value().([]any)
	if p.value() != nil && !ok {
		return nil, fmt.Errorf("the VM's %s is %s, not a list", p.at, value.Describe(p.value()))
	}
	named := map[string]bool{}
	for i := range present {
		named[value.StringAt(present[i], "name")] = true
	}
	var changes []change
	for i, feature := range given.([]any) {
		if _, ok := feature.(map[string]any); !ok {
			return nil, from.errorf("spec.cpu.preferredCPUFeatures[%d] is %s, not an object", i, value.Describe(feature))
		}
		if !named[value.StringAt(feature, "name")] {
			next := p.at.Join(jsonpath.Location{jsonpath.Item(len(present) + len(changes))})
			changes = append(changes, change{next, feature})
		}
	}
	return changes, nil
}

// panicDevice adds a device to a VM that has none.
func panicDevice(_ *expansion, _ *object, p place, model any) ([]change, error) {
	return one(p, []any{map[string]any{"model": model}}), nil
}

// ifVirtio copies to a disk on the bus virtio, which the preference may have just set.
func ifVirtio(_ *expansion, _ *object, p place, given any) ([]change, error) {
	if value.StringAt(p.parent, "disk", "bus") != "virtio" {
		return nil, nil
	}
	return one(p, given), nil
}
