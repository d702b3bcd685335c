package bench

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

var generalChecks = map[string]func(vm *vm) violations{
	"missing": handWrittenChecks["windows"],
	"missing-alone": func(vm *vm) (found violations) {
		found.memory(member(object(object(specOf(vm.object), "domain"), "memory"), "guest"))
		return found
	},
	"filter": func(vm *vm) (found violations) {
		isThere := false
		for i, disk := range disksOf(object(specOf(vm.object), "domain")) {
			if member(disk, "name") != "disk-1" {
				continue
			}
			bus := member(object(disk, "disk"), "bus")
			isThere = isThere || bus != nil
			if bus != nil && !oneOf(bus, "virtio", "sata") {
				found.add(systemDisk("*"), i, bus, "is not virtio or sata")
			}
		}
		if !isThere {
			found.add(systemDisk(`?(@.name=="disk-1")`), 0, nil, "")
		}
		return found
	},
	"descent": func(vm *vm) violations {
		var steps [16]step
		d := descent{at: steps[:0]}
		d.into(object(object(vm.object, "spec"), "template"))
		if !d.isThere {
			d.found.add(anyBus(".bus"), 0, nil, "")
		}
		slices.SortFunc(d.found, func(a, b violation) int { return cmp.Compare(a.Field, b.Field) })
		return d.found
	},
	"argument": func(vm *vm) (found violations) {
		domain := object(specOf(vm.object), "domain")
		requested := member(object(object(domain, "resources"), "requests"), "memory")
		n, ok := integer(requested)
		if !ok || n < 1 {
			found.add(windowsRequest, 0, requested, "is not an integer of at least 1")
			return found
		}
		guest := member(object(domain, "memory"), "guest")
		switch isMore, ok := exceeded(guest, n); {
		case !ok:
			found = violations{{Rule: windowsRequest.rule, Message: windowsRequest.message, Detail: "the memory of the guest is not a number"}}
		case isMore:
			found.add(windowsRequest, 0, requested, fmt.Sprint("is more than max ", guest))
			most, _ := integer(guest)
			found[0].Limit, found[0].Text = guest, fmt.Sprint(sizeOf(n), " is more than max ", sizeOf(most))
		}
		return found
	},
	"argument-index": func(vm *vm) (found violations) {
		devices := object(object(specOf(vm.object), "domain"), "devices")
		bus := member(object(first(devices, "disks"), "disk"), "bus")
		model := textOf(first(devices, "interfaces"), "model")
		allowed, isList := model.([]any)
		if !isList {
			allowed = []any{model}
		}
		if _, isObject := model.(map[string]any); isObject {
			return violations{{Rule: windowsSameBus.rule, Message: windowsSameBus.message, Detail: "the model of the first interface is an object"}}
		}
		if bus == nil || !slices.ContainsFunc(allowed, func(model any) bool { return isRenderedAs(model, bus) }) {
			found.add(windowsSameBus, 0, bus, fmt.Sprint("is not ", model))
			if bus != nil {
				found[0].Limit = allowed
			}
		}
		return found
	},
	"partial": func(vm *vm) (found violations) {
		domain := object(specOf(vm.object), "domain")
		if guest := filledIn(member(object(domain, "memory"), "guest")); guest != nil {
			found.memory(guest)
		}
		if cores := filledIn(countOf(object(domain, "cpu"), "cores")); cores != nil {
			found.cores(cores)
		}
		for i, disk := range disksOf(domain) {
			found.disk(i, filledIn(member(object(disk, "disk"), "bus")), filledIn(member(object(disk, "cdrom"), "bus")))
		}
		return found
	},
	"ratcheting": func(vm *vm) (found violations) {
		domain := object(specOf(vm.object), "domain")
		if found = errorsIn(domain); len(found) == 0 || vm.old == nil {
			return found
		}
		before := object(specOf(vm.old), "domain")
		known := map[place]any{}
		for _, v := range errorsIn(before) {
			known[placeOf(v, before)] = v.Value
		}
		for i, v := range found {
			value, isKnown := known[placeOf(v, domain)]
			found[i].Warning = isKnown && isSame(value, v.Value)
		}
		return found
	},
	"yaml": func(vm *vm) (found violations) {
		domain := yamlMember(yamlMember(yamlMember(vm.object["spec"], "template"), "spec"), "domain")
		found.memory(yamlMember(yamlMember(domain, "memory"), "guest"))
		if cpu, _ := yamlMember(domain, "cpu").(map[any]any); cpu != nil {
			found.cores(orOne(cpu["cores"]))
		} else {
			found.cores(nil)
		}
		disks, _ := yamlMember(yamlMember(domain, "devices"), "disks").([]any)
		for i, disk := range disks {
			found.disk(i, yamlMember(yamlMember(disk, "disk"), "bus"), yamlMember(yamlMember(disk, "cdrom"), "bus"))
		}
		return found
	},
	"go-maps": func(vm *vm) (found violations) {
		domain := object(specOf(vm.object), "domain")
		memory, _ := domain["memory"].(map[string]string)
		found.memoryText(memory["guest"])
		found.cores(countOf(object(domain, "cpu"), "cores"))
		disks, _ := object(domain, "devices")["disks"].([]map[string]any)
		for i, disk := range disks {
			drive, _ := disk["disk"].(map[string]string)
			cdrom, _ := disk["cdrom"].(map[string]string)
			found.drives(i, drive["bus"], cdrom["bus"])
		}
		return found
	},
	"struct": func(vm *vm) violations {
		spec, _ := vm.object["spec"].(typedSpec)
		return errorsInStruct(&spec)
	},
	"to-object": func(vm *vm) violations { return errorsInStruct(&vm.typed.Spec) },
}

