package form

import (
	"errors"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/value"
)

// SchemaDialect is the dialect of JSON Schema that Schema writes.
const SchemaDialect = "https://json-schema.org/draft/2020-12/schema"

// Keywords that Schema adds to those of JSON Schema.
const (
	// SchemaRules, at a field, lists the rules that its keywords come from.
	SchemaRules = "x-vmrules-rules"
	// SchemaShould, at a field, has what only warns: Limit.Should.
	SchemaShould = "x-vmrules-should"
	// SchemaRead, at the root, lists the arguments that were read from the
	// object: each with rule, target, argument and path.
	SchemaRead = "x-vmrules-read"
	// SchemaUnexpressed, at the root, lists what the schema does not say.
	SchemaUnexpressed = "x-vmrules-unexpressed"
)

// Schema writes rules as a JSON Schema, draft 2020-12, for generators
// of forms: a value that encoding/json writes, made of map[string]any, []any,
// strings, booleans and json.Number. The schema's root is the object itself:
// the VM, template or list that is given, whose kind says where in it the rules
// apply, and from which arguments that are JSONPaths are read.
//
// It is about objects in which Validate finds the same targets as in the one
// that is given (the same kind and apiVersion, an instance type in both or in
// neither, a preference likewise and, in lists and templates, the VMs at the same
// places) and reads the same arguments; SchemaRead lists those that are read. Of
// these objects,
//
//   - what the schema rejects, Validate rejects, with the same options;
//   - what the schema accepts, Validate accepts, unless SchemaUnexpressed says
//     otherwise.
//
// SchemaUnexpressed is an array, empty where the schema says everything. Each
// of its items has the rule, or none where all rules are meant; the target, if
// it has a name; the argument, or none where the kind or the path is meant; the
// type, "string" or "number", if only values of this type are concerned; and the
// reason. Such are strings with a quantity, the length of a number, or a
// regular expression that ECMA-262 would read differently.
//
// Rules with justWarning reject nothing; what they ask for is an annotation,
// SchemaShould. A member that is null is absent, and so nulls are allowed
// wherever something may be missing. Patterns are ECMA-262 with the flag u.
// Validate's bounds, and the regex budget, are not in the schema.
func Schema(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) map[string]any {
	w := schemaWriter{
		call: newCall(rules, object, opts),
		tree: &node{}, patterns: map[string]*pattern{}, unexpressed: []any{},
	}
	isCut := false
	for target := range w.targets() {
		if isCut = target[0].Index < 0 || w.isSpent(); isCut {
			break
		}
		w.writeTarget(target)
	}
	if isCut || w.isSpent() {
		w.unexpressed = append(w.unexpressed, map[string]any{"reason": errFull.Error()})
	}
	schema := w.tree.schema()
	all, _ := schema["allOf"].([]any)
	if all = append(all, w.conditions...); len(all) > 0 {
		schema["allOf"] = all
	}
	schema["$schema"] = SchemaDialect
	schema[SchemaUnexpressed] = w.unexpressed
	if w.read != nil {
		schema[SchemaRead] = w.read
	}
	return schema
}

var (
	errStep      = errors.New("a schema has names, indexes from 0 to 99 and [*], and no other steps")
	errDeep      = errors.New("a path of more than 64 steps makes too deep a schema")
	errInDefault = errors.New("a schema does not say what is inside a default")
	errOthers    = errors.New("the instance type or the preference may set it")
	errFull      = errors.New("the schema is too large already")
	errParameter = errors.New("a parameter of the template that is not filled in, in a value or in a key, is Undecided")
)

// A schemaWriter writes one schema.
type schemaWriter struct {
	*call
	tree        *node
	patterns    map[string]*pattern // by the text in PCRE
	conditions  []any               // what rules ask only where something is there
	unexpressed []any
	read        []any
}

func (w *schemaWriter) writeTarget(target []vmrules.Resolved) {
	of := schemaTarget{schemaWriter: w, name: target[0].Target, root: target[0].Root.Steps()}
	if target[0].HasParameters {
		of.leaveOut(nil, "", "string", errParameter)
	}
	for rules := range w.groups(target) {
		if w.isSpent() {
			return
		}
		g := schemaGroup{schemaTarget: of}
		g.write(rules)
	}
}

// A schemaTarget is the part of a schema that is about one target.
type schemaTarget struct {
	*schemaWriter
	name string
	root []vmrules.Step // what the rules call $
}

