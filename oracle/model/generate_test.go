package model_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/oracle/model"
)

// A testCase is an annotation, before encoding/json writes it, an object of plain JSON, and
// options.
type testCase struct {
	rules    []map[string]any
	object   any // map[string]any, or nil
	options  model.Options
	decoding uint64 // the seed for the object's Go types; 0 for those of encoding/json
}

// A generator makes cases whose rules suit their object: it finds their paths by walking
// through the object.
type generator struct {
	*rand.Rand
	root   any // the rules' $
	values []any
	params bool // the object is a template with parameters
}

func generate(seed, number uint64) testCase {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, number))}
	c := testCase{object: g.holder()}
	c.options.V201901 = g.chance(6)
	c.options.Partial = g.chance(5)
	c.options.Defaults = g.defaults()
	g.values = scalarsIn(g.root, nil)
	for i := range 1 + g.IntN(5) {
		c.rules = append(c.rules, g.rule(fmt.Sprint("r", i), c.options.V201901))
	}
	if g.chance(3) {
		c.decoding = g.Uint64() | 1
	}
	return c
}

// chance is true once in n times.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

type object = map[string]any

var (
	names   = []string{"a", "b", "name", "n", "we ird", "a.b/c", "it's", "é", "x-1", "0", "a*", `q\b`}
	numbers = []string{"0", "1", "2", "3", "4", "8", "-1", "-0", "2.5", "2.50", "1e3", "1000", "0.001", "1.0", "12345678901234567890.5"}
	strs    = []string{"", "a", "b", "virtio", "sata", "scsi", "2", "2Gi", "500m", "1e3", "1.5Gi", "2048Mi", "é✓", "q35", "+1", ".5", "5.", "-0", "true", "0x1", "1_0", " 1", "${A", "$A", "1E", "128M", "1000m"}
	params  = []string{"${A}", "${{A}}", "x${A}y"}
)

func (g *generator) number() any { return json.Number(pick(g, numbers...)) }

func (g *generator) scalar() any {
	switch g.IntN(10) {
	case 0, 1, 2, 3:
		return g.number()
	case 4:
		return g.chance(2)
	case 5:
		return nil
	}
	if g.params && g.chance(5) {
		return pick(g, params...)
	}
	return pick(g, strs...)
}

// tree returns any JSON value.
func (g *generator) tree(depth int) any {
	switch n := g.IntN(6); {
	case depth == 0 || n < 2:
		return g.scalar()
	case n < 4:
		items := []any{}
		for range g.IntN(5) {
			items = append(items, g.tree(depth-1))
		}
		return items
	}
	members := object{}
	for range g.IntN(4) {
		members[pick(g, names...)] = g.tree(depth - 1)
	}
	if g.params && g.chance(6) {
		members["k${K}"] = g.scalar()
	}
	return members
}

// sometimes sets a member. Once in n times it does not, and now and then it sets any JSON
// value.
func (g *generator) sometimes(o object, name string, v any) {
	switch {
	case g.chance(3):
	case g.chance(15):
		o[name] = g.tree(1)
	default:
		o[name] = v
	}
}

// template returns the spec.template of a VM.
func (g *generator) template() object {
	cpu := object{}
	for _, name := range []string{"cores", "sockets", "threads"} {
		g.sometimes(cpu, name, json.Number(pick(g, "0", "1", "2", "4", "8", "0.0")))
	}
	g.sometimes(cpu, "model", pick(g, "", "host-model", "Skylake"))
	g.sometimes(cpu, "maxSockets", g.number())
	g.sometimes(cpu, "dedicatedCpuPlacement", g.chance(2))
	g.sometimes(cpu, "features", g.list(2, func() any {
		return object{"name": pick(g, "vmx", "svm"), "policy": pick(g, "require", "")}
	}))
	devices := object{}
	g.sometimes(devices, "disks", g.list(3, g.disk))
	g.sometimes(devices, "interfaces", g.list(2, g.networkInterface))
	g.sometimes(devices, "disableHotplug", g.chance(2))
	g.sometimes(devices, "gpus", g.list(2, func() any { return object{"name": "g"} }))
	g.sometimes(devices, "rng", object{})
	domain := object{"x": g.tree(3), "y": g.tree(2), "l": g.list(4, g.item)}
	g.sometimes(domain, "cpu", cpu)
	g.sometimes(domain, "devices", devices)
	memory := object{}
	g.sometimes(memory, "guest", pick[any](g, "2Gi", "4Gi", "512M", ""))
	g.sometimes(domain, "memory", memory)
	machine := object{}
	g.sometimes(machine, "type", pick(g, "q35", "", "pc"))
	g.sometimes(domain, "machine", machine)
	features := object{}
	g.sometimes(features, "acpi", object{"enabled": g.chance(2)})
	g.sometimes(features, "smm", object{"enabled": g.chance(2)})
	g.sometimes(domain, "features", features)
	if g.params && g.chance(5) {
		cpu["${KEY}"] = g.number()
	}
	spec := object{"domain": domain}
	g.sometimes(spec, "hostname", pick(g, strs...))
	g.sometimes(spec, "architecture", pick(g, "", "amd64"))
	g.sometimes(spec, "terminationGracePeriodSeconds", g.number())
	t := object{"spec": spec}
	metadata := object{"labels": object{"a": g.scalar(), "a.b/c": g.scalar()}}
	g.sometimes(metadata, "annotations", object{"a": "x", "b.c": "y"})
	g.sometimes(t, "metadata", metadata)
	return t
}

