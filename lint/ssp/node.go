package ssp

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
)

// A node is a value of a Go type. Its JSON is nil if the value is the zero value of its type.
type node struct {
	typ  *goType
	json any
}

// filled stands for JSON in the VM where the validator looks up what the other VM does not have:
// no pointer is nil, and an array has many items.
type filled struct{}

const filledItems = 64

// defaults has the strings that are not "" in that VM. The validator makes up a UUID.
var defaults = map[string]string{"v1.CDRomTarget.tray": "closed", "v1.Firmware.uuid": "00000000-0000-4000-8000-000000000000"}

// referenceVM is that VM's spec.template.
var referenceVM = map[string]any{"spec": map[string]any{"domain": filled{}}}

// literal returns a value that a JSONPath holds.
func literal(s shape, json any) node { return node{&goType{name: string(s), shape: s}, json} }

// indirect returns that to which a pointer points; false if that is nothing.
func (n node) indirect() (node, bool) {
	if n.typ.shape != pointer {
		return n, true
	}
	return node{n.typ.of, n.json}, n.json != nil
}

// member returns a field of a structure, or a value of a mapping.
func (n node) member(name string) (node, bool) {
	object, _ := n.json.(map[string]any)
	if n.typ.shape == mapping {
		v, ok := object[name]
		return node{n.typ.of, v}, ok
	}
	of := n.typ.field(name)
	if of == nil {
		return node{}, false
	}
	return n.field(name, of), true
}

// field returns a field of a structure. An embedded one, which has no name, has the JSON of the structure.
func (n node) field(name string, of *goType) node {
	if name == "" {
		return node{of, n.json}
	}
	object, _ := n.json.(map[string]any)
	found := node{of, object[name]}
	if n.json == (any)(filled{}) {
		found.json = filled{}
		if text, ok := defaults[n.typ.name+"."+name]; ok {
			found.json = text
		}
	} else if isTopology := name == "sockets" || name == "cores" || name == "threads"; isTopology && n.typ.name == "v1.CPU" {
		if found.json == nil || value.IsZero(found.json) {
			found.json = json.Number("1")
		}
	}
	return found
}

func (n node) length() int {
	if n.json == (any)(filled{}) {
		return filledItems
	}
	items, _ := n.json.([]any)
	return len(items)
}

func (n node) item(i int) node {
	if items, ok := n.json.([]any); ok {
		return node{n.typ.of, items[i]}
	}
	if n.typ.of.shape == structure {
		return node{n.typ.of, filled{}}
	}
	return node{n.typ.of, nil}
}

func (n node) children() []node {
	var all []node
	switch n.typ.shape {
	case structure:
		for _, f := range n.typ.fields {
			all = append(all, n.field(f.name, f.typ))
		}
	case mapping:
		object, _ := n.json.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			all = append(all, node{n.typ.of, object[name]})
		}
	case array:
		for i := range n.length() {
			all = append(all, n.item(i))
		}
	case text:
		return slices.Repeat([]node{literal(byteShape, nil)}, len(n.string()))
	}
	return all
}

// string returns the text of a value as reflect.Value prints it: only a string has one.
func (n node) string() string {
	if n.typ.shape == text {
		s, _ := n.json.(string)
		return s
	}
	return "<" + n.typ.name + " Value>"
}

// shown returns the text of a value for people.
func (n node) shown() string {
	if n.typ.shape == text && n.json == nil {
		return `a field that is not set counts as "", which`
	}
	return value.Describe(n.string())
}

// integer returns the value of an integer; false if its type cannot hold it.
func (n node) integer() (int64, bool) {
	number, ok := n.json.(json.Number)
	if !ok {
		return 0, true
	}
	exact, err := quantity.ParseJSON(number.String())
	if err != nil {
		return 0, false
	}
	bits, _ := strconv.Atoi(strings.TrimLeft(string(n.typ.shape), "uint")) // 0 for int and uint, as of strconv
	if n.typ.isUnsigned() {
		u, err := strconv.ParseUint(exact.String(), 10, bits)
		return int64(u), err == nil
	}
	i, err := strconv.ParseInt(exact.String(), 10, bits)
	return i, err == nil
}

// written returns a number or string as it is in JSON.
func (n node) written() string {
	switch v := n.json.(type) {
	case json.Number:
		return v.String()
	case string:
		return strings.TrimSpace(v)
	}
	return "0"
}

// arrived returns a quantity as KubeVirt's mutating webhook writes it.
func (n node) arrived() string {
	exact, _ := quantity.Parse(n.written()) // check has refused other texts
	if canonical, ok := exact.Canonical(quantity.FormatOf(n.written())); ok {
		return canonical
	}
	return n.written() // Kubernetes writes the largest number instead, which nobody can read either
}

// amount returns the value of a quantity, if the validator can read it as an integer.
func (n node) amount() (int64, bool) {
	exact, _ := quantity.Parse(n.arrived())
	whole, ok := exact.Int64()
	return whole, ok && isShort(n.arrived())
}

// cure returns what to write instead of a quantity that is not a whole number, or has too many
// digits for Kubernetes.
func (n node) cure() string {
	exact, _ := quantity.Parse(n.written())
	whole, ok := exact.RoundUp()
	if digits := strconv.FormatInt(whole, 10); ok && isShort(digits) {
		return ": write " + digits
	}
	return ""
}

// isShort reports whether Kubernetes keeps a canonical quantity as an int64. For a binary
// quantity it estimates the digits from those that are written.
func isShort(canonical string) bool {
	digits := strings.TrimLeft(canonical, "-")
	suffix := strings.TrimLeft(digits, "0123456789")
	written := len(digits) - len(suffix)
	power := strings.Index("KMGTPE", strings.TrimSuffix(suffix, "i")) + 1
	if !strings.HasSuffix(suffix, "i") {
		return written <= 18
	}
	return written+power*3+1 <= 15
}
