package instancetype

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// An object is an instance type or a preference that has been checked.
type object struct {
	class *class
	name  string         // with the class: "instancetype u1.small"
	spec  map[string]any // nil if it is missing

	unknown []string // the paths of the fields that the tables do not have
}

// none stands for an object that is not given.
var none = &object{class: &class{}}

const group = "instancetype.kubevirt.io"

// A class is what all instance types, or all preferences, have in common.
type class struct {
	name     string
	kinds    []string
	fields   []vmfields.Field
	required []string
	known    names // of the fields in spec
}

var (
	instancetypes = &class{
		name:     "instancetype",
		kinds:    []string{"VirtualMachineInstancetype", "VirtualMachineClusterInstancetype"},
		fields:   vmfields.Instancetype,
		required: []string{"cpu.guest", "memory.guest"},
		known:    namesOf(vmfields.Instancetype),
	}
	preferences = &class{
		name:   "preference",
		kinds:  []string{"VirtualMachinePreference", "VirtualMachineClusterPreference"},
		fields: vmfields.Preference,
		known:  namesOf(vmfields.Preference),
	}
)

// read returns none if there is no object.
func (c *class) read(given map[string]any, m *meter.Meter) (*object, error) {
	if given == nil {
		return none, nil
	}
	copied, err := value.Copy(given, 0, m)
	if err != nil {
		return nil, fmt.Errorf("the %s cannot be read: %w", c.name, err)
	}
	all := copied.(map[string]any)
	o := &object{class: c, name: c.name}
	if name := value.StringAt(all, "metadata", "name"); name != "" {
		o.name += " " + value.OneLine(value.Shortened(name))
	}
	if err := o.check(all); err != nil {
		return nil, err
	}
	top := names{"apiVersion": nil, "kind": nil, "metadata": nil, "spec": c.known, "status": nil}
	o.addUnknown(top, jsonpath.Members(c.name), all, m)
	if err := m.Err(); err != nil {
		return nil, fmt.Errorf("the %s cannot be read: %w", c.name, err)
	}
	return o, nil
}

// check finds what KubeVirt could not decode.
func (o *object) check(all map[string]any) error {
	if kind := all["kind"]; kind != nil && !slices.Contains(o.class.kinds, value.StringAt(all, "kind")) {
		return o.errorf("it is of the kind %s, not a %s", value.Describe(kind), strings.Join(o.class.kinds, " or a "))
	}
	version := value.StringAt(all, "apiVersion")
	if found, _, _ := strings.Cut(version, "/"); version != "" && found != group {
		return o.errorf("its apiVersion %s is not of the group %s", value.Quoted(version), group)
	}
	var err error
	if o.spec, err = asObject(all["spec"]); err != nil {
		return o.errorf("spec %w", err)
	}
	for _, f := range o.class.fields {
		v, err := o.find(f.From)
		if err != nil {
			return o.errorf("%w", err)
		}
		if v == nil {
			continue
		}
		if err := checkType(v, f.Is); err != nil {
			return o.errorf("spec.%s %w", f.From, err)
		}
	}
	for _, path := range o.class.required {
		if v, _ := o.find(path); v == nil {
			return o.errorf("spec.%s is missing", path)
		}
	}
	return nil
}

func (o *object) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", o.name, fmt.Errorf(format, args...))
}

// at returns what the object has in a field; nil if that counts as missing.
func (o *object) at(f vmfields.Field) any {
	v, _ := o.find(f.From)
	switch {
	case f.Is == vmfields.Text && v == "", f.Is == vmfields.List && value.Len(v) == 0:
		return nil
	}
	return v
}

// find returns what is at a path of names below spec; nil if it is missing.
func (o *object) find(path string) (any, error) {
	var v any = o.spec
	rest, more := path, true
	for more {
		in, err := asObject(v)
		if err != nil {
			return nil, fmt.Errorf("spec.%s %w", strings.TrimSuffix(path, "."+rest), err)
		}
		var name string
		name, rest, more = strings.Cut(rest, ".")
		v = in[name]
	}
	return v, nil
}