func (g *generator) list(most int, item func() any) any {
	items := []any{}
	for range g.IntN(most + 1) {
		items = append(items, item())
	}
	if g.chance(20) {
		items = append(items, nil)
	}
	return items
}

func (g *generator) item() any {
	if g.chance(6) {
		return g.scalar()
	}
	o := object{"name": pick(g, "a", "b", "c")}
	g.sometimes(o, "n", g.number())
	g.sometimes(o, "v", g.scalar())
	g.sometimes(o, "on", g.chance(2))
	return o
}

func (g *generator) disk() any {
	d := object{"name": pick(g, "root", "data")}
	bus := object{}
	g.sometimes(bus, "bus", pick(g, "virtio", "sata", ""))
	if !g.chance(4) {
		d[pick(g, "disk", "disk", "cdrom", "lun")] = bus
	}
	g.sometimes(d, pick(g, "serial", "cache", "io", "tag", "bootOrder"), pick[any](g, "", "none", json.Number("1")))
	return d
}

func (g *generator) networkInterface() any {
	i := object{"name": pick(g, "default", "nic")}
	g.sometimes(i, "model", pick(g, "virtio", "e1000", ""))
	ports := []any{}
	for range g.IntN(3) {
		p := object{}
		g.sometimes(p, "port", json.Number(pick(g, "0", "22", "80")))
		g.sometimes(p, "protocol", pick(g, "TCP", ""))
		ports = append(ports, p)
	}
	g.sometimes(i, "ports", ports)
	return i
}

// vm returns a VM, and makes its spec.template the rules' $.
func (g *generator) vm() object {
	t := g.template()
	g.root = t
	spec := object{"template": t}
	if g.chance(4) {
		spec["instancetype"] = object{"kind": "VirtualMachineClusterInstancetype", "name": "u1.small"}
	}
	if g.chance(5) {
		spec["preference"] = object{"name": "fedora"}
	}
	if g.chance(40) {
		delete(spec, "template")
	}
	return object{"spec": spec}
}

func as(apiVersion, kind string, o object) object {
	o["kind"], o["apiVersion"] = kind, apiVersion
	return o
}

// holder returns an object of one of the kinds in which rules apply.
func (g *generator) holder() any {
	switch g.IntN(16) {
	case 0:
		return g.list2("v1", "List", func() object { return g.holder1(g.IntN(10)) })
	case 1:
		return g.list2("kubevirt.io/v1", "VirtualMachineList", g.vm)
	case 2:
		if g.chance(6) {
			return nil
		}
	}
	return g.holder1(g.IntN(16))
}

func (g *generator) list2(apiVersion, kind string, item func() object) object {
	items := []any{}
	for range g.IntN(4) {
		items = append(items, item())
	}
	return as(apiVersion, kind, object{"items": items})
}

func (g *generator) holder1(kind int) object {
	switch kind {
	case 0:
		t := g.template()
		g.root = t
		return as("kubevirt.io/v1", "VirtualMachineInstance", t)
	case 1:
		t := g.template()
		g.root = t
		return as("kubevirt.io/v1", "VirtualMachineInstanceReplicaSet", object{"spec": object{"template": t}})
	case 2:
		return as("pool.kubevirt.io/v1beta1", "VirtualMachinePool", object{"spec": object{"virtualMachineTemplate": g.vm()}})
	case 3, 4, 5:
		g.params = !g.chance(4)
		objects := []any{}
		for range 1 + g.IntN(2) {
			objects = append(objects, as("kubevirt.io/v1", "VirtualMachine", g.vm()))
		}
		if g.chance(3) {
			objects = slices.Insert(objects, 0, any(as("v1", "Secret", object{})))
		}
		return as(pick(g, "template.openshift.io/v1", "v1"), "Template", object{"objects": objects})
	case 6:
		g.params = !g.chance(4)
		return as("template.kubevirt.io/v1alpha1", "VirtualMachineTemplate", object{"spec": object{"virtualMachine": g.vm()}})
	case 7:
		return g.vm()
	case 8:
		t := g.template()
		g.root = t
		return t
	case 9:
		t := g.template()
		g.root = t
		return as(pick(g, "v1", "example.com/v1"), pick(g, "ConfigMap", "VirtualMachine", "Template"), t)
	}
	return as("kubevirt.io/v1", "VirtualMachine", g.vm())
}