// leaveOut notes what the schema does not say; without a rule, of all rules. Where there
// is no room for that, a last note says so.
func (t *schemaTarget) leaveOut(r *rule, argument, valueType string, why error) {
	if t.budget.Spend(sayWork, len(why.Error())+2*saySize) != nil {
		return
	}
	entry := map[string]any{"reason": why.Error()}
	if r != nil {
		entry["rule"] = r.Name
	}
	for key, text := range map[string]string{"target": t.name, "argument": argument, "type": valueType} {
		if text != "" {
			entry[key] = text
		}
	}
	t.unexpressed = append(t.unexpressed, entry)
}

// locate returns a path of the target from the object's own root.
func (t *schemaTarget) locate(path []vmrules.Step, known vmrules.Place) (place, error) {
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
	case slices.ContainsFunc(p.steps, func(step vmrules.Step) bool { return !canSay(step) }):
		return place{}, errStep
	}
	return p, nil
}

// A schemaGroup is the rules on one path in one target.
type schemaGroup struct {
	schemaTarget
	place place
	at    vmrules.Place // what is known of it
}

func (g *schemaGroup) write(rules []*vmrules.Resolved) {
	first := rules[0]
	var err error
	g.at = first.AtPath
	g.place, err = g.locate(g.rules[first.Index].path, first.AtPath)
	must := total{call: g.call}
	var warning []*vmrules.Resolved
	for _, r := range rules {
		rule := &g.rules[r.Index]
		switch {
		case r.Outcome == vmrules.Ignored:
		case !rule.Kind.IsOfFormat():
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
		if g.isSpent() { // then the leaf may say too much
			return
		}
		g.tree.demand(g.place, leaf)
	}
	if warning != nil {
		g.addShould(warning)
	}
}

// addShould notes at the field what rules would warn of.
func (g *schemaGroup) addShould(rules []*vmrules.Resolved) {
	if should := g.limit(rules).Should; should.Rules != nil && !g.isSpent() {
		g.tree.grow(g.place).should, _ = value.ThroughJSON(should)
	}
}

// cannotBeSaid notes a rule that the schema leaves out as a whole.
func (g *schemaGroup) cannotBeSaid(r *vmrules.Resolved, err error) bool {
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

// addMust adds what a rule asks to what the others ask, if it is always in force where a
// value is there, or else as a condition.
func (g *schemaGroup) addMust(must *total, r *vmrules.Resolved) {
	tree, rule := g.tree, &g.rules[r.Index]
	if !g.isPartial {
		target := place{steps: g.root}
		tree.require(target)
		tree.grow(target).isObject = true
	}
	if r.AtPath.MayBeSet || r.AtValid.MayBeSet {
		g.leaveOut(rule, "", "", errOthers)
		if g.isPartial {
			return
		}
	}
	switch {
	case rule.Valid.IsZero():
		g.add(must, r)
		if !g.isPartial {
			tree.require(g.place)
		}
	case rule.follows:
		g.add(must, r)
		if !g.isPartial && !rule.Valid.Equal(rule.Path) {
			g.addCondition(r, g.place.exists())
		}
	default:
		g.addConditional(r)
	}
}

// addConditional adds what a rule asks where something else is there.
func (g *schemaGroup) addConditional(r *vmrules.Resolved) {
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

func (g *schemaGroup) addCondition(r *vmrules.Resolved, then map[string]any) {
	valid, _ := g.locate(g.rules[r.Index].valid, r.AtValid)
	g.conditions = append(g.conditions, map[string]any{"if": valid.exists(), "then": then})
	_ = g.budget.Spend(0, (len(valid.steps)+len(g.place.steps))*saySize)
}

// add adds what a rule asks, and notes what of it a schema does not say and what was read.
func (g *schemaGroup) add(t *total, r *vmrules.Resolved) {
	t.addArguments(r)
	rule := &g.rules[r.Index]
	for _, a := range t.undecided {
		g.leaveOut(rule, a.Argument, "", errors.New(a.Note))
	}
	t.undecided = nil
	if r.IsShared() {
		return
	}
	for key, arguments := range rule.Arguments() {
		for _, a := range arguments {
			if path, ok := a.Path(); ok {
				g.noteRead(rule, key, path.String())
			}
		}
	}
}

func (g *schemaGroup) noteRead(r *rule, argument, path string) {
	if g.budget.Spend(sayWork, len(path)+2*saySize) != nil {
		return
	}
	entry := map[string]any{"rule": r.Name, "argument": argument, "path": path}
	if g.name != "" {
		entry["target"] = g.name
	}
	g.read = append(g.read, entry)
}
