package vmrules

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// SchemaDialect is the dialect of JSON Schema that JSONSchema writes.
const SchemaDialect = "https://json-schema.org/draft/2020-12/schema"

// Keywords that JSONSchema adds to those of JSON Schema.
const (
	// SchemaRules, at a field, lists the rules that its keywords come from.
	SchemaRules = "x-vmrules-rules"
	// SchemaShould, at a field, has the demands that only warn: Limit.Should.
	SchemaShould = "x-vmrules-should"
	// SchemaRead, at the root, lists the arguments that were read from the
	// object: each with rule, target, argument and path.
	SchemaRead = "x-vmrules-read"
	// SchemaUnexpressed, at the root, lists what the schema does not say.
	SchemaUnexpressed = "x-vmrules-unexpressed"
)

// A schema has two levels for each step of a path, and all items before the one
// that an index selects.
const (
	maxSchemaSteps = 64
	maxSchemaIndex = 100
)

// What a step of a path costs in a schema.
const (
	schemaStepWork = 1000
	schemaStepSize = 400
)

var (
	errSchemaStep    = errors.New("a schema has names, indexes from 0 to 99 and [*], and no other steps")
	errSchemaDeep    = errors.New("a path of more than 64 steps makes too deep a schema")
	errSchemaDefault = errors.New("a schema does not say what is inside a default")
	errSchemaOthers  = errors.New("the instance type or the preference may set it")
	errSchemaFull    = errors.New("the schema is too large already")
)

