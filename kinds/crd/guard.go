package crd

import (
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
)

// Kubernetes bounds expressions in two ways. Before they run, it estimates their cost from
// the types and lengths that a schema declares. While they run, it counts their cost.
//
// Neither suffices for an expression of kind "cel". It has no schema, so there is no estimate.
// Without known types, most calls count as one step, and a call is counted only after it was
// made. So these expressions are counted by the values at run time (liveCost), and the work of
// functions that can take much more than the length of their operands is computed before they
// are called (guard).

// guardedPrefix begins the function name of a guarded call. liveCost recognizes the call by
// it, and guard does not replace the call again.
const guardedPrefix = "guarded "

// guarded holds the functions whose work or result can be much larger than their operands, and
// computes their work.
var guarded = map[string]func(args []ref.Val) float64{
	"replace": workOfReplace,
	"join":    workOfJoin,
	"format":  workOfFormat,
	"matches": workOfRegex,
	"find":    workOfRegex,
	"findAll": func(args []ref.Val) float64 {
		return listOf(len(textOf(args, 0))/2) + workOfRegex(args)
	},
	"split": func(args []ref.Val) float64 {
		return listOf(strings.Count(textOf(args, 0), textOf(args, 1))) + float64(len(textOf(args, 0)))/10
	},
	"sets.contains":   workOfPairs,
	"sets.equivalent": workOfPairs,
	"sets.intersects": workOfPairs,
	"indexOf":         workOfSearch,
	"lastIndexOf":     workOfSearch,
	"quantity":        workOfQuantity,
	"isQuantity":      workOfQuantity,
	"semver":          workOfVersion,
	"isSemver":        workOfVersion,
	operators.Add:     workOfAdd,
	"distinct":        func(args []ref.Val) float64 { return length(args[0]) * deepSize(args[0]) },
}

// listOf returns the work of making a list of n items. For a list that is too long for a loop,
// it returns more than any limit, so that the list is not made.
func listOf(n int) float64 {
	if n > maxLooped {
		return math.MaxInt32
	}
	return float64(n)
}

// simple holds functions whose result is never longer than their operands.
var simple = []string{"string", "int", "uint", "double", "bool", "size", "type", "trim", "lowerAscii", "upperAscii", "substring", "charAt"}

// isSimple reports whether an expression uses only operators and simple functions, and has no
// loops.
func (e expression) isSimple() bool {
	for name := range e.calls() {
		_, isOperator := operators.FindReverse(name)
		if !isOperator && !slices.Contains(simple, name) {
			return false
		}
	}
	return !e.loops()
}

// An expression holds all parts of an expression, inner parts first.
type expression []ast.Expr

// parse returns nil for a text that is not an expression. It takes quadratic time, so the
// caller must bound the length of the text.
func parse(text string) (e expression) {
	parsed, issues := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv().Parse(text)
	if issues.Err() == nil {
		ast.PostOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(part ast.Expr) { e = append(e, part) }))
	}
	return e
}

func (e expression) usesOldSelf() bool {
	return slices.ContainsFunc(e, func(part ast.Expr) bool { return isVariable(part, varOldSelf) })
}

func isVariable(part ast.Expr, name string) bool {
	return part.Kind() == ast.IdentKind && withoutDot(part.AsIdent()) == name
}

// readsOfTemplate returns the paths, from spec.template, of what an expression may read there through
// the variable object. An instance type may set other fields of a VM only there.
func (e expression) readsOfTemplate() (paths []vmrules.Path) {
	selected := map[int64]ast.Expr{} // by the operand
	for _, part := range e {
		if part.Kind() == ast.SelectKind {
			selected[part.AsSelect().Operand().ID()] = part
		}
	}
	for _, part := range e {
		if !isVariable(part, varObject) {
			continue
		}
		path := ""
		for by := selected[part.ID()]; by != nil; by = selected[by.ID()] {
			path += "['" + strings.ReplaceAll(by.AsSelect().FieldName(), ".", `\.`) + "']"
		}
		const spec, template = "['spec']", "['template']"
		below, inTemplate := strings.CutPrefix(path, spec+template)
		if inTemplate || path == "" || path == spec {
			paths = append(paths, vmrules.MustParsePath("jsonpath::$"+below))
		}
	}
	return paths
}

// hasOldValue reports whether the values of the rule can have old values. Only a path of names
// always selects the same field: an item of an array may have moved.
func (r *reading) hasOldValue() bool {
	_, ok := fieldpath.Names(r.source.Rule().Path)
	return ok
}

const noOldValue = "oldSelf cannot be used here: the rule's path must consist of names only, because an item of a list may have moved"

// withoutDot returns the name of a variable or function as CEL looks it up: .name is name.
func withoutDot(name string) string { return strings.TrimPrefix(name, ".") }

// calls yields the calls of these functions or, if there are none, all calls.
func (e expression) calls(functions ...string) iter.Seq2[string, ast.CallExpr] {
	return func(yield func(string, ast.CallExpr) bool) {
		for _, part := range e {
			if part.Kind() != ast.CallKind {
				continue
			}
			name := withoutDot(part.AsCall().FunctionName())
			if (functions == nil || slices.Contains(functions, name)) && !yield(name, part.AsCall()) {
				return
			}
		}
	}
}

