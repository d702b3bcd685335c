package vmrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/value"
)

// An Argument is what a rule's constraint compares with: a literal, a JSONPath whose value
// is read from the object, or a list of these, which is only for values. The zero value
// means that there is no argument; an empty list is one, and allows nothing.
// An Argument is immutable and safe for concurrent use. Spec: Rule arguments.
type Argument struct {
	path    Path
	literal any        // string, bool or json.Number; nil: none
	list    []Argument // nil: none
}

// NewArgument returns an argument made from a Path, a string (a JSONPath if it has
// the prefix), a bool, a json.Number, any Go number, an Argument, or a slice of these, such
// as []string, []any or []Argument. A nil slice is an error, as null is in an annotation,
// and so is anything else. The error has no type of its own.
func NewArgument(v any) (Argument, error) {
	if a, ok := v.(Argument); ok && !a.IsZero() {
		return a, nil
	}
	items := reflect.ValueOf(value.Resolve(v))
	if items.Kind() != reflect.Slice && items.Kind() != reflect.Array {
		return newItem(v, "an argument must be "+wantedItem+", or a list of these")
	}
	list := make([]Argument, items.Len())
	for i := range list {
		var err error
		if list[i], err = newItem(items.Index(i).Interface(), "it must be "+wantedItem); err != nil {
			return Argument{}, fmt.Errorf("item %d of the list: %w", i, err)
		}
	}
	return Argument{list: list}, nil
}

// wantedItem is what an item of a list may be, for messages.
const wantedItem = "a string, a number, a boolean or a JSONPath"

// newItem returns an argument that is not a list. Its error begins with what is wanted.
func newItem(v any, wanted string) (Argument, error) {
	switch typed := v.(type) {
	case Argument:
		if typed.list == nil && !typed.IsZero() {
			return typed, nil
		}
	case Path:
		if typed.IsZero() {
			return Argument{}, errors.New("the zero Path cannot be an argument")
		}
		return Argument{path: typed}, nil
	}
	v = value.Resolve(v)
	s, ok := value.ScalarOf(v)
	switch {
	case !ok:
		return Argument{}, fmt.Errorf("%s, not %s", wanted, value.Describe(v))
	case s.Err() != nil:
		return Argument{}, fmt.Errorf("the argument %w", s.Err())
	case s.Shape() == value.String && strings.HasPrefix(s.Text(), jsonpath.Prefix):
		path, err := ParsePath(s.Text())
		return Argument{path: path}, err
	case s.Shape() == value.Number:
		if written, ok := v.(json.Number); ok && written != "" {
			return Argument{literal: written}, nil
		}
	}
	return Argument{literal: s.Canonical()}, nil
}

// MustNewArgument is NewArgument for arguments that are constants of a program. It
// panics where NewArgument returns an error.
func MustNewArgument(v any) Argument {
	a, err := NewArgument(v)
	if err != nil {
		panic(fmt.Sprintf("vmrules: MustNewArgument(%v): %v", v, err))
	}
	return a
}

// IsZero reports whether the argument is absent.
func (a Argument) IsZero() bool { return a.literal == nil && a.list == nil && a.path.IsZero() }

// Path returns the path that the value is read from, and false for a literal or a list.
func (a Argument) Path() (Path, bool) { return a.path, !a.path.IsZero() }

// Literal returns a string, a bool or a json.Number with its digits as they were
// written, and false for a path or a list.
func (a Argument) Literal() (any, bool) { return a.literal, a.literal != nil }

// List returns a copy of the items of a list, each a literal or a path. For a literal or a path, it
// returns that alone, and false; for the zero Argument, nil and false.
func (a Argument) List() ([]Argument, bool) { return slices.Clone(a.items()), a.list != nil }

// items is List without a copy.
func (a Argument) items() []Argument {
	if a.list != nil || a.IsZero() {
		return a.list
	}
	return []Argument{a}
}

// Number returns a literal as the number that min and max compare with, exactly and in plain decimal
// notation: that of "2Gi" is 2147483648. It returns false for a path, a list, and a literal that
// is neither a number nor a quantity.
func (a Argument) Number() (json.Number, bool) {
	s, _ := value.ScalarOf(a.literal)
	n, err := s.Quantity()
	if err != nil {
		return "", false
	}
	return json.Number(n.String()), true
}

// Equal reports whether two arguments are the same literal, the same path, or lists of the same
// items in the same order. Numbers are compared by value.
func (a Argument) Equal(b Argument) bool {
	s, ok := value.ScalarOf(a.literal)
	t, alsoOK := value.ScalarOf(b.literal)
	if ok && alsoOK {
		return s.Shape() == t.Shape() && s.String() == t.String()
	}
	return ok == alsoOK && a.path.Equal(b.path) &&
		(a.list == nil) == (b.list == nil) && slices.EqualFunc(a.list, b.list, Argument.Equal)
}

// String returns the argument as an annotation writes it, but a literal or a path without quotes.
func (a Argument) String() string {
	switch {
	case a.list != nil:
		text, _ := a.MarshalJSON()
		return string(text)
	case a.literal != nil:
		return fmt.Sprint(a.literal)
	}
	return a.path.String()
}

// MarshalJSON writes the argument as an annotation does, and the zero Argument as null. The error is
// always nil.
func (a Argument) MarshalJSON() ([]byte, error) {
	switch {
	case a.list != nil:
		return jsontext.Marshal(a.list)
	case !a.path.IsZero():
		return jsontext.Marshal(a.path)
	}
	return jsontext.Marshal(a.literal)
}