func (g *generator) defaults() []model.Default {
	if !g.chance(4) {
		return nil
	}
	var defaults []model.Default
	for range 1 + g.IntN(2) {
		d := model.Default{Path: "jsonpath::" + pick(g, defaultPaths...), Value: pick[any](g, "", "d", 3, nil, 0)}
		if !slices.ContainsFunc(defaults, func(e model.Default) bool { return e.Path == d.Path }) {
			defaults = append(defaults, d)
		}
	}
	return defaults
}

var defaultPaths = []string{
	".spec.domain.cpu.cores", ".spec.domain.machine.type", ".spec.hostname", ".spec.domain.l[*].n",
	".spec.domain.x.a", ".spec.domain.memory.guest", ".spec.domain.devices.disks[*].serial",
}

// scalarsIn returns all scalars of a value.
func scalarsIn(v any, found []any) []any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedNames(v) {
			found = scalarsIn(v[name], found)
		}
	case []any:
		for _, item := range v {
			found = scalarsIn(item, found)
		}
	case nil:
	default:
		found = append(found, v)
	}
	return found
}

func sortedNames(o object) []string {
	var all []string
	for name := range o {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// near returns a scalar of the object, or any scalar.
func (g *generator) near() any {
	if len(g.values) > 0 && !g.chance(3) {
		return pick(g, g.values...)
	}
	return g.scalar()
}

// rule returns a rule in the form of the annotation.
func (g *generator) rule(name string, old bool) map[string]any {
	path, selected := g.path()
	r := map[string]any{"name": name, "message": "m", "path": g.spelled(path, old)}
	r["rule"] = g.kindFor(selected)
	if g.chance(4) {
		valid, _ := g.path()
		if g.chance(3) {
			valid = path
		}
		r["valid"] = g.spelled(valid, old)
	}
	if g.chance(4) {
		r["justWarning"] = pick[any](g, true, true, false, nil)
	}
	for range g.IntN(4) {
		key := pick(g, "min", "max", "minLength", "maxLength", "values", "values", "regex")
		r[key] = g.argument(key, selected, old)
	}
	if old && r["values"] != nil && g.chance(2) {
		r["included"] = r["values"]
		delete(r, "values")
	}
	if r["min"] == nil && g.chance(30) {
		r["min"] = nil
	}
	return r
}

// kindFor returns a kind, mostly one that a value satisfies.
func (g *generator) kindFor(v any) string {
	if g.chance(4) {
		return pick(g, "integer", "string", "enum", "regex", "colour")
	}
	switch v.(type) {
	case string:
		return pick(g, "string", "enum", "regex")
	case json.Number:
		return pick(g, "integer", "integer", "enum", "regex")
	}
	return pick(g, "enum", "regex", "integer", "string")
}

// spelled writes a path in the spelling of the annotation's version.
func (g *generator) spelled(path string, old bool) string {
	if g.chance(12) && !strings.HasPrefix(path, "..") {
		path = strings.TrimPrefix(path, ".")
	} else if g.chance(12) {
		path = "$" + path
	}
	if g.chance(12) {
		path = "{" + path + "}"
	}
	if old && !g.chance(4) {
		return pick(g, "/", "/", "") + path
	}
	return "jsonpath::" + path
}

// argument returns a literal close to the selected value, or a path.
func (g *generator) argument(key string, v any, old bool) any {
	if g.chance(5) {
		path, _ := g.path()
		if old {
			return "/" + path
		}
		return "jsonpath::" + path
	}
	switch key {
	case "min", "max":
		if n, ok := v.(json.Number); ok && g.chance(2) {
			return n
		}
		return pick[any](g, g.number(), "2Gi", "1", "500m", "2.5", json.Number("1"), json.Number("4"))
	case "minLength", "maxLength":
		return json.Number(pick(g, "0", "1", "2", "3", "4", "6", "2.0", "1e1"))
	case "regex":
		return pick(g, "", "^a", "[0-9]+", "^[0-9.]+$", "virtio|sata", "(?i)^V", "^.{2,4}$", "é", "^q35|pc$", "[a-z]", "^(true|[0-9]+)")
	}
	list := []any{}
	for range g.IntN(5) {
		switch {
		case g.chance(3) && v != nil:
			list = append(list, v)
		case g.chance(8):
			path, _ := g.path()
			list = append(list, "jsonpath::"+path)
		default:
			list = append(list, g.near())
		}
	}
	return slices.DeleteFunc(list, func(v any) bool { return v == nil || strings.HasPrefix(fmt.Sprint(v), "{") || !isScalar(v) })
}

func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
