package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A Reason says in one word what is wrong. The words are those that Kubernetes uses as
// the reasons of a StatusCause. The set is closed.
type Reason string

const (
	// ReasonRequired: the value is missing.
	ReasonRequired Reason = "FieldValueRequired"
	// ReasonTypeInvalid: the value has the wrong type.
	ReasonTypeInvalid Reason = "FieldValueTypeInvalid"
	// ReasonNotSupported: the value is not one of the allowed values.
	ReasonNotSupported Reason = "FieldValueNotSupported"
	// ReasonTooLong: the value is longer than it may be.
	ReasonTooLong Reason = "FieldValueTooLong"
	// ReasonDuplicate: the value may appear only once.
	ReasonDuplicate Reason = "FieldValueDuplicate"
	// ReasonForbidden: there must not be a value. Only kinds added by
	// WithKind use it.
	ReasonForbidden Reason = "FieldValueForbidden"
	// ReasonInvalid: anything else that is wrong with the value.
	ReasonInvalid Reason = "FieldValueInvalid"
	// ReasonInternal: the rule could not be decided; the value may be right.
	ReasonInternal Reason = "InternalError"
)

// reasonWords has the reasons as messages for people write them.
var reasonWords = map[Reason]string{
	ReasonRequired:     "Required value",
	ReasonTypeInvalid:  "Invalid type",
	ReasonNotSupported: "Unsupported value",
	ReasonTooLong:      "Too long",
	ReasonDuplicate:    "Duplicate value",
	ReasonForbidden:    "Forbidden",
	ReasonInvalid:      "Invalid value",
	ReasonInternal:     "Not decided",
}

var reasonOf = [...]Reason{
	constraint.Invalid: ReasonInvalid, constraint.WrongType: ReasonTypeInvalid,
	constraint.NotListed: ReasonNotSupported, constraint.TooLong: ReasonTooLong,
}

// A Doubt is why a rule, or each rule of a target, could not be decided, for a program to
// act on. The Detail of the rule's violation says the same in words.
type Doubt string

const (
	// DoubtBound: a bound was reached: the Budget, the time for regular expressions, the number of
	// values that a path selects, the depth of the object, the size of a number, or a limit of the
	// rule's kind; or a value has no JSON form, or is not UTF-8, which a regular expression needs.
	DoubtBound Doubt = "Bound"
	// DoubtArgument: an argument's path selects nothing, or a value that cannot be
	// that argument; or a default that the caller gave cannot be used.
	DoubtArgument Doubt = "Argument"
	// DoubtParameter: a parameter of the template is not filled in.
	DoubtParameter Doubt = "Parameter"
	// DoubtConflict: the instance type or the preference, which may set the field, conflicts
	// with the VM, so that KubeVirt refuses it.
	DoubtConflict Doubt = "Conflict"
	// DoubtInstancetype: the instance type may set the field, and perhaps the
	// preference may, too.
	DoubtInstancetype Doubt = "Instancetype"
	// DoubtPreference: the preference may set the field.
	DoubtPreference Doubt = "Preference"
	// DoubtTemplate: the template that the VM names, which has its rules, is not there.
	DoubtTemplate Doubt = "Template"
	// DoubtLookup: that template could not be looked up.
	DoubtLookup Doubt = "Lookup"
	// DoubtRules: the annotation with the rules cannot be read.
	DoubtRules Doubt = "Rules"
	// DoubtNothing: there is nothing to validate.
	DoubtNothing Doubt = "Nothing"
	// DoubtKind: the Checker of the rule's kind gave no verdict, or failed.
	DoubtKind Doubt = "Kind"
)

// A doubtError is a doubt about a rule, with its Doubts. The first is reported.
type doubtError struct {
	doubts []Doubt
	isOpen bool // a field is open: the instance type or the preference, which are not given, may set it
	error
}

func (e *doubtError) Unwrap() error { return e.error }

func doubtful(d Doubt, err error) error { return &doubtError{doubts: []Doubt{d}, error: err} }

func reworded(doubt, text error) error { return &doubtError{doubtsIn(doubt), isOpen(doubt), text} }

// doubtsIn returns the Doubts of an error. An error without one comes from searching, comparing or
// paying, each of which can reach a bound.
func doubtsIn(err error) []Doubt {
	var e *doubtError
	if errors.As(err, &e) {
		return e.doubts
	}
	return []Doubt{DoubtBound}
}

