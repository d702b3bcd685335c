package bench

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrules/vmrules"
)

// generalSets are those for which one walk is not enough: because of their rules, of the VMs
// that violate them, of the options, or of the Go types of the VM.
var generalSets = []ruleSet{
	{name: "missing", rules: windows.rules, own: missing},
	{name: "missing-alone", rules: windows.rules[:1], own: missing},
	{name: "filter", rules: []rule{{
		Name: "windows-system-disk", Kind: "enum", Path: `jsonpath::.spec.domain.devices.disks[?(@.name=="disk-1")].disk.bus`,
		Message: "the system disk has to be on virtio or sata", Values: []any{"virtio", "sata"},
		cel: `object.spec.template.spec.domain.devices.disks.filter(d, d.name == "disk-1" && has(d.disk) && has(d.disk.bus))
			.map(d, d.disk.bus in ["virtio", "sata"]) == [true]`,
	}}},
	{name: "descent", rules: []rule{{
		Name: "windows-any-bus", Kind: "enum", Path: "jsonpath::..bus",
		Message: "Windows knows virtio, sata, scsi and usb", Values: []any{"virtio", "sata", "scsi", "usb"},
	}}},
	{name: "argument", rules: []rule{{
		Name: "windows-request", Kind: "integer", Path: requestPath,
		Message: "a VM cannot request more memory than it has", Min: 1, Max: memoryPath,
	}}},
	{name: "argument-index", rules: []rule{{
		Name: "windows-same-bus", Kind: "enum", Path: "jsonpath::.spec.domain.devices.disks[0].disk.bus",
		Message: "the first disk has to be on virtio if the first interface is", Values: []any{firstModelPath},
		cel: "object.spec.template.spec.domain.devices.disks[0].disk.bus in [object.spec.template.spec.domain.devices.interfaces[0].model]",
	}}},
	{name: "partial", rules: windows.rules, own: partly, validate: validatePartly},
	{name: "ratcheting", rules: windows.without("warnings", func(r rule) bool { return r.JustWarning }).rules, own: updates, validate: validateUpdate, forgives: true},
	{name: "yaml", rules: windows.rules, own: changed(func(v *vm) { v.object = yamlOf(v.object) })},
	{name: "go-maps", rules: windows.rules, own: changed(func(v *vm) { v.object = goMapsOf(v.object) })},
	{name: "struct", rules: windows.rules, own: changed(func(v *vm) {
		v.typed = typedOf(v.object)
		v.object["spec"] = v.typed.Spec
	})},
	{name: "to-object", rules: windows.rules, own: changed(func(v *vm) { v.typed = typedOf(v.object) }), validate: validateTyped},
}

var allSets = append(fastSets[:len(fastSets):len(fastSets)], generalSets...)

const (
	requestPath    = "jsonpath::.spec.domain.resources.requests.memory"
	firstModelPath = "jsonpath::.spec.domain.devices.interfaces[0].model"
)

func validatePartly(rules vmrules.Rules, vm *vm) *vmrules.Report {
	return vmrules.Validate(rules, vm.object, vmrules.Partial())
}

func validateUpdate(rules vmrules.Rules, vm *vm) *vmrules.Report {
	return vmrules.Validate(rules, vm.object, vmrules.Ratcheting(), vmrules.WithOldObject(vm.old))
}

func validateTyped(rules vmrules.Rules, vm *vm) *vmrules.Report {
	object, err := vmrules.ToObject(vm.typed)
	if err != nil {
		panic(err)
	}
	return vmrules.Validate(rules, object)
}

// missing are VMs without the memory that a rule is about, and with nothing else wrong.
var missing = []vm{
	{name: "3-disks-fail", object: withoutMemory(newVM(3)), fails: true},
	{name: "64-disks-fail", object: withoutMemory(newVM(64)), fails: true},
}

// partly are forms in which the memory is not filled in.
var partly = changed(func(v *vm) { withoutMemory(v.object) })

// updates change nothing of a VM that fails, or make one that passes fail.
var updates = []vm{
	{name: "3-disks-pass", object: failing(newVM(3)), old: failing(newVM(3))},
	{name: "3-disks-fail", object: failing(newVM(3)), old: newVM(3), fails: true},
	{name: "64-disks-pass", object: failing(newVM(64)), old: failing(newVM(64))},
	{name: "64-disks-fail", object: failing(newVM(64)), old: newVM(64), fails: true},
}

