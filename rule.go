package vmrules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/plan"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// argumentKeys are the keys of constraint.Arguments.
var argumentKeys = func() (keys [len(constraint.Arguments)]string) {
	for i, a := range constraint.Arguments {
		keys[i] = a.Key
	}
	return keys
}()

// A Rule is one constraint on one part of a VM. Changing a Rule that a method of Rules
// returned does not change the Rules.
//
// # Kinds and arguments
//
//	kind           what it demands of a value                              docs/format.md
//	integer        the value must be an integral number, or a string       V1
//	               that is an integral quantity: 2, 2.0, "2Gi", "1e3";
//	               not "500m"
//	string         the value must be a string                              V3
//	enum           the value must equal one of values; both are            V5
//	               compared as text
//	regex          the value, as text, must match regex, in whole or       V4
//	               in part
//	another        the rule is Ignored, unless WithKind adds the kind      R3
//
//	argument       what it demands of a value
//	min            the value must be a number or a quantity, and at        C5
//	               least min
//	max            the value must be a number or a quantity, and at        C6
//	               most max
//	minLength      the value, as text, must have at least minLength        C16
//	               Unicode code points
//	maxLength      the value, as text, must have at most maxLength         C17
//	               Unicode code points
//	values         the list of allowed values; the value, as text, must    C10
//	               equal one of them, letter case included; an empty
//	               list allows nothing
//	regex          a regular expression that the value, as text, must      X1
//	               match as in PCRE2, in UTF mode without UCP; it is
//	               not anchored
//
// As text, a string is itself, a number is in plain decimal notation
// (1e3 is "1000", 2.50 is "2.5"), a boolean is "true" or "false". An array or object
// has no text and satisfies no kind.
//
// The specification swaps the meanings of minLength and maxLength; here they have their
// usual ones.
//
// Every argument constrains the value, whatever the kind: an integer rule may have values,
// a string rule a regex. A value is checked in the order kind, min, max, minLength,
// maxLength, values, regex, with one [Violation] for each that fails. Where the kind
// fails, that is the only violation of the value.
//
// An argument that begins with "jsonpath::" is read from the object; where that fails, the
// rule is Undecided. An item of values may be a path, too; one that selects nothing allows
// nothing. An enum or regex rule without arguments is Ignored; an integer or string rule
// without arguments checks the type alone. (Spec: Rule arguments.)
//
// Numbers are exact decimals of any size up to the bounds, quantities included. Decode
// objects so that they keep their digits, as [ParseObject], [ToObject] and
// [encoding/json.Decoder.UseNumber] do. A float64 counts as the shortest decimal that
// reads back as the same float64.
//
// # Regular expressions
//
// Regex matches as PCRE2 would match it: \d, \w, \s, \b and POSIX classes are ASCII, and $
// also matches before a newline at the end.
//
// A pattern that would match differently here is refused, by the name of the part that
// cannot be matched: recursion and subroutine calls, conditionals, verbs, callouts,
// branch reset, \K, \G, \C, \X, scripts in \p, back-references to a group that has
// not ended, lookbehind without a fixed length, and what versions of PCRE2 read
// differently. So are octal codes, \c, \g, (?xx) and (?^), for which there are other spellings.
//
// Most patterns run in linear time. Those with lookaround, back-references, and atomic
// or possessive parts backtrack, within the time that [Budget] sets.
type Rule struct {
	Kind        Kind
	Name        string // unique among the rules of an annotation
	Path        Path   // what the rule is about
	Message     string // for the user, if the rule is violated
	Valid       Path   // the rule is skipped where this matches nothing; zero: absent
	JustWarning bool   // a violation does not fail the object

	// The constraints; a zero Argument is absent.
	Min, Max             Argument
	MinLength, MaxLength Argument // in Unicode code points
	Regex                Argument // PCRE: see Regular expressions above
	Values               Argument // a list, or one JSONPath that yields the list

	// Unknown holds the keys that this version does not know, and, for a kind
	// that is not known, its arguments.
	Unknown map[string]json.RawMessage
}

// Equal reports whether two rules mean the same. Paths and numbers are compared by value, not
// by spelling.
func (r Rule) Equal(q Rule) bool {
	return r.Kind == q.Kind && r.Name == q.Name && r.Message == q.Message &&
		r.JustWarning == q.JustWarning &&
		r.Path.Equal(q.Path) && r.Valid.Equal(q.Valid) &&
		!slices.ContainsFunc(argumentKeys[:], func(key string) bool { return !r.slot(key).Equal(*q.slot(key)) }) &&
		maps.EqualFunc(r.Unknown, q.Unknown, equalJSON)
}

func equalJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := value.ThroughJSON(a)
	y, errY := value.ThroughJSON(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// slot returns the field of the argument with a key.
func (r *Rule) slot(key string) *Argument {
	inOrder := [len(argumentKeys)]*Argument{&r.Min, &r.Max, &r.MinLength, &r.MaxLength, &r.Values, &r.Regex}
	return inOrder[slices.Index(argumentKeys[:], key)]
}

// Arguments yields the arguments of the rule with their keys, in the order in which they check
// a value.
func (r Rule) Arguments() iter.Seq2[string, Argument] {
	return func(yield func(string, Argument) bool) {
		for _, key := range argumentKeys {
			if a := r.slot(key); !a.IsZero() && !yield(key, *a) {
				return
			}
		}
	}
}

func (r Rule) clone() Rule {
	r.Unknown = maps.Clone(r.Unknown)
	for key, raw := range r.Unknown {
		r.Unknown[key] = slices.Clone(raw)
	}
	return r
}

// Rules are the rules of an annotation, read and checked. They are immutable and safe for
// concurrent use. The zero value has no rules.
type Rules struct {
	rules   []rule
	isWhole bool       // WholeObjects
	plan    *plan.Plan // nil: no rules
	list    *[]rule    // the same, for reports to share; nil: no rules
}

// newRules returns Rules for rules that were read, ready to validate by.
func newRules(rules []rule, isWhole bool) Rules {
	for i := range rules {
		r := &rules[i]
		r.index = i
		steps := r.Path.parsed.Steps()
		if at := jsonpath.Fixed(steps); len(at) == len(steps) {
			r.usual = vmtarget.UsualAt.Join(at).Texts()
		}
	}
	return Rules{rules, isWhole, newPlan(rules, isWhole), &rules}
}

// newPlan plans the rules about VMs whose arguments are literals, or read from one path each.
func newPlan(rules []rule, isWhole bool) *plan.Plan {
	entries := make([]plan.Entry, len(rules))
	for i := range rules {
		r := &rules[i]
		if r.unusable == nil && !isWhole && r.Kind.isOfFormat() && !r.enforcesNothing() {
			entries[i] = plan.Entry{Path: r.Path.parsed, Needs: r.Valid.parsed, Demands: &r.literal}
			for _, p := range r.paths {
				argument := plan.Argument{Of: constraint.Named(p.key)} // of several paths, or none
				if items := p.of.items(); len(items) == 1 {
					argument.Path = items[0].path.parsed
				}
				entries[i].Arguments = append(entries[i].Arguments, argument)
			}
		}
	}
	return plan.New(entries, plainFields)
}

// Len returns the number of rules, with those that LeaveOutUnusable left out.
func (rs Rules) Len() int { return len(rs.rules) }

// All yields the index and a copy of each rule that can be used.
func (rs Rules) All() iter.Seq2[int, Rule] {
	return func(yield func(int, Rule) bool) {
		for i, r := range rs.rules {
			if r.unusable == nil && !yield(i, r.Rule.clone()) {
				return
			}
		}
	}
}

// ByName returns a copy of the rule with this name. The bool is false if no rule has the name, or
// if LeaveOutUnusable left out the one that has.
func (rs Rules) ByName(name string) (Rule, bool) {
	for _, r := range rs.All() {
		if r.Name == name {
			return r, true
		}
	}
	return Rule{}, false
}

// Equal reports whether both have the same rules in the same order, and agree on whether they are
// about whole objects.
func (rs Rules) Equal(other Rules) bool {
	return rs.isWhole == other.isWhole && slices.EqualFunc(rs.rules, other.rules, func(a, b rule) bool {
		return a.Rule.Equal(b.Rule) && fmt.Sprint(a.unusable) == fmt.Sprint(b.unusable)
	})
}

// MarshalJSON writes the rules as an annotation of version 201902-2, whatever version they were
// read from. ParseRules reads the same rules from it. It is an error, which has no type of its own, if
// LeaveOutUnusable left rules out: the annotation would be without them.
//
// There is no UnmarshalJSON, which would lose options such as WithKind. In a JSON document of your own,
// read the rules as a []Rule for NewRules, or as a json.RawMessage for ParseRules.
func (rs Rules) MarshalJSON() ([]byte, error) {
	all := make([]Rule, 0, len(rs.rules))
	for _, r := range rs.rules {
		if r.unusable != nil {
			return nil, r.unusable
		}
		all = append(all, r.Rule)
	}
	return jsontext.Marshal(all)
}

// String returns the text of MarshalJSON, without escapes for HTML, or its error.
func (rs Rules) String() string {
	text, err := rs.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// A rule is a Rule that is ready to validate by.
type rule struct {
	Rule
	field   Path     // whose type in KubeVirt's API counts, if that is not Path
	own     []string // the keys that only its kind knows
	checker Checker  // of a kind that is not one of the format; nil if the kind is not known

	literal constraint.Set // the type, and the arguments that are literals
	paths   []pathArgument // the other arguments

	unusable error // why LeaveOutUnusable left it out; nil if it did not

	index int            // in the annotation
	usual jsonpath.Texts // of the only place that its path may select in a usual target; zero: there may be several
}

// A pathArgument is an argument that has paths, which are read from each object.
type pathArgument struct {
	key    string
	of     Argument // a path, or a list that has one
	origin string   // what a detail ends with, if it was one path
}

func newPathArgument(key string, a Argument) pathArgument {
	p := pathArgument{key: key, of: a}
	if items := a.items(); len(items) == 1 {
		p.origin = ", read from " + value.Shortened(items[0].path.shown())
	}
	return p
}

func (r *rule) hasArguments() bool { return len(r.literal.All())+len(r.paths) > 0 }