func doubtIn(err error) Doubt { return doubtsIn(err)[0] }

// isOpen reports whether a doubt is that a field is open.
func isOpen(err error) bool {
	var e *doubtError
	return errors.As(err, &e) && e.isOpen
}

// openField returns the doubt that a field may be set by what is not given. why says why it is not,
// unless that is obvious.
func openField(what string, by jsonpath.Setters, why string) error {
	var doubts []Doubt
	var setters []string
	if by&vmfields.ByInstancetype != 0 {
		doubts, setters = append(doubts, DoubtInstancetype), append(setters, "the instance type")
	}
	if by&^vmfields.ByInstancetype != 0 {
		doubts, setters = append(doubts, DoubtPreference), append(setters, "the preference")
	}
	text := fmt.Sprintf("%s may be set by %s", what, strings.Join(setters, " or "))
	if why != "" {
		text += ": " + why
	}
	return &doubtError{doubts, true, errors.New(text)}
}

// doubtOf returns why a search in a target may not have found everything; nil if it has.
func doubtOf(t *target, w *jsonpath.Search) error {
	doubt := openIn(t, w.Doubt())
	all := w.Doubts()
	if len(all) < 2 {
		return doubt
	}
	several := &doubtError{isOpen: isOpen(doubt), error: doubt}
	for _, err := range all {
		several.doubts = append(several.doubts, doubtsIn(openIn(t, err))...)
	}
	return several
}

// openIn returns the doubt of a search in a target.
func openIn(t *target, doubt error) error {
	if left, ok := doubt.(*jsonpath.OpenField); ok {
		return openField(left.What, left.By, t.WhyOpen)
	}
	return doubt
}

// A Cause has the JSON form of metav1.StatusCause, for the status of an
// admission response.
type Cause struct {
	Reason  Reason `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Field   string `json:"field,omitempty"`
}

// A Problem is one thing that is wrong with an annotation.
//
// # Codes
//
// The Code of a Problem is one of these. New ones may be added. All but the last three of the
// second table are also the IDs of checks of package lint.
//
//	unreadable        the text is not JSON or not UTF-8, is nested too deeply, or has too many rules;
//	                  or a kind of WithKind cannot read a rule
//	wrong-type        a value has the wrong type, or the annotation is not an array of rules
//	too-long          the annotation or a regex is too long, or the Budget is too small to read it
//	missing-key       a mandatory key is missing or empty
//	duplicate         two rules have the same name, or one object has the same key twice
//	invalid-path      path or valid is not a JSONPath that all consumers read alike
//	invalid-regex     the regex cannot be used
//	invalid-argument  another argument, or a key of a kind of WithKind, cannot be used
//
// These are about how the rules are asked for, and not about the text:
//
//	invalid-option    WithKind cannot add the kind, or WithTemplates found rules about whole objects
//	no-template       RulesFor needs a template: FieldValueRequired if it is nil, else FieldValueTypeInvalid
//	different-rules   RulesFor finds VMs with different annotations inside one object
//	unwritable        NewRules has a rule that cannot be written as JSON
//
// Only Strict makes these problems:
//
//	misspelt-key      an unknown key resembles a known one
//	unknown-key       any other key that is unknown
//	misspelt-kind     an unknown kind resembles a known one
//	unknown-kind      any other kind that is unknown
//	no-arguments      the rule checks only the type of a value, or nothing at all
type Problem struct {
	// Rule is the name of the rule; "" if it has none, or if the problem is not about
	// a rule.
	Rule string `json:"rule,omitempty"`
	// Index is the index of the rule in the array, from 0; -1 if the problem is
	// about the whole annotation.
	Index int `json:"index"`
	// Key is the key inside the rule; "" if the problem is about the whole rule.
	Key string `json:"key,omitempty"`
	// Offset counts bytes from 0. Line and Column count from 1, and columns are
	// code points. Line is 0 for rules that were not read from text. If a step of a path
	// is wrong, they are the position of the step, inside the string.
	Offset int `json:"offset"`
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`

	Reason Reason `json:"reason"`
	// Code says precisely what is wrong, for programs: see Codes above.
	Code string `json:"code"`
	// Message says what is wrong and what would be right.
	Message string `json:"message"`
	// Suggestion, if there is one, is what to write instead of the whole string that holds
	// Offset: a key or a value, without quotes and escapes.
	Suggestion string `json:"suggestion,omitempty"`
	// Source is whose annotation it is, if RulesFor or ValidateOwn read it: "VM",
	// "template", or either with its location, as in "VM items[3]".
	Source string `json:"source,omitempty"`
}

