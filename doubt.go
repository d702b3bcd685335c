package vmrules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A Doubt is why a rule is undecided, for programs; the Detail of its violation
// says the same in words.
type Doubt string

const (
	// DoubtBound: a bound was reached. That is the Budget, the time for regular
	// expressions, the number of values that a path selects or the depth of the
	// object; or the value is beyond the bounds of numbers, has no JSON form, or
	// is not the UTF-8 that a regular expression needs.
	DoubtBound Doubt = "Bound"
	// DoubtArgument: an argument's path selects nothing, or nothing that the
	// argument could be; or a default that the caller gave cannot be used.
	DoubtArgument Doubt = "Argument"
	// DoubtParameter: a parameter of the template is not filled in.
	DoubtParameter Doubt = "Parameter"
	// DoubtInstancetype: the instance type may set the field, and the preference
	// perhaps as well.
	DoubtInstancetype Doubt = "Instancetype"
	// DoubtPreference: the preference may set the field.
	DoubtPreference Doubt = "Preference"
	// DoubtNothing: there is nothing to validate.
	DoubtNothing Doubt = "Nothing"
	// DoubtKind: the Checker of the rule's kind gave no verdict, or failed.
	DoubtKind Doubt = "Kind"
)

// A doubtful error has a Doubt of its own.
type doubtful struct {
	doubt Doubt
	error
}

func (e doubtful) Doubt() Doubt  { return e.doubt }
func (e doubtful) Unwrap() error { return e.error }

// doubtIn returns the Doubt of an error. An error without one comes from what can
// reach a bound: searching, comparing and paying.
func doubtIn(err error) Doubt {
	var e interface{ Doubt() Doubt }
	if errors.As(err, &e) {
		return e.Doubt()
	}
	return DoubtBound
}

// isDoubtful reports whether an error has a Doubt of its own.
func isDoubtful(err error) bool {
	var e interface{ Doubt() Doubt }
	return errors.As(err, &e)
}

// A leftOut error says that a field depends on an object that is not given.
type leftOut struct {
	what string
	by   jsonpath.Setters
}

func (e *leftOut) Error() string {
	var all []string
	if e.by&vmfields.ByInstancetype != 0 {
		all = append(all, "the instance type")
	}
	if e.by&vmfields.ByPreference != 0 {
		all = append(all, "the preference")
	}
	return fmt.Sprintf("%s may be set by %s", e.what, strings.Join(all, " or "))
}

// Doubt is that of the object that Error names first.
func (e *leftOut) Doubt() Doubt {
	if e.by&vmfields.ByInstancetype != 0 {
		return DoubtInstancetype
	}
	return DoubtPreference
}

func isLeftOut(err error) bool {
	var e *leftOut
	return errors.As(err, &e)
}

// doubtOf returns why what a search found may not be all; nil where it is.
func doubtOf(w *jsonpath.Search) error {
	if left, ok := w.Doubt().(*jsonpath.LeftOut); ok {
		return &leftOut{left.What, left.By}
	}
	return w.Doubt()
}
