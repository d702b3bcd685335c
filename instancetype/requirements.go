package instancetype

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// CheckRequirements returns what a preference requires and the VM does not have: vCPUs, memory
// or an architecture. KubeVirt refuses such a VM. Like KubeVirt, it returns only the first
// requirement that is not met, with a Conflict for each field that counts for it. It returns
// nil if all requirements are met, and if there is no preference.
//
// The VM may be expanded or not. With an instance type, only that counts for the vCPUs. A field
// that cannot be read is a Conflict too.
//
// KubeVirt looks at the VM after it has set the cluster's defaults, such as the architecture
// amd64 and 1 socket, core and thread. CheckRequirements does not know them: set them first if
// they matter.
func CheckRequirements(vm, instancetype, preference map[string]any) []Conflict {
	m := meter.OrDefault(0, 0)
	sizes, err := instancetypes.read(instancetype, &m)
	if err != nil {
		return []Conflict{{"spec.instancetype", err.Error()}}
	}
	prefers, err := preferences.read(preference, &m)
	if err != nil {
		return []Conflict{{"spec.preference", err.Error()}}
	}
	plain, err := value.Plain(vm, 0, &m)
	if err != nil {
		return []Conflict{{"spec.template", "the VM cannot be read: " + err.Error()}}
	}
	r := requirements{value.At(plain, "spec", "template", "spec"), sizes, prefers}
	for _, check := range []func() []Conflict{r.checkCPU, r.checkMemory, r.checkArchitecture} {
		if missing := check(); len(missing) > 0 {
			return missing
		}
	}
	return nil
}

type requirements struct {
	vm           any // its spec.template.spec
	instancetype *object
	preference   *object
}

const (
	specField   = "spec.template.spec."
	cpuField    = specField + "domain.cpu"
	memoryField = specField + "domain.memory"

	setThem = "set more in the VM, or use an instance type"
)

func (r requirements) checkCPU() []Conflict {
	required, ok := r.preference.count("requirements.cpu.guest")
	if !ok {
		return nil
	}
	if r.instancetype != none {
		if has, _ := r.instancetype.count("cpu.guest"); has < required {
			return r.tooSmall(fmt.Sprintf("%d vCPUs", has), fmt.Sprint(required))
		}
		return nil
	}
	cpu := value.At(r.vm, "domain", "cpu")
	if cpu == nil {
		return []Conflict{{cpuField, fmt.Sprintf("the VM sets no vCPUs, but %s requires %d: %s",
			r.preference.name, required, setThem)}}
	}
	return r.checkLevels(cpu, required)
}

// checkLevels multiplies the levels of the topology that the preference prefers. KubeVirt
// reads a level that is missing as 0.
func (r requirements) checkLevels(cpu any, required int64) []Conflict {
	levels, ok := levelsThatCount(r.preference)
	if !ok {
		return nil
	}
	has := uint64(min(1, len(levels)))
	for _, level := range levels {
		n, err := countOf(value.At(cpu, level))
		if err != nil {
			return []Conflict{{cpuField + "." + level, "the VM's field " + err.Error()}}
		}
		has = min(has*uint64(n), math.MaxUint32) // no preference requires more
	}
	if has >= uint64(required) {
		return nil
	}
	if len(levels) == 0 {
		return []Conflict{{cpuField, fmt.Sprintf("%s spreads vCPUs across levels that KubeVirt does not know: use another preference",
			r.preference.name)}}
	}
	message := fmt.Sprintf("the VM's %s make %d vCPUs, but %s requires %d: %s",
		strings.Join(levels, " × "), has, r.preference.name, required, setThem)
	var missing []Conflict
	for _, field := range levels {
		missing = append(missing, Conflict{cpuField + "." + field, message})
	}
	return missing
}

// levelsThatCount returns the levels of the topology whose product is the number of vCPUs;
// false for a topology that KubeVirt does not know and therefore does not check.
func levelsThatCount(preference *object) ([]string, bool) {
	switch preferred := preferredTopology(preference); preferred {
	case sockets, cores, threads:
		return []string{preferred}, true
	case anyLevel:
		return []string{cores, sockets, threads}, true
	case spread:
		_, across := spreadOptions(preference)
		return spreadLevels[across], true
	}
	return nil, false
}

func (r requirements) checkMemory() []Conflict {
	wanted, _ := r.preference.find("requirements.memory.guest")
	if wanted == nil {
		return nil
	}
	required, _ := amountOf(wanted) // which reading the preference has checked
	given, _ := r.instancetype.find("memory.guest")
	has, err := amountOf(cmp.Or(value.At(r.vm, "domain", "memory", "guest"), given, any(int64(0))))
	if err != nil {
		return []Conflict{{memoryField + ".guest", "the VM's field " + err.Error()}}
	}
	if has.number.Compare(required.number) >= 0 {
		return nil
	}
	if r.instancetype != none {
		return r.tooSmall(has.String()+" of memory", required.String())
	}
	return []Conflict{{memoryField, fmt.Sprintf("the VM has %s of memory, but %s requires %s: raise guest, or use an instance type",
		has, r.preference.name, required)}}
}

// tooSmall is about the field that a user changes.
func (r requirements) tooSmall(has, required string) []Conflict {
	return []Conflict{{"spec.instancetype", fmt.Sprintf("%s has %s, but %s requires %s: use a larger instance type",
		r.instancetype.name, has, r.preference.name, required)}}
}

// checkArchitecture compares the names exactly. A preferred architecture counts if the VM has
// none.
func (r requirements) checkArchitecture() []Conflict {
	required, ok := r.preference.text("requirements.architecture")
	if !ok {
		return nil
	}
	preferred, _ := r.preference.text("preferredArchitecture")
	has := cmp.Or(value.StringAt(r.vm, "architecture"), preferred)
	if has == required {
		return nil
	}
	return []Conflict{{specField + "architecture",
		fmt.Sprintf("the VM's architecture is %s, but %s requires %s: change it, or use another preference",
			value.Quoted(has), r.preference.name, value.Quoted(required))}}
}