// The codes of problems.
const (
	codeUnreadable      = "unreadable"
	codeInvalidOption   = "invalid-option"
	codeDifferentRules  = "different-rules"
	codeNoTemplate      = "no-template"
	codeUnwritable      = "unwritable"
	codeMissingKey      = "missing-key"
	codeWrongType       = "wrong-type"
	codeDuplicate       = "duplicate"
	codeTooLong         = "too-long"
	codeInvalidPath     = "invalid-path"
	codeInvalidRegex    = "invalid-regex"
	codeInvalidArgument = "invalid-argument"

	// These are problems only under Strict.
	codeMisspeltKey  = "misspelt-key"
	codeUnknownKey   = "unknown-key"
	codeMisspeltKind = "misspelt-kind"
	codeUnknownKind  = "unknown-kind"
	codeNoArguments  = "no-arguments"
)

var codeOfReason = map[Reason]string{
	ReasonRequired: codeMissingKey, ReasonTypeInvalid: codeWrongType, ReasonDuplicate: codeDuplicate, ReasonTooLong: codeTooLong,
}

var codeOfKey = map[string]string{
	"": codeUnreadable, rulekey.Path: codeInvalidPath, rulekey.Valid: codeInvalidPath, constraint.Regex: codeInvalidRegex,
}

func codeOf(reason Reason, key string) string {
	return cmp.Or(codeOfReason[reason], codeOfKey[key], codeInvalidArgument)
}

// Error returns the problem in one line.
func (p Problem) Error() string {
	var parts []string
	if p.Source != "" {
		parts = append(parts, p.Source)
	}
	if p.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d, column %d", p.Line, p.Column))
	}
	switch {
	case p.Rule != "":
		parts = append(parts, "rule "+value.Quoted(p.Rule))
	case p.Index >= 0:
		parts = append(parts, fmt.Sprintf("rules[%d]", p.Index))
	}
	if p.Key != "" && !strings.Contains(p.Message, value.Quoted(p.Key)) {
		parts = append(parts, value.OneLine(p.Key))
	}
	return strings.Join(append(parts, value.OneLine(p.Message)), ": ")
}

func (p Problem) field() string {
	if p.Index < 0 {
		return ""
	}
	at := jsonpath.Location{jsonpath.Item(p.Index)}
	if p.Key != "" {
		at = append(at, jsonpath.Member(p.Key))
	}
	return at.String()
}

// A ParseError lists everything that is wrong with an annotation, or with the rules
// that NewRules was given. errors.As finds it, and the first Problem in it.
type ParseError struct {
	Problems []Problem `json:"problems"`
}

// Error lists at most a hundred problems, one per line.
func (e *ParseError) Error() string {
	return value.ErrorList("the validation rules cannot be used", e.all())
}

// Unwrap returns the problems, each a Problem.
func (e *ParseError) Unwrap() []error { return asErrors(e.all()) }

func (e *ParseError) all() []Problem {
	if e == nil {
		return nil
	}
	return e.Problems
}

// Causes returns the problems as causes of an admission response. Field is the path
// inside the annotation, such as "[3].path". There are at most 100 causes, of at most 16 MiB
// together: the last then says how many more there are.
func (e *ParseError) Causes() []Cause { return causesOf(e.all(), Problem.cause) }

func (p Problem) cause() Cause { return Cause{Reason: p.Reason, Message: p.Error(), Field: p.field()} }

// An InvalidError lists all violations that fail an object. Report.Err returns it.
// errors.As finds it, and the first Violation in it.
type InvalidError struct {
	Violations []Violation `json:"violations"`
}

// Error lists at most a hundred violations, one per line.
func (e *InvalidError) Error() string {
	return value.ErrorList("the object is not valid", e.all())
}

func (e *InvalidError) all() []Violation {
	if e == nil {
		return nil
	}
	return e.Violations
}

// Unwrap returns the violations, each a Violation.
func (e *InvalidError) Unwrap() []error { return asErrors(e.all()) }

func asErrors[E error](list []E) []error {
	all := make([]error, 0, len(list))
	for _, e := range list {
		all = append(all, e)
	}
	return all
}
