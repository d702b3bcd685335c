package vmrules

import (
	"errors"
	"fmt"

	"github.com/vmrules/vmrules/internal/jsonpath"
)

// A Default is what a field counts as where its object is there and the field is
// not. It is made by NewDefault; the zero value is no default, and changes nothing.
type Default struct {
	field jsonpath.FieldPath
	value any
}

// NewDefault makes a Default of a field, which a path of names and [*] names, such
// as "jsonpath::.spec.domain.devices.disks[*].io"; a path of another form is an
// error. The value may be anything that an object may hold there, and must not be
// changed afterwards; nil means that the field has no default.
func NewDefault(path Path, value any) (Default, error) {
	if path.IsZero() {
		return Default{}, errors.New("a default needs the path of its field: the zero Path names none")
	}
	field, ok := path.parsed.AsField()
	if !ok {
		return Default{}, fmt.Errorf("%s cannot have a default: write a path of names and [*] that ends in a name, such as %s",
			path.shown(), jsonpath.Prefix+".spec.domain.devices.disks[*].io")
	}
	return Default{field, value}, nil
}

// IsZero reports whether there is no default.
func (d Default) IsZero() bool { return d.field.Path() == nil }

// WithDefaults says what fields count as where they are not set, over the fields
// that the format lists. Of two defaults of one field the later counts.
// Spec: Optional Keys, valid.
func WithDefaults(defaults ...Default) ValidateOption {
	return validateOption(func(s *settings) {
		for _, d := range defaults {
			if !d.IsZero() {
				s.defaults = append(s.defaults, d)
			}
		}
	})
}

// alwaysThere are the fields that the format lists as always there.
var alwaysThere = func() []Default {
	var all []Default
	for _, f := range jsonpath.AlwaysThere {
		all = append(all, Default{mustField(f.Path), f.Value})
	}
	return all
}()

// KubeVirt reads a 0 in these as not set.
var zeroIsUnset = []jsonpath.FieldPath{
	mustField(".spec.domain.cpu.sockets"),
	mustField(".spec.domain.cpu.cores"),
	mustField(".spec.domain.cpu.threads"),
}

func mustField(path string) jsonpath.FieldPath {
	field, ok := MustParsePath(jsonpath.Prefix + path).parsed.AsField()
	if !ok {
		panic("vmrules: " + path + " does not name a field")
	}
	return field
}

var (
	plainFields    = newFields(alwaysThere)
	settableInTree = newSettableFields(alwaysThere)
)

// newFields builds the tree. Of two defaults for one field the later counts.
func newFields(defaults []Default) *jsonpath.Implied {
	root := &jsonpath.Implied{}
	for _, d := range defaults {
		root.SetDefault(d.field, d.value)
	}
	for _, field := range zeroIsUnset {
		root.SetZeroIsUnset(field)
	}
	return root
}

// newSettableFields is newFields for a VM that leaves fields to others.
func newSettableFields(defaults []Default) *jsonpath.Implied {
	root := newFields(defaults)
	root.AddSettable(settableFields)
	return root
}