// changed returns the usual VMs with a change.
func changed(change func(*vm)) []vm {
	vms := newUsualVMs()
	for i := range vms {
		change(&vms[i])
	}
	return vms
}

func withoutMemory(vm map[string]any) map[string]any {
	delete(object(specOf(vm), "domain"), "memory")
	return vm
}

// yamlOf returns a VM as yaml.v2 decodes it into a map[string]any.
func yamlOf(vm map[string]any) map[string]any {
	decoded := map[string]any{}
	for name, v := range vm {
		decoded[name] = yamlValue(v)
	}
	return decoded
}

func yamlValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		members := map[any]any{}
		for name, next := range v {
			members[name] = yamlValue(next)
		}
		return members
	case []any:
		items := make([]any, len(v))
		for i := range v {
			items[i] = yamlValue(v[i])
		}
		return items
	case int64:
		return int(v)
	}
	return v
}

// goMapsOf returns a VM as Go code builds it: with the narrowest types, such as
// []map[string]any and map[string]string.
func goMapsOf(vm map[string]any) map[string]any {
	for name, v := range vm {
		vm[name] = goMapsValue(v)
	}
	return vm
}

func goMapsValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		texts := map[string]string{}
		for name, next := range goMapsOf(v) {
			if text, ok := next.(string); ok {
				texts[name] = text
			}
		}
		if len(v) > 0 && len(texts) == len(v) {
			return texts
		}
	case []any:
		items := make([]map[string]any, len(v))
		for i := range v {
			items[i] = goMapsOf(v[i].(map[string]any))
		}
		return items
	}
	return v
}

// A typedVM stands for KubeVirt's Go type: it has the fields of these VMs, mostly with the types
// that they have there.
type typedVM struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              typedSpec `json:"spec"`
}

type typedSpec struct {
	RunStrategy         *string          `json:"runStrategy,omitempty"`
	DataVolumeTemplates []map[string]any `json:"dataVolumeTemplates,omitempty"`
	Template            *struct {
		ObjectMeta metav1.ObjectMeta `json:"metadata"`
		Spec       struct {
			Architecture      string           `json:"architecture,omitempty"`
			Hostname          string           `json:"hostname,omitempty"`
			Subdomain         string           `json:"subdomain,omitempty"`
			PriorityClassName string           `json:"priorityClassName,omitempty"`
			EvictionStrategy  *string          `json:"evictionStrategy,omitempty"`
			GracePeriod       *int64           `json:"terminationGracePeriodSeconds,omitempty"`
			Domain            typedDomain      `json:"domain"`
			Networks          []map[string]any `json:"networks,omitempty"`
			Volumes           []struct {
				Name  string         `json:"name"`
				Claim map[string]any `json:"persistentVolumeClaim,omitempty"`
			} `json:"volumes,omitempty"`
		} `json:"spec"`
	} `json:"template"`
}

type typedDomain struct {
	CPU *struct {
		Sockets uint32 `json:"sockets,omitempty"`
		Cores   uint32 `json:"cores,omitempty"`
		Threads uint32 `json:"threads,omitempty"`
		Model   string `json:"model,omitempty"`
	} `json:"cpu,omitempty"`
	Memory *struct {
		Guest *resource.Quantity `json:"guest,omitempty"`
	} `json:"memory,omitempty"`
	Resources struct {
		Requests map[string]resource.Quantity `json:"requests,omitempty"`
	} `json:"resources"`
	Machine  map[string]any `json:"machine,omitempty"`
	Firmware map[string]any `json:"firmware,omitempty"`
	Clock    map[string]any `json:"clock,omitempty"`
	Features map[string]any `json:"features,omitempty"`
	Devices  struct {
		Disks []struct {
			Name  string      `json:"name"`
			Disk  *typedDrive `json:"disk,omitempty"`
			CDRom *typedDrive `json:"cdrom,omitempty"`
		} `json:"disks,omitempty"`
		Interfaces []map[string]any `json:"interfaces,omitempty"`
		Inputs     []map[string]any `json:"inputs,omitempty"`
	} `json:"devices"`
}

type typedDrive struct {
	Bus string `json:"bus,omitempty"`
}

func typedOf(vm map[string]any) *typedVM {
	text, err := json.Marshal(vm)
	if err != nil {
		panic(err)
	}
	typed := &typedVM{}
	if err := json.Unmarshal(text, typed); err != nil {
		panic(err)
	}
	return typed
}