func systemDisk(which string) about {
	return about{"windows-system-disk", "spec.domain.devices.disks[" + which + "].disk.bus", "the system disk has to be on virtio or sata"}
}

func anyBus(field string) about {
	return about{"windows-any-bus", field, "Windows knows virtio, sata, scsi and usb"}
}

var windowsRequest = about{"windows-request", "spec.domain.resources.requests.memory", "a VM cannot request more memory than it has"}

var windowsSameBus = about{"windows-same-bus", "spec.domain.devices.disks[0].disk.bus", "the first disk has to be on virtio if the first interface is"}

func isRenderedAs(v, w any) bool {
	s, ok := rendered(v)
	return ok && oneOf(w, s)
}

// first returns the first item of a list; nil if it is empty.
func first(v any, name string) any {
	if items := list(v, name); len(items) > 0 {
		return items[0]
	}
	return nil
}

// A descent finds all buses. Only the fields that are wrong are written.
type descent struct {
	found   violations
	isThere bool
	at      []step // from spec.template
}

type step struct {
	name  string
	index int // if there is no name
}

func (d *descent) field() string {
	var field strings.Builder
	for _, s := range d.at {
		switch {
		case s.name == "":
			field.WriteString("[" + strconv.Itoa(s.index) + "]")
		case field.Len() > 0:
			field.WriteString("." + s.name)
		default:
			field.WriteString(s.name)
		}
	}
	return field.String()
}

func (d *descent) into(v any) {
	depth := len(d.at)
	switch v := v.(type) {
	case map[string]any:
		for name, next := range v {
			d.at = append(d.at[:depth], step{name: name})
			if name == "bus" && next != nil {
				d.bus(next)
			}
			d.into(next)
		}
	case []any:
		for i, next := range v {
			d.at = append(d.at[:depth], step{index: i})
			d.into(next)
		}
	}
}

func (d *descent) bus(v any) {
	d.isThere = true
	if !oneOf(v, "virtio", "sata", "scsi", "usb") {
		d.found.add(anyBus(d.field()), 0, v, "is not virtio, sata, scsi or usb")
	}
}

// exceeded reports whether n is more than the limit, and whether the limit is a number.
func exceeded(limit any, n int64) (isMore, ok bool) {
	if most, ok := integer(limit); ok {
		return n > most, true
	}
	switch limit := limit.(type) {
	case float64:
		return float64(n) > limit, true
	case string:
		q, err := resource.ParseQuantity(limit)
		return q.CmpInt64(n) < 0, err == nil
	}
	return false, false
}

// sizeOf returns a number of bytes as people say it.
func sizeOf(bytes int64) string {
	return strconv.FormatFloat(float64(bytes)/(1<<30), 'f', -1, 64) + " GiB"
}

// filledIn returns nil for an input of a form that is empty.
func filledIn(v any) any {
	if v == "" {
		return nil
	}
	return v
}

// errorsIn checks the rules for Windows that do not just warn.
func errorsIn(domain map[string]any) (found violations) {
	found.memory(member(object(domain, "memory"), "guest"))
	found.cores(countOf(object(domain, "cpu"), "cores"))
	for i, disk := range disksOf(domain) {
		found.diskBus(i, member(object(disk, "disk"), "bus"))
		found.cdBus(i, member(object(disk, "cdrom"), "bus"))
	}
	return found
}

// A place is where an update may leave a violation as it is. A disk is the same by its name, which
// no other disk of a VM has, or without one by its index.
type place struct {
	rule, disk string
	index      int
}

func placeOf(v violation, domain map[string]any) place {
	if v.Rule != windowsDiskBusText.rule && v.Rule != windowsCDBusText.rule {
		return place{rule: v.Rule}
	}
	if name, _ := member(disksOf(domain)[v.index], "name").(string); name != "" {
		return place{rule: v.Rule, disk: name}
	}
	return place{rule: v.Rule, index: v.index}
}

func isSame(v, w any) bool {
	switch v.(type) {
	case map[string]any, []any: // in none of the VMs that are timed
		return reflect.DeepEqual(v, w)
	}
	return v == w
}

func yamlMember(v any, name string) any {
	o, _ := v.(map[any]any)
	return o[name]
}

// memoryText and drives make an interface only of what is wrong, since that allocates.

func (found *violations) memoryText(guest string) {
	if guest == "" {
		found.memory(nil)
	} else if !between(guest, 2147483648, math.MaxInt64) {
		found.memory(guest)
	}
}

func (found *violations) drives(i int, bus, cdromBus string) {
	if bus != "" && bus != "virtio" {
		found.disk(i, bus, nil)
	}
	if cdromBus != "" && cdromBus != "sata" {
		found.disk(i, nil, cdromBus)
	}
}

func errorsInStruct(spec *typedSpec) (found violations) {
	domain := &typedDomain{}
	if spec.Template != nil {
		domain = &spec.Template.Spec.Domain
	}
	switch {
	case domain.Memory == nil || domain.Memory.Guest == nil:
		found.memory(nil)
	case domain.Memory.Guest.CmpInt64(2147483648) < 0:
		found.memory(domain.Memory.Guest.String())
	}
	switch {
	case domain.CPU == nil:
		found.cores(nil)
	case domain.CPU.Cores > 8:
		found.cores(int64(domain.CPU.Cores))
	}
	for i, disk := range domain.Devices.Disks {
		found.drives(i, disk.Disk.bus(), disk.CDRom.bus())
	}
	return found
}

func (d *typedDrive) bus() string {
	if d == nil {
		return ""
	}
	return d.Bus
}