func (e expression) uses(functions ...string) bool {
	for range e.calls(functions...) {
		return true
	}
	return false
}

// regexes returns the regular expressions that are literals in an expression.
func (e expression) regexes() []string {
	var texts []string
	for _, call := range e.calls("matches", "find", "findAll") {
		args := call.Args()
		if !call.IsMemberFunction() { // matches(text, regex)
			args = args[min(len(args), 1):]
		}
		if text, ok := literal(args, 0); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// boundedUse says how to use the functions that unbounded returns.
var boundedUse = map[string]string{
	"replace":     "write literals that do not make a text longer",
	"format":      "write the format and its list as literals, with at most 20 items and no precision of four digits",
	"flatten":     "do not use it",
	"lists.range": "do not use it",
	"indexOf":     fmt.Sprintf("look for a literal of at most %d bytes", maxSought),
	"lastIndexOf": fmt.Sprintf("look for a literal of at most %d bytes", maxSought),
	"quantity":    "write a field, an item or a literal, also for what a loop goes through",
	"isQuantity":  "write a field, an item or a literal, also for what a loop goes through",
}

// makesLists returns the name of a function in an expression that makes lists of any length, or "" if
// there is none. No kind permits it.
func (e expression) makesLists() string {
	for name := range e.calls("flatten", "range") {
		if name == "range" {
			return "lists.range"
		}
		return name
	}
	return ""
}

// unbounded returns the name of a function in an expression of x-kubernetes-validations that
// could take all memory or time, or "" if there is none. Kubernetes' estimate counts what these
// functions read, but not what they write or compare.
func (e expression) unbounded() string {
	found := e.makesLists()
	for name, call := range e.calls() {
		isUnbounded := false
		switch name {
		case "replace":
			isUnbounded = lengthens(call.Args())
		case "format":
			isUnbounded = call.IsMemberFunction() && !isShortFormat(call)
		case "indexOf", "lastIndexOf":
			isUnbounded = !isShortLiteral(call.Args())
		case "quantity", "isQuantity":
			isUnbounded = e.makesQuantities()
		}
		if isUnbounded {
			found = name
		}
	}
	return found
}

// lengthens reports whether the arguments of replace may make a text longer.
func lengthens(args []ast.Expr) bool {
	old, isLiteral := literal(args, 0)
	with, alsoLiteral := literal(args, 1)
	return !isLiteral || !alsoLiteral || len(with) > len(old)
}

// literal returns an argument that is the literal of a text.
func literal(args []ast.Expr, i int) (string, bool) {
	if i >= len(args) || args[i].Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := args[i].AsLiteral().(types.String)
	return string(text), ok
}

// loops reports whether an expression has a loop over a list or map.
func (e expression) loops() bool {
	return slices.ContainsFunc(e, func(part ast.Expr) bool { return part.Kind() == ast.ComprehensionKind })
}

// maxSought is the largest length of a text for which a search takes no more than Kubernetes counts:
// the text is compared at each character of another one.
const maxSought = 16

func isShortLiteral(args []ast.Expr) bool {
	text, _ := literal(args, 0)
	return len(args) > 0 && args[0].Kind() == ast.LiteralKind && len(text) <= maxSought
}

func isShortFormat(call ast.CallExpr) bool {
	if call.Target().Kind() != ast.LiteralKind || len(call.Args()) != 1 || call.Args()[0].Kind() != ast.ListKind {
		return false
	}
	text, _ := call.Target().AsLiteral().(types.String)
	return !longPrecision.MatchString(string(text)) && call.Args()[0].AsList().Size() <= 20
}

// guard makes calls of guarded functions fail, before they are made, if their work is more
// than one expression may cost.
func guard(env *celgo.Env) celgo.ProgramOption {
	all := env.Functions()
	return celgo.CustomDecoratorV2(func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		call, ok := i.(interpreter.InterpretableCall)
		if !ok || guarded[call.Function()] == nil {
			return i, nil
		}
		work := guarded[call.Function()]
		bindings, err := all[call.Function()].Bindings()
		if err != nil || len(bindings) == 0 {
			return i, err
		}
		invoke := bindings[len(bindings)-1]
		return interpreter.NewCall(call.ID(), guardedPrefix+call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
			if work(args) > maxExpressionCost {
				return types.NewErr("%s", costExceeded)
			}
			return apply(invoke, args)
		}), nil
	})
}

// costExceeded is the error of cel-go for an expression that costs too much.
const costExceeded = "operation cancelled: actual cost limit exceeded"

func apply(o *functions.Overload, args []ref.Val) ref.Val {
	switch {
	case o.OperandTrait != 0 && !args[0].Type().HasTrait(o.OperandTrait):
	case o.Unary != nil && len(args) == 1:
		return o.Unary(args[0])
	case o.Binary != nil && len(args) == 2:
		return o.Binary(args[0], args[1])
	case o.Function != nil:
		return o.Function(args...)
	}
	return types.NewErr("no such overload: %s", o.Operator)
}

