package form

import (
	"errors"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/inside"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// SchemaDialect is the dialect of JSON Schema that Schema writes.
const SchemaDialect = "https://json-schema.org/draft/2020-12/schema"

// Schema adds these keywords to those of JSON Schema.
const (
	// SchemaRules, in the schema of a field, lists the rules that its keywords come from.
	SchemaRules = "x-vmrules-rules"
	// SchemaShould, in the schema of a field, holds Limit.Should, which only warns.
	SchemaShould = "x-vmrules-should"
	// SchemaRead, at the root, lists the arguments that were read from the object, each
	// with rule, target, argument and path.
	SchemaRead = "x-vmrules-read"
	// SchemaUnexpressed, at the root, lists what the schema does not express.
	SchemaUnexpressed = "x-vmrules-unexpressed"
)

// Schema returns the rules as a JSON Schema, draft 2020-12, for editors and validators. The
// schema consists of map[string]any, []any, strings, booleans and json.Number, which
// encoding/json can write. It describes the whole object: a VM, template or list. The kind
// of the object decides where in it the rules apply. Arguments that are JSONPaths are read
// from the object.
//
// The schema is for this object and for others in which Validate finds the same targets
// and reads the same arguments. SchemaRead lists the arguments that are read. The targets
// are the same if
//
//   - the kind and apiVersion are the same,
//   - both objects have an instance type or neither has,
//   - both objects have a preference or neither has, and
//   - in lists and templates, the VMs are at the same places.
//
// Validate, with the same options, rejects all such objects that the schema rejects. It
// accepts those that the schema accepts, unless SchemaUnexpressed says otherwise.
//
// SchemaUnexpressed is an array, which is empty if the schema expresses everything. It
// lists, for example, strings with a quantity, the length of a number, or a regular
// expression that ECMA-262 reads differently. Each item is an object with the members
//
//   - reason;
//   - rule, unless the item is about all rules;
//   - target, if it has a name;
//   - argument, unless the item is about the kind or the path of the rule;
//   - type, "string" or "number", if the item is only about values of this type.
//
// The schema does not reject anything because of a rule with justWarning: what such a rule
// asks is in SchemaShould. A member that is null counts as missing, so the schema allows
// null wherever something may be missing. Patterns are ECMA-262 with the flag u. The
// schema does not contain Validate's bounds or the regex budget.
func Schema(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) map[string]any {
	w := &schemaWriter{
		call: newCall(rules, object, opts), object: object,
		tree: &node{}, patterns: map[string]*pattern{}, unexpressed: []any{},
	}
	w.write()
	schema := w.tree.schema()
	if all, _ := schema["allOf"].([]any); w.conditions != nil {
		schema["allOf"] = append(all, w.conditions...)
	}
	schema["$schema"] = SchemaDialect
	schema[SchemaUnexpressed] = w.unexpressed
	if w.read != nil {
		schema[SchemaRead] = w.read
	}
	return schema
}

var (
	errStep      = errors.New("a schema can only express names, indexes from 0 to 99 and [*]")
	errDeep      = errors.New("a path of more than 64 steps would make the schema too deep")
	errInDefault = errors.New("a schema cannot express what is inside a default")
	errOthers    = errors.New("the instance type or the preference may set the field")
	errFull      = errors.New("the budget does not allow a larger schema")
	errParameter = errors.New("a template parameter that is not filled in, in a value or a key, makes a rule Undecided")
)

// said returns an object with those of the members that are not "".
func said(members map[string]string) map[string]any {
	object := map[string]any{}
	for name, text := range members {
		if text != "" {
			object[name] = text
		}
	}
	return object
}

type schemaWriter struct {
	*call
	object      map[string]any
	tree        *node
	patterns    map[string]*pattern // by the text in PCRE
	conditions  []any               // schemas of what rules ask only if "valid" selects something
	unexpressed []any
	read        []any
}

func (w *schemaWriter) write() {
	isCut := false
	for target := range w.targets() {
		if isCut = target[0].Index < 0 || w.isSpent(); isCut {
			break
		}
		w.writeTarget(target)
	}
	if isCut || w.isSpent() {
		w.unexpressed = append(w.unexpressed, said(map[string]string{"reason": errFull.Error()}))
	}
}

func (w *schemaWriter) writeTarget(target []Resolved) {
	of := schemaTarget{schemaWriter: w, name: target[0].Target, root: fieldpath.Steps(target[0].Root)}
	object, at := value.Resolve(w.object), jsonpath.Fixed(inside.Vmrules.Parsed(target[0].Root).Steps())
	of.hasRoot = jsonpath.Lookup(object, at) != nil
	if n := len(at); n > 0 && at[n-1] == jsonpath.Member("template") {
		of.setters = vmfields.SettersOf(jsonpath.Lookup(object, at[:n-1]))
	}
	if target[0].HasParameters {
		of.leaveOut(nil, "", "string", errParameter)
	}
	for _, rules := range w.groups(target) {
		if w.isSpent() {
			return
		}
		g := schemaGroup{schemaTarget: of}
		g.write(rules)
	}
}

// isSettable reports whether the instance type or the preference of the VM may set what a path
// selects, whether it is given or not.
func (t *schemaTarget) isSettable(path vmrules.Path) bool {
	return vmfields.OpenVM.MaySet(inside.Vmrules.Parsed(path), t.setters) != 0
}

type schemaTarget struct {
	*schemaWriter
	name string
	root []fieldpath.Step // the $ of the rules

	hasRoot bool             // whether the object has what the rules call $
	setters jsonpath.Setters // the instance type and the preference that the VM names
}

// leaveOut records what the schema does not express of a rule, or of all rules if r is
// nil. If the budget does not allow it, Schema adds a last note that says so.
func (t *schemaTarget) leaveOut(r *rule, argument, valueType string, why error) {
	if t.budget.Spend(sayWork, len(why.Error())+2*saySize) != nil {
		return
	}
	left := map[string]string{"target": t.name, "argument": argument, "type": valueType, "reason": why.Error()}
	if r != nil {
		left["rule"] = r.Name
	}
	t.unexpressed = append(t.unexpressed, said(left))
}

// locate returns a path of the target, starting at the root of the object.
func (t *schemaTarget) locate(path []fieldpath.Step, known Place) (place, error) {
	if len(t.root)+len(path) > maxSteps {
		return place{}, errDeep
	}
	p := place{steps: slices.Concat(t.root, path), hasDefault: known.Default != nil}
	if err := t.budget.Spend(len(p.steps)*stepWork, len(p.steps)*stepSize); err != nil {
		return place{}, errFull
	}
	switch {
	case known.InDefault:
		return place{}, errInDefault
	case slices.ContainsFunc(p.steps, func(step fieldpath.Step) bool { return !canSay(step) }):
		return place{}, errStep
	}
	return p, nil
}

type schemaGroup struct {
	schemaTarget
	place place
	at    Place // what is known of it
}

func (g *schemaGroup) write(rules []*Resolved) {
	first := rules[0]
	var err error
	g.at = first.AtPath
	g.place, err = g.locate(g.rules[first.Index].path, first.AtPath)
	must := total{call: g.call}
	var warning []*Resolved
	for _, r := range rules {
		rule := &g.rules[r.Index]
		switch {
		case r.Outcome == vmrules.OutcomeIgnored:
		case !constraint.IsKind(rule.Kind):
			g.leaveOut(rule, "", "", errKindItself)
		case rule.JustWarning:
			warning = append(warning, r)
		case g.cannotBeSaid(r, err):
		default:
			g.addMust(&must, r)
		}
	}
	if err != nil || g.isSpent() {
		return
	}
	if len(must.notes) > 0 {
		leaf := g.leaf(&must)
		if g.isSpent() { // the leaf may be too strict
			return
		}
		g.tree.demand(g.place, leaf)
	}
	if warning == nil {
		return
	}
	if should := g.limit(warning).Should; should.Rules != nil && !g.isSpent() {
		g.tree.grow(g.place.steps).should, _ = value.ThroughJSON(should)
	}
}

// cannotBeSaid reports whether the schema must leave out a whole rule, and records why.
func (g *schemaGroup) cannotBeSaid(r *Resolved, err error) bool {
	rule := &g.rules[r.Index]
	if err == nil && !rule.Valid.IsZero() {
		_, err = g.locate(rule.valid, r.AtValid)
	}
	switch {
	case r.Root.IsZero():
		err = errors.New(r.Note)
	case g.isSpent():
		err = errFull
	}
	if err != nil {
		g.leaveOut(rule, "", "", err)
	}
	return err != nil
}

// addMust adds what a rule asks. If the rule is in force wherever its path selects a value,
// that is added to what the other rules ask; otherwise it becomes a condition.
func (g *schemaGroup) addMust(must *total, r *Resolved) {
	tree, rule := g.tree, &g.rules[r.Index]
	if !g.isPartial {
		tree.require(place{steps: g.root})
		tree.grow(g.root).isObject = true
	}
	if r.Outcome == vmrules.OutcomeUndecided && !r.HasParameters && g.hasRoot {
		g.leaveOut(rule, "", "", errors.New(r.Note))
	}
	isGiven := (g.expands || !r.AtPath.MayBeSet) && g.isSettable(rule.Path) // by an object that is given, perhaps in conflict
	if isGiven || r.AtPath.MayBeSet || g.isSettable(rule.Valid) {
		g.leaveOut(rule, "", "", errOthers)
		if isGiven || g.isPartial {
			return
		}
	}
	switch {
	case rule.Valid.IsZero():
		g.add(must, r)
		if !g.isPartial {
			tree.require(g.place)
		}
	case fieldpath.BeginsWith(rule.Path, rule.Valid): // what the path selects puts the rule in force
		g.add(must, r)
		if !g.isPartial && !rule.Valid.Equal(rule.Path) {
			g.addCondition(r, g.place.exists())
		}
	default:
		g.addConditional(r)
	}
}

// addConditional adds what a rule asks if something else exists.
func (g *schemaGroup) addConditional(r *Resolved) {
	own := total{call: g.call}
	g.add(&own, r)
	leaf := g.leaf(&own)
	if g.isSpent() {
		return
	}
	then := &node{}
	then.demand(g.place, leaf)
	if !g.isPartial {
		then.require(g.place)
	}
	g.addCondition(r, then.schema())
}

func (g *schemaGroup) addCondition(r *Resolved, then map[string]any) {
	valid, _ := g.locate(g.rules[r.Index].valid, r.AtValid)
	g.conditions = append(g.conditions, map[string]any{"if": valid.exists(), "then": then})
	_ = g.budget.Spend(0, (len(valid.steps)+len(g.place.steps))*saySize)
}

// add adds what a rule asks. It records what the schema does not express of it, and the
// arguments that were read.
func (g *schemaGroup) add(t *total, r *Resolved) {
	t.addArguments(r)
	rule := &g.rules[r.Index]
	for _, a := range t.undecided {
		g.leaveOut(rule, a.Argument, "", errors.New(a.Note))
	}
	t.undecided = nil
	if r.read == nil { // its arguments are literals
		return
	}
	for key, argument := range rule.Arguments() {
		items, _ := argument.List()
		for _, a := range items {
			path, ok := a.Path()
			if text := path.String(); ok && g.budget.Spend(sayWork, len(text)+2*saySize) == nil {
				g.read = append(g.read, said(map[string]string{"rule": rule.Name, "target": g.name, "argument": key, "path": text}))
			}
		}
	}
}
