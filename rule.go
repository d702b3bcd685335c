package vmrules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A Kind is what a rule enforces. Spec: Validation rules.
type Kind string

// The kinds of both versions of the format. A rule of another kind is kept,
// and ignored by Validate.
const (
	KindInteger Kind = "integer"
	KindString  Kind = "string"
	KindRegex   Kind = "regex"
	KindEnum    Kind = "enum"
)

func (k Kind) known() bool {
	switch k {
	case KindInteger, KindString, KindRegex, KindEnum:
		return true
	}
	return false
}

// The keys of a rule. Spec: Mandatory Keys, Optional Keys, Rule arguments.
const (
	keyRule        = "rule"
	keyName        = "name"
	keyPath        = "path"
	keyMessage     = "message"
	keyValid       = "valid"
	keyJustWarning = "justWarning"
	keyMin         = "min"
	keyMax         = "max"
	keyMinLength   = "minLength"
	keyMaxLength   = "maxLength"
	keyValues      = "values"
	keyRegex       = "regex"
	keyIncluded    = "included" // values in 201901-1
)

// commonKeys are those of every kind but for its arguments.
var commonKeys = []string{keyRule, keyName, keyPath, keyMessage, keyValid, keyJustWarning}

// argumentKeys are those of the constraints, in the order of judgement.
var argumentKeys = []string{keyMin, keyMax, keyMinLength, keyMaxLength, keyValues, keyRegex}

// A Rule is one constraint on one part of a VM. The copies that Rules hands
// out share nothing that a caller could change.
type Rule struct {
	Kind        Kind
	Name        string // unique among the rules of an annotation
	Path        Path   // what is judged
	Message     string // for the user, where the rule does not hold
	Valid       Path   // the rule is skipped where this matches nothing; zero: absent
	JustWarning bool   // a violation does not fail the object

	// The constraints; a zero Argument is absent.
	Min, Max             Argument
	MinLength, MaxLength Argument   // in Unicode code points
	Regex                Argument   // PCRE
	Values               []Argument // nil: absent; empty: nothing is allowed
	ValuesFrom           Path       // values as one JSONPath that yields the list

	// Unknown holds the keys that this version does not know, and, for a kind
	// that is not known, its arguments.
	Unknown map[string]json.RawMessage
}

// Equal tells whether two rules mean the same: paths and numbers count by
// value, not by spelling.
func (r Rule) Equal(q Rule) bool {
	return r.Kind == q.Kind && r.Name == q.Name && r.Message == q.Message &&
		r.JustWarning == q.JustWarning &&
		r.Path.Equal(q.Path) && r.Valid.Equal(q.Valid) && r.ValuesFrom.Equal(q.ValuesFrom) &&
		r.Min.Equal(q.Min) && r.Max.Equal(q.Max) && r.Regex.Equal(q.Regex) &&
		r.MinLength.Equal(q.MinLength) && r.MaxLength.Equal(q.MaxLength) &&
		(r.Values == nil) == (q.Values == nil) && slices.EqualFunc(r.Values, q.Values, Argument.Equal) &&
		maps.EqualFunc(r.Unknown, q.Unknown, equalJSON)
}

func equalJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := decodeJSON(a)
	y, errY := decodeJSON(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// slot is where the argument of a key stands that has a single one; nil for
// another key.
func (r *Rule) slot(key string) *Argument {
	switch key {
	case keyMin:
		return &r.Min
	case keyMax:
		return &r.Max
	case keyMinLength:
		return &r.MinLength
	case keyMaxLength:
		return &r.MaxLength
	case keyRegex:
		return &r.Regex
	}
	return nil
}

func (r Rule) clone() Rule {
	r.Values = slices.Clone(r.Values)
	r.Unknown = maps.Clone(r.Unknown)
	for key, raw := range r.Unknown {
		r.Unknown[key] = slices.Clone(raw)
	}
	return r
}

// MarshalJSON writes the rule as version 201902-2 has it.
func (r Rule) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	write := func(key string, value any) error {
		text, err := encodeJSON(value)
		if err != nil {
			return fmt.Errorf("rule %q: %s: %w", r.Name, key, err)
		}
		separator := byte(',')
		if b.Len() == 0 {
			separator = '{'
		}
		b.WriteByte(separator)
		b.WriteString(fmt.Sprintf("%s:%s", mustJSON(key), text))
		return nil
	}
	for _, m := range r.membersToWrite() {
		if err := write(m.key, m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encodeJSON is json.Marshal without its escapes for HTML, which nobody can
// read in a regular expression.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func mustJSON(v any) []byte {
	text, _ := encodeJSON(v) // a string or token always has a JSON form
	return text
}

type memberToWrite struct {
	key   string
	value any
}

func (r Rule) membersToWrite() []memberToWrite {
	members := []memberToWrite{{keyName, r.Name}, {keyRule, r.Kind}}
	add := func(present bool, key string, value any) {
		if present {
			members = append(members, memberToWrite{key, value})
		}
	}
	add(!r.Path.IsZero(), keyPath, r.Path)
	add(!r.Valid.IsZero(), keyValid, r.Valid)
	add(true, keyMessage, r.Message)
	for _, key := range argumentKeys {
		if a := r.slot(key); a != nil {
			add(!a.IsZero(), key, *a)
			continue
		}
		add(r.Values != nil, key, r.Values)
		add(!r.ValuesFrom.IsZero(), key, r.ValuesFrom)
	}
	add(r.JustWarning, keyJustWarning, true)
	for _, key := range slices.Sorted(maps.Keys(r.Unknown)) {
		add(true, key, r.Unknown[key])
	}
	return members
}

// Rules are the rules of an annotation, read and checked. They are immutable
// and safe for concurrent use; the zero value has no rules.
type Rules struct{ rules []rule }

// Len is the number of rules.
func (rs Rules) Len() int { return len(rs.rules) }

// All yields each rule and its index, as a copy.
func (rs Rules) All() iter.Seq2[int, Rule] {
	return func(yield func(int, Rule) bool) {
		for i, r := range rs.rules {
			if !yield(i, r.Rule.clone()) {
				return
			}
		}
	}
}

// Equal tells whether both have the same rules in the same order.
func (rs Rules) Equal(other Rules) bool {
	return slices.EqualFunc(rs.rules, other.rules, func(a, b rule) bool { return a.Rule.Equal(b.Rule) })
}

// MarshalJSON writes the rules as an annotation of version 201902-2, whatever
// they were read from. ParseRules reads the same rules from it.
func (rs Rules) MarshalJSON() ([]byte, error) {
	all := make([]Rule, 0, len(rs.rules))
	for _, r := range rs.rules {
		all = append(all, r.Rule)
	}
	return encodeJSON(all)
}

// String is the text of MarshalJSON, without escapes for HTML.
func (rs Rules) String() string { return string(mustJSON(rs)) }

// A rule is a Rule that is ready to be judged.
type rule struct {
	Rule
	constraints []argued // in the order of judgement
}

// comparesNumbers tells whether the rule reads its values as numbers.
func (r *rule) comparesNumbers() bool {
	return r.Kind == KindInteger || !r.Min.IsZero() || !r.Max.IsZero()
}

// An argued constraint has its arguments read already, or to be read from the
// object each time.
type argued struct {
	key   string
	fixed constraint // nil: from paths
	from  []Argument // of which at least one is a path
}

// A ruleReader reads the rules of one annotation.
type ruleReader struct {
	version  Version
	strict   bool
	problems []Problem

	index int
	node  jsonNode
	rule  rule
}

func (r *ruleReader) problem(at jsonNode, key string, reason Reason, format string, args ...any) {
	r.problems = append(r.problems, Problem{
		Index: r.index, Key: key, Offset: at.start, Reason: reason, Message: fmt.Sprintf(format, args...),
	})
}

// read reads one rule and notes all that is wrong with it.
func (r *ruleReader) read(index int, n jsonNode) rule {
	r.index, r.node, r.rule = index, n, rule{}
	if n.value != json.Delim('{') {
		r.problem(n, "", ReasonTypeInvalid, `a rule must be an object: { "name": …, "rule": …, "path": …, "message": … }`)
		return r.rule
	}
	r.rule.Kind = Kind(r.mandatory(keyRule, "integer, string, regex or enum"))
	r.rule.Name = r.mandatory(keyName, "an identifier that no other rule has")
	if path := r.mandatory(keyPath, "the JSONPath of the field to judge"); path != "" {
		r.rule.Path = r.path(keyPath, path)
	}
	r.rule.Message = r.mandatory(keyMessage, "what the user is told where the rule does not hold")
	r.valid()
	r.justWarning()
	if r.judgesArguments() {
		r.arguments()
	}
	r.unknown()
	r.strictly()
	return r.rule
}

// judgesArguments tells whether the arguments can be understood: those of
// another kind may mean anything.
func (r *ruleReader) judgesArguments() bool {
	return r.rule.Kind.known() || r.rule.Kind == ""
}

// member finds a key; a null is absent.
func (r *ruleReader) member(key string) (jsonNode, bool) {
	for _, m := range r.node.members {
		if m.key == key {
			return m.value, m.value.value != nil
		}
	}
	return jsonNode{}, false
}

// mandatory reads a key that must be there with a string that is not empty.
func (r *ruleReader) mandatory(key, meaning string) string {
	n, ok := r.member(key)
	if !ok && n.end == 0 {
		r.problem(r.node, key, ReasonRequired, "the rule has no %q: add %s", key, meaning)
		return ""
	}
	s, isString := n.value.(string)
	switch {
	case !ok || isString && s == "":
		r.problem(n, key, ReasonRequired, "%q is empty: it must be %s", key, meaning)
	case !isString:
		r.problem(n, key, ReasonTypeInvalid, "%q must be a string: %s", key, meaning)
	}
	return s
}

// path reads a JSONPath as the version writes it.
func (r *ruleReader) path(key, s string) Path {
	n, _ := r.member(key)
	path, err := r.parsePath(s)
	if err != nil {
		r.problem(n, key, ReasonInvalid, "%v", err)
	}
	return path
}

func (r *ruleReader) parsePath(s string) (Path, error) {
	if r.version != V201901 || strings.HasPrefix(s, pathPrefix) {
		return ParsePath(s)
	}
	return parseExpression(strings.TrimPrefix(s, "/"))
}

func (r *ruleReader) valid() {
	n, ok := r.member(keyValid)
	if !ok {
		return
	}
	s, ok := n.value.(string)
	if !ok {
		r.problem(n, keyValid, ReasonTypeInvalid, "%q must be a JSONPath, such as %q", keyValid, pathPrefix+".spec.domain.cpu")
		return
	}
	r.rule.Valid = r.path(keyValid, s)
}

func (r *ruleReader) justWarning() {
	n, ok := r.member(keyJustWarning)
	if !ok {
		return
	}
	if r.rule.JustWarning, ok = n.value.(bool); !ok {
		r.problem(n, keyJustWarning, ReasonTypeInvalid, "%q must be true or false, without quotes", keyJustWarning)
	}
}

func (r *ruleReader) arguments() {
	for _, key := range argumentKeys {
		if key == keyValues {
			if key, n, ok := r.valuesMember(); ok {
				r.values(key, n)
			}
			continue
		}
		if n, ok := r.member(key); ok {
			r.argument(key, n)
		}
	}
}

// argument reads an argument that has one value.
func (r *ruleReader) argument(key string, n jsonNode) {
	a, s, ok := r.readArgument(key, n)
	if !ok {
		return
	}
	*r.rule.slot(key) = a
	if _, isPath := a.Path(); isPath {
		r.rule.constraints = append(r.rule.constraints, argued{key: key, from: []Argument{a}})
		return
	}
	if s.shape == text && (key == keyMinLength || key == keyMaxLength) {
		r.problem(n, key, ReasonTypeInvalid, "%q must be a number without quotes, or a JSONPath", key)
		return
	}
	c, reason, err := newConstraint(key, s)
	if err != nil {
		r.problem(n, key, reason, "%q %v", key, err)
		return
	}
	r.rule.constraints = append(r.rule.constraints, argued{key: key, fixed: c})
}

// readArgument reads a literal, with the scalar that it is, or a path.
func (r *ruleReader) readArgument(key string, n jsonNode) (Argument, scalar, bool) {
	if s, ok := n.value.(string); ok && r.isPath(s) {
		path, err := r.parsePath(s)
		if err != nil {
			r.problem(n, key, ReasonInvalid, "%v", err)
		}
		return Argument{path: path}, scalar{}, err == nil
	}
	s, ok := scalarOf(n.value)
	if !ok {
		r.problem(n, key, ReasonTypeInvalid, "%q must be %s", key, wantedArguments[key])
		return Argument{}, scalar{}, false
	}
	if s.err != nil {
		r.problem(n, key, ReasonInvalid, "%q %v", key, s.err)
		return Argument{}, scalar{}, false
	}
	return Argument{literal: n.value}, s, true
}

func (r *ruleReader) isPath(s string) bool {
	return strings.HasPrefix(s, pathPrefix) || r.version == V201901 && strings.HasPrefix(s, "/")
}

// valuesMember finds "values", which 201901-1 also calls "included".
func (r *ruleReader) valuesMember() (string, jsonNode, bool) {
	var found []jsonMember
	for _, m := range r.node.members {
		isValues := m.key == keyValues || m.key == keyIncluded && r.version == V201901
		if isValues && m.value.value != nil {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return "", jsonNode{}, false
	}
	first := found[0]
	for _, m := range found[1:] {
		if m.key != first.key { // the same key twice is a problem of the text
			r.problem(jsonNode{start: m.start}, m.key, ReasonDuplicate, "%q and %q are the same argument: keep one of them", first.key, m.key)
		}
	}
	return first.key, first.value, true
}

// values reads the list of allowed values, or the path that yields it.
func (r *ruleReader) values(key string, n jsonNode) {
	if s, ok := n.value.(string); ok && r.isPath(s) {
		if a, _, ok := r.readArgument(key, n); ok {
			r.rule.ValuesFrom = a.path
			r.rule.constraints = append(r.rule.constraints, argued{key: keyValues, from: []Argument{a}})
		}
		return
	}
	if n.value != json.Delim('[') {
		r.problem(n, key, ReasonTypeInvalid, "%q must be an array of values, or a JSONPath that yields one", key)
		return
	}
	r.rule.Values = make([]Argument, 0, len(n.items))
	literals := make([]scalar, 0, len(n.items))
	for _, item := range n.items {
		a, s, ok := r.readArgument(key, item)
		if !ok {
			continue
		}
		r.rule.Values = append(r.rule.Values, a)
		if _, isPath := a.Path(); !isPath {
			literals = append(literals, s)
		}
	}
	c := argued{key: keyValues, from: r.rule.Values}
	if len(literals) == len(n.items) {
		c = argued{key: keyValues, fixed: newAllowed(literals)}
	}
	r.rule.constraints = append(r.rule.constraints, c)
}

// unknown keeps what this version, or this kind, does not know.
func (r *ruleReader) unknown() {
	for _, m := range r.node.members {
		if r.knows(m.key) {
			continue
		}
		if r.rule.Unknown == nil {
			r.rule.Unknown = map[string]json.RawMessage{}
		}
		r.rule.Unknown[m.key] = m.value.raw()
		if r.strict && (r.judgesArguments() || !slices.Contains(argumentKeys, m.key)) {
			r.problem(jsonNode{start: m.start}, m.key, ReasonNotSupported, "the key %s is not known: remove it, or correct its spelling", quoted(m.key))
		}
	}
}

func (r *ruleReader) knows(key string) bool {
	if slices.Contains(commonKeys, key) {
		return true
	}
	isArgument := slices.Contains(argumentKeys, key) || key == keyIncluded && r.version == V201901
	return isArgument && r.judgesArguments()
}

// raw writes a node as JSON again, without blanks.
func (n jsonNode) raw() json.RawMessage {
	switch n.value {
	case json.Delim('['):
		items := make([]json.RawMessage, 0, len(n.items))
		for _, item := range n.items {
			items = append(items, item.raw())
		}
		return slices.Concat([]byte("["), bytes.Join(asBytes(items), []byte(",")), []byte("]"))
	case json.Delim('{'):
		members := make([]json.RawMessage, 0, len(n.members))
		for _, m := range n.members {
			members = append(members, slices.Concat(mustJSON(m.key), []byte(":"), m.value.raw()))
		}
		return slices.Concat([]byte("{"), bytes.Join(asBytes(members), []byte(",")), []byte("}"))
	}
	return mustJSON(n.value)
}

func asBytes(list []json.RawMessage) [][]byte {
	all := make([][]byte, 0, len(list))
	for _, raw := range list {
		all = append(all, raw)
	}
	return all
}

// strictly judges what only Strict minds.
func (r *ruleReader) strictly() {
	if !r.strict || r.rule.Kind == "" {
		return
	}
	if kind, _ := r.member(keyRule); !r.rule.Kind.known() {
		r.problem(kind, keyRule, ReasonNotSupported, "the kind %s is not known: it is integer, string, regex or enum", quoted(string(r.rule.Kind)))
		return
	}
	for _, key := range slices.Concat(argumentKeys, []string{keyIncluded}) {
		if _, ok := r.member(key); ok {
			return
		}
	}
	r.problem(r.node, "", ReasonRequired, "the rule has no argument, so it enforces little or nothing: add one of %s", strings.Join(argumentKeys, ", "))
}
