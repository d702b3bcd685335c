package vmrules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A Doubt tells a program why a rule is undecided. The Detail of the rule's violation
// says the same in words.
type Doubt string

const (
	// DoubtBound: a bound was reached. The bound is the Budget, the time for regular
	// expressions, the number of values that a path selects, the depth of the object,
	// or the size of a number. DoubtBound also means that a value has no JSON form, or
	// that it is not UTF-8, which a regular expression needs.
	DoubtBound Doubt = "Bound"
	// DoubtArgument: an argument's path selects nothing, or a value that cannot be
	// that argument; or a default that the caller gave cannot be used.
	DoubtArgument Doubt = "Argument"
	// DoubtParameter: a parameter of the template is not filled in.
	DoubtParameter Doubt = "Parameter"
	// DoubtInstancetype: the instance type may set the field, and perhaps the
	// preference may, too.
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

// doubtIn returns the Doubt of an error. An error without one comes from searching,
// comparing or paying, each of which can reach a bound.
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

// A leftOut error says that the instance type or the preference, which are not given, may
// set a field.
type leftOut struct {
	what    string
	by      jsonpath.Setters
	lacking string // why they are not known; "" if they are not given at all
}

func (e *leftOut) Error() string {
	var all []string
	if e.by&vmfields.ByInstancetype != 0 {
		all = append(all, "the instance type")
	}
	if e.by&(vmfields.ByPreference|vmfields.ByTopology) != 0 {
		all = append(all, "the preference")
	}
	text := fmt.Sprintf("%s may be set by %s", e.what, strings.Join(all, " or "))
	if e.lacking != "" {
		text += ": " + e.lacking
	}
	return text
}

// Doubt returns the Doubt about what Error names first.
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

// doubtOf returns why a search in a target may not have found everything; nil if it has.
func doubtOf(t *target, w *jsonpath.Search) error {
	if left, ok := w.Doubt().(*jsonpath.LeftOut); ok {
		return &leftOut{left.What, left.By, t.Lacking}
	}
	return w.Doubt()
}