// JSONSchema writes the rules as a JSON Schema, draft 2020-12, for generators
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
func (rs Rules) JSONSchema(object map[string]any, opts ...ValidateOption) map[string]any {
	e := newEvaluation(opts)
	defer e.release()
	w := schemaWriter{evaluation: e, root: &schemaNode{}, patterns: map[string]*schemaPattern{}, unexpressed: []any{}}
	groups := rs.byPath()
	targets := e.appendTargets(nil, value.Resolve(object), rs.root)
	for i := range targets {
		if e.budget.Spend(rs.Len()*plannedWork, 0) != nil {
			break
		}
		w.writeTarget(groups, &targets[i])
	}
	if e.isSpent() {
		w.unexpressed = append(w.unexpressed, map[string]any{"reason": errSchemaFull.Error()})
	}
	schema := w.root.schema()
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

// A schemaWriter writes one schema.
type schemaWriter struct {
	*evaluation
	root        *schemaNode
	patterns    map[string]*schemaPattern // by the text in PCRE
	conditions  []any                     // what rules demand only where something is there
	unexpressed []any
	read        []any
}

func (w *schemaWriter) writeTarget(groups [][]*rule, t *target) {
	if t.parameters {
		w.leaveOut(nil, t, "", "string", errors.New("a parameter of the template that is not filled in, in a value or in a key, is Undecided"))
	}
	for _, group := range groups {
		if w.isSpent() {
			return
		}
		g := schemaGroup{schemaWriter: w, target: t}
		g.write(group)
	}
}

// leaveOut notes what the schema does not say. Where there is no room for that, a
// last note says so for all rules.
func (w *schemaWriter) leaveOut(r *rule, t *target, argument, valueType string, why error) {
	if w.budget.Spend(violationWork, len(why.Error())+2*violationSize) != nil {
		return
	}
	entry := map[string]any{"reason": why.Error()}
	if r != nil {
		entry["rule"] = r.Name
	}
	if t != nil && t.name != "" {
		entry["target"] = t.name
	}
	if argument != "" {
		entry["argument"] = argument
	}
	if valueType != "" {
		entry["type"] = valueType
	}
	w.unexpressed = append(w.unexpressed, entry)
}

// A schemaGroup is the rules on one path in one target.
type schemaGroup struct {
	*schemaWriter
	target *target
	path   schemaPath
}

// A schemaPath is a path from the object's own root, with what counts on it.
type schemaPath struct {
	steps   jp.Expr
	implied *jsonpath.Implied
}

func (g *schemaGroup) write(rules []*rule) {
	path, err := g.locate(rules[0].Path)
	g.path = path
	must := demands{budget: &g.budget}
	var warning []*rule
	for _, r := range rules {
		switch {
		case !r.isKnown() || r.enforcesNothing():
		case !r.Kind.isOfFormat():
			g.leaveOut(r, g.target, "", "", errKindItself)
		case r.JustWarning:
			warning = append(warning, r)
		case g.cannotBeSaid(r, err):
		default:
			g.addMust(&must, r)
		}
	}
	if err != nil || g.isSpent() {
		return
	}
	if len(must.rules) > 0 {
		leaf := g.leaf(&must)
		if g.isSpent() { // then the leaf may say too much
			return
		}
		g.root.demand(g.path, leaf)
	}
	if warning != nil {
		g.addShould(warning)
	}
}

// addShould notes at the field what rules would warn of.
func (g *schemaGroup) addShould(rules []*rule) {
	l := newLimiter(g.evaluation, g.target, rules[0].Path)
	if should := l.limit(rules).Should; should.Rules != nil && !g.isSpent() {
		g.root.grow(g.path).should, _ = value.ThroughJSON(should)
	}
}

// locate is a path of the target, from the object's own root.
func (g *schemaGroup) locate(p Path) (schemaPath, error) {
	steps := len(g.target.at) + len(p.steps())
	if err := g.budget.Spend(steps*schemaStepWork, min(steps, maxSchemaSteps)*schemaStepSize); err != nil {
		return schemaPath{}, errSchemaFull
	}
	var expr jp.Expr
	for _, e := range g.target.at {
		if !e.IsItem() {
			expr = append(expr, jp.Child(e.Name()))
		} else {
			expr = append(expr, jp.Nth(e.Index()))
		}
	}
	// Of the fields that others set nothing is said: they only make Validate reject more.
	path := schemaPath{append(expr, p.steps()...), g.plain.Below(g.target.at)}
	return path, path.check()
}

// check tells why a schema cannot say a path.
func (p schemaPath) check() error {
	if len(p.steps) > maxSchemaSteps {
		return errSchemaDeep
	}
	f := p.implied
	for i, step := range p.steps {
		e, ok := schemaStep(step)
		if !ok {
			return errSchemaStep
		}
		if f = f.At(e); i < len(p.steps)-1 && value.ChildCount(f.Default()) > 0 {
			return errSchemaDefault
		}
	}
	return nil
}

// schemaStep is a step that a schema has, [*] as any index.
func schemaStep(step jp.Frag) (jsonpath.Element, bool) {
	switch step := step.(type) {
	case jp.Child:
		return jsonpath.Member(string(step)), true
	case jp.Nth:
		return jsonpath.Item(int(step)), 0 <= step && step < maxSchemaIndex
	}
	return jsonpath.Item(0), step == jp.Wildcard('#')
}

// cannotBeSaid notes a rule that the schema leaves out as a whole.
func (g *schemaGroup) cannotBeSaid(r *rule, err error) bool {
	if err == nil && !r.Valid.IsZero() {
		_, err = g.locate(r.Valid)
	}
	switch {
	case g.target.nothing != "" && (g.target.holdsNone || g.target.at == nil):
		err = g.target.emptiness()
	case g.isSpent():
		err = errSchemaFull
	}
	if err != nil {
		g.leaveOut(r, g.target, "", "", err)
	}
	return err != nil
}

// addMust adds what a rule demands to those of the others, if it is always in
// force where a value is there, or else as a condition.
func (g *schemaGroup) addMust(must *demands, r *rule) {
	j := judgement{evaluation: g.evaluation, rule: r, target: g.target, result: &decision{}}
	if !g.partial {
		g.root.require(g.targetPath())
		g.root.grow(g.targetPath()).isObject = true
	}
	if g.maySet(r.Path) || g.maySet(r.Valid) {
		g.leaveOut(r, g.target, "", "", errSchemaOthers)
		if g.partial {
			return
		}
	}
	switch {
	case r.Valid.IsZero():
		g.demand(must, &j)
		if !g.partial {
			g.root.require(g.path)
		}
	case r.Path.begins(r.Valid):
		g.demand(must, &j)
		if !g.partial && !r.Valid.Equal(r.Path) {
			g.addCondition(r, g.path.exists())
		}
	default:
		own := demands{budget: &g.budget}
		g.demand(&own, &j)
		then := &schemaNode{}
		leaf := g.leaf(&own)
		if g.isSpent() {
			return
		}
		then.demand(g.path, leaf)
		if !g.partial {
			then.require(g.path)
		}
		g.addCondition(r, then.schema())
	}
}

// maySet reports whether others may set what a path selects.
func (g *schemaGroup) maySet(p Path) bool {
	return !p.IsZero() && g.implied(g.target).MaySet(p.parsed, g.target.others) != 0
}

// targetPath is where the rules' root is.
func (g *schemaGroup) targetPath() schemaPath {
	return schemaPath{steps: g.path.steps[:len(g.target.at)]}
}

func (g *schemaGroup) addCondition(r *rule, then map[string]any) {
	valid, _ := g.locate(r.Valid)
	g.conditions = append(g.conditions, map[string]any{"if": valid.exists(), "then": then})
	_ = g.budget.Spend(0, (len(valid.steps)+len(g.path.steps))*violationSize)
}

// demand adds what a rule demands, and notes what of it a schema does not say.
func (g *schemaGroup) demand(d *demands, j *judgement) {
	d.demand(j)
	for _, a := range d.undecided {
		g.leaveOut(j.rule, g.target, a.Argument, "", errors.New(a.Note))
	}
	d.undecided = nil
	for _, u := range j.rule.unread {
		for _, from := range u.from {
			if path, ok := from.Path(); ok {
				g.noteRead(j.rule, u.key, path)
			}
		}
	}
}

func (g *schemaGroup) noteRead(r *rule, argument string, path Path) {
	if g.budget.Spend(violationWork, len(path.text())+2*violationSize) != nil {
		return
	}
	entry := map[string]any{"rule": r.Name, "argument": argument, "path": path.String()}
	if g.target.name != "" {
		entry["target"] = g.target.name
	}
	g.read = append(g.read, entry)
}

// exists is the schema of what the path selects something in.
func (p schemaPath) exists() map[string]any {
	if len(p.steps) == 0 {
		return map[string]any{"not": map[string]any{"type": "null"}}
	}
	e, _ := schemaStep(p.steps[0])
	rest := schemaPath{p.steps[1:], p.implied.At(e)}
	switch step := p.steps[0].(type) {
	case jp.Child:
		if rest.hasDefault() {
			return map[string]any{"type": "object"}
		}
		name := string(step)
		return map[string]any{"type": "object", "required": []any{name}, "properties": map[string]any{name: rest.exists()}}
	case jp.Nth:
		return map[string]any{"type": "array", "minItems": jsonInt(e.Index() + 1), "prefixItems": behind(e.Index(), rest.exists())}
	}
	return map[string]any{"type": "array", "contains": rest.exists()}
}

// hasDefault tells whether the path ends here, at a field with a default.
func (p schemaPath) hasDefault() bool {
	return len(p.steps) == 0 && p.implied.Default() != nil
}

// behind is the prefixItems that say something of one item.
func behind(index int, schema any) []any {
	items := make([]any, index+1)
	for i := range items {
		items[i] = true
	}
	items[index] = schema
	return items
}

func jsonInt(i int) json.Number { return json.Number(strconv.Itoa(i)) }

// A schemaNode is what is said of the values at one place.
type schemaNode struct {
	members  map[jsonpath.Element]*schemaNode
	item     map[jsonpath.Element]*schemaNode // [0]
	items    *schemaNode                      // [*]
	required []any                            // names of members
	contains []any

	isThere  bool // null is not enough
	isObject bool
	least    int // how many items have to be there; 0: it need not be an array
	leaf     *schemaLeaf
	should   any
}

// grow returns the node of a path, and makes those that are missing.
func (n *schemaNode) grow(p schemaPath) *schemaNode {
	for _, step := range p.steps {
		e, _ := schemaStep(step)
		if step != jp.Wildcard('#') {
			n = n.child(e)
			continue
		}
		if n.items == nil {
			n.items = &schemaNode{}
		}
		n = n.items
	}
	return n
}

// child is the node of a member or item.
func (n *schemaNode) child(e jsonpath.Element) *schemaNode {
	nodes := &n.members
	if e.IsItem() {
		nodes = &n.item
	}
	if *nodes == nil {
		*nodes = map[jsonpath.Element]*schemaNode{}
	}
	if (*nodes)[e] == nil {
		(*nodes)[e] = &schemaNode{}
	}
	return (*nodes)[e]
}

// require demands that the path selects something.
func (n *schemaNode) require(p schemaPath) {
	f := p.implied
	for i, step := range p.steps {
		n.isThere = true
		e, _ := schemaStep(step)
		f = f.At(e)
		rest := schemaPath{p.steps[i+1:], f}
		switch step.(type) {
		case jp.Child:
			n.isObject = true
			if rest.hasDefault() {
				return
			}
			n.requireMember(e.Name())
			n = n.child(e)
		case jp.Nth:
			n.least = max(n.least, e.Index()+1)
			n = n.child(e)
		default:
			n.least = max(n.least, 1)
			n.contains = append(n.contains, rest.exists())
			return
		}
	}
	n.isThere = true
}

func (n *schemaNode) requireMember(name string) {
	if !slices.Contains(n.required, any(name)) {
		n.required = append(n.required, name)
	}
}

// demand says what the values at a path have to be. Where a default stands in
// for what is not written, and would not do, it has to be written.
func (n *schemaNode) demand(p schemaPath, leaf *schemaLeaf) {
	n.grow(p).leaf = leaf
	if leaf.standIn == nil || leaf.admitsDefault {
		return
	}
	last := len(p.steps) - 1
	parent := n.grow(schemaPath{steps: p.steps[:last]})
	name := string(p.steps[last].(jp.Child))
	parent.requireMember(name)
	parent.child(jsonpath.Member(name)).isThere = true
}

// schema is what the node says, with all below it.
func (n *schemaNode) schema() map[string]any {
	schema := n.structure()
	if n.leaf != nil {
		value := n.leaf.of(n.isThere)
		if len(schema) > 0 {
			also, _ := value["allOf"].([]any)
			value["allOf"] = append(also, schema)
		}
		schema = value
	}
	if n.should != nil {
		schema[SchemaShould] = n.should
	}
	return schema
}

// structure is what the node says of members and items.
func (n *schemaNode) structure() map[string]any {
	schema := map[string]any{}
	switch {
	case n.isObject && n.least > 0:
		return nothingFits()
	case n.isObject:
		schema["type"] = "object"
	case n.least > 0:
		schema["type"], schema["minItems"] = "array", jsonInt(n.least)
	case n.isThere && n.leaf == nil:
		schema["not"] = map[string]any{"type": "null"}
	}
	if n.required != nil {
		schema["required"] = n.required
	}
	if n.members != nil {
		properties := map[string]any{}
		for e, member := range n.members {
			properties[e.Name()] = member.schema()
		}
		schema["properties"] = properties
	}
	n.addItems(schema)
	return schema
}

// addItems says what items are. Beside prefixItems, items is about the others
// alone, and so the two stand apart.
func (n *schemaNode) addItems(schema map[string]any) {
	var also []any
	for _, contains := range n.contains {
		also = append(also, map[string]any{"contains": contains})
	}
	if n.item != nil {
		last := slices.MaxFunc(slices.Collect(maps.Keys(n.item)), jsonpath.Element.Compare)
		items := behind(last.Index(), true)
		for e, item := range n.item {
			items[e.Index()] = item.schema()
		}
		also = append(also, map[string]any{"prefixItems": items})
	}
	if n.items != nil {
		schema["items"] = n.items.schema()
	}
	if len(also) == 1 && (n.item == nil || n.items == nil) {
		maps.Copy(schema, also[0].(map[string]any))
		return
	}
	if also != nil {
		schema["allOf"] = also
	}
}

// nothingFits is the schema that rejects everything.
func nothingFits() map[string]any { return map[string]any{"not": map[string]any{}} }
