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