// liveCost counts the cost of a call by its operands and its result, or as Kubernetes does if
// that is more.
type liveCost struct{ library.CostEstimator }

// CallCost implements interpreter.ActualCostEstimator.
func (c liveCost) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	function, isGuarded := strings.CutPrefix(function, guardedPrefix)
	cost := 1.0
	switch {
	case isGuarded:
		cost += guarded[function](args)
	case function == "_==_" || function == "_!=_":
		cost += min(deepSize(args[0]), deepSize(args[1]))
	case function == "@in" && len(args) == 2:
		cost += deepSize(args[1])
	case function == "_[_]" || function == "size":
	default:
		for _, a := range args {
			cost += length(a)
		}
		cost += length(result)
	}
	if known := c.CostEstimator.CallCost(function, overload, args, result); known != nil {
		cost = max(cost, float64(*known))
	}
	total := uint64(min(math.Ceil(cost), math.MaxInt32))
	return &total
}

// length returns the length of a text, list or map. A character of a text counts a tenth, as in
// Kubernetes' costs.
func length(v ref.Val) float64 {
	switch v := v.(type) {
	case types.String:
		return float64(len(v)) / 10
	case types.Bytes:
		return float64(len(v)) / 10
	case traits.Sizer:
		n, _ := v.Size().(types.Int)
		return float64(n)
	}
	return 0
}

// deepSize returns the size of a value with everything in it, up to maxExpressionCost.
func deepSize(v ref.Val) float64 {
	left := float64(maxExpressionCost)
	countDeep(v, &left)
	return maxExpressionCost - left
}

// countDeep subtracts the size of a value. It subtracts the length of a list before it asks for
// the items, because a concatenated list is only then copied.
func countDeep(v any, left *float64) {
	*left--
	val, isVal := v.(ref.Val)
	if isVal {
		*left -= length(val)
	}
	if *left < 0 {
		return
	}
	if isVal {
		v = val.Value()
	}
	switch v := v.(type) {
	case string:
		*left -= float64(len(v)) / 10
	case []byte:
		*left -= float64(len(v)) / 10
	case []any:
		for _, item := range v {
			countDeep(item, left)
		}
	case map[string]any:
		for _, member := range v {
			countDeep(member, left)
		}
	case []ref.Val:
		for _, item := range v {
			countDeep(item, left)
		}
	case map[ref.Val]ref.Val:
		for _, member := range v {
			countDeep(member, left)
		}
	}
}

func textOf(args []ref.Val, i int) string {
	if i >= len(args) {
		return ""
	}
	s, _ := args[i].(types.String)
	return string(s)
}

func workOfReplace(args []ref.Val) float64 {
	s, old, with := textOf(args, 0), textOf(args, 1), textOf(args, 2)
	return (float64(len(s)) + float64(strings.Count(s, old))*float64(len(with))) / 10
}

func workOfJoin(args []ref.Val) float64 {
	return deepSize(args[0]) + length(args[0])*float64(len(textOf(args, 1)))/10
}

// longPrecision matches a precision of four digits, which makes a number very long.
var longPrecision = regexp.MustCompile(`%\.\d{4}`)

func workOfFormat(args []ref.Val) float64 {
	if longPrecision.MatchString(textOf(args, 0)) {
		return math.MaxInt32
	}
	work := length(args[0])
	for _, a := range args[1:] {
		work += deepSize(a)
	}
	return work
}

// workOfRegex returns Kubernetes' cost of matching a regular expression, without rounding and
// with its repeats written out, and the work of compiling it, which CEL does for each call.
func workOfRegex(args []ref.Val) float64 {
	const perUnit = 200 // bytes
	text := textOf(args, 1)
	parsed := float64(parsedSize(text)) / perUnit
	if parsed > maxExpressionCost {
		return parsed
	}
	price := priceOf(text)
	return parsed + float64(price.size)/perUnit + (1+length(args[0]))*(1+float64(price.steps)/4)
}

// workOfSearch returns the work of comparing a text at each character of another one, or a
// value with each item of a list.
func workOfSearch(args []ref.Val) float64 {
	text, isText := args[0].(types.String)
	if !isText {
		return deepSize(args[0]) + length(args[0])*deepSize(args[1])
	}
	sought := textOf(args, 1)
	return float64(len(text)) * (1 + float64(len(sought))) / 500
}

func workOfQuantity(args []ref.Val) float64 {
	if isHostileQuantity(textOf(args, 0)) {
		return math.MaxInt32
	}
	return 1
}

// workOfVersion is higher than that of other functions that read a text, because reading a
// version splits it.
func workOfVersion(args []ref.Val) float64 { return 2 * float64(len(textOf(args, 0))) }

// workOfAdd also counts lists. Concatenating lists takes no time, but reading the result takes
// more.
func workOfAdd(args []ref.Val) float64 {
	size := length(args[0]) + length(args[1])
	if _, isList := args[0].(traits.Lister); isList {
		return listOf(int(size))
	}
	return size
}

func workOfPairs(args []ref.Val) float64 {
	return deepSize(args[0]) * deepSize(args[1])
}