// text and count return what is at a path below spec; false if it is missing.
func (o *object) text(path string) (string, bool) {
	v, _ := o.find(path)
	s, ok := v.(string)
	return s, ok
}

func (o *object) count(path string) (int64, bool) {
	v, _ := o.find(path)
	n, ok := v.(int64)
	return n, ok
}

// asObject returns a value as an object, and nil if it is missing. The error continues a
// sentence that begins with the path of the value.
func asObject(v any) (map[string]any, error) {
	if v == nil {
		return nil, nil
	}
	in, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("is %s, not an object", value.Describe(v))
	}
	return in, nil
}

// checkType returns an error if a value, which is not missing, is not of a type.
func checkType(v any, is vmfields.FieldType) error {
	shape, wanted := value.Object, "an object"
	switch is {
	case vmfields.List:
		shape, wanted = value.Array, "a list"
	case vmfields.Text, vmfields.EmptyText:
		shape, wanted = value.String, "a string"
	case vmfields.Flag:
		shape, wanted = value.Boolean, "true or false"
	case vmfields.Count:
		_, err := countOf(v)
		return err
	case vmfields.Integer:
		if _, ok := v.(int64); !ok {
			return fmt.Errorf("is %s, not a whole number", value.Describe(v))
		}
		return nil
	case vmfields.Amount:
		_, err := amountOf(v)
		return err
	case vmfields.Names:
		for _, name := range value.Names(v) {
			if member := value.At(v, name); value.ShapeOf(member) != value.String {
				return fmt.Errorf("has %s for %s, not a string", value.Describe(member), value.Quoted(name))
			}
		}
	}
	if value.ShapeOf(v) != shape {
		return fmt.Errorf("is %s, not %s", value.Describe(v), wanted)
	}
	return nil
}

// countOf returns a whole number that KubeVirt keeps in 32 bits; 0 if it is missing.
func countOf(v any) (int64, error) {
	if v == nil {
		return 0, nil
	}
	n, ok := v.(int64)
	if !ok || n < 0 || n > math.MaxUint32 {
		return 0, fmt.Errorf("is %s, not a whole number from 0 to %d", value.Describe(v), uint32(math.MaxUint32))
	}
	return n, nil
}

// An amount is a quantity in the format in which it was written.
type amount struct {
	number quantity.Number
	format quantity.Format
}

// amountOf returns a quantity that is not negative. The error continues a sentence that begins
// with the path of the value.
func amountOf(v any) (amount, error) {
	s, _ := value.ScalarOf(v)
	n, err := s.Quantity()
	if err != nil {
		return amount{}, fmt.Errorf("is %s, not a quantity such as 2Gi", value.Describe(v))
	}
	if _, ok := n.RoundUp(); !ok || n.Sign() < 0 {
		return amount{}, fmt.Errorf("is %s, not a quantity from 0 to 2⁶³-1", value.Describe(v))
	}
	return amount{n, quantity.FormatOf(s.Text())}, nil
}

// String returns the amount as Kubernetes writes it.
func (a amount) String() string {
	text, _ := a.number.Canonical(a.format)
	return text
}

// names is a tree of the names of fields. A field without fields in it may hold anything.
type names map[string]names

func namesOf(fields []vmfields.Field) names {
	root := names{}
	for _, f := range fields {
		at := root
		for name := range strings.SplitSeq(f.From, ".") {
			if at[name] == nil {
				at[name] = names{}
			}
			at = at[name]
		}
	}
	return root
}

// addUnknown finds the fields that the tables do not have.
func (o *object) addUnknown(known names, at jsonpath.Location, v any, m *meter.Meter) {
	if len(known) == 0 {
		return
	}
	for _, name := range value.Names(v) {
		in := at.Join(jsonpath.Members(name))
		if next, ok := known[name]; ok {
			o.addUnknown(next, in, v.(map[string]any)[name], m)
		} else if m.Spend(jsonpath.NodeWork, in.TextSize()) == nil {
			o.unknown = append(o.unknown, in.Shown())
		}
	}
}
