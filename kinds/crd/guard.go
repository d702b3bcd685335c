package crd

import (
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
)

// Kubernetes bounds an expression in two ways: an estimate by the types and
// lengths that a schema declares, and a count while it runs. An expression of
// kind "cel" has no schema, so that there is no estimate; and where types are not
// known beforehand, the count takes most calls for one step, and counts a call
// only after it was made. So for these expressions the calls are counted by what
// the values turn out to be, and those that can take much more than their
// operands are long are looked at before they are made.

// guardedPrefix marks a call that is looked at, for liveCost, and so that it is
// not exchanged for one that is not.
const guardedPrefix = "guarded "

// guarded are functions with more work to do, or more to give back, than their
// operands are long, and how much that is.
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
		return listOf(strings.Count(textOf(args, 0), textOf(args, 1))) + textSize(args[0])
	},
	"sets.contains":   workOfPairs,
	"sets.equivalent": workOfPairs,
	"sets.intersects": workOfPairs,
	"indexOf":         workOfSearch,
	"lastIndexOf":     workOfSearch,
	"flatten":         workOfFlatten,
	"quantity":        workOfQuantity,
	"isQuantity":      workOfQuantity,
	"semver":          workOfVersion,
	"isSemver":        workOfVersion,
	operators.Add:     workOfAdd,
	"distinct":        func(args []ref.Val) float64 { return length(args[0]) * deepSize(args[0]) },
	"lists.range": func(args []ref.Val) float64 {
		n, _ := args[0].(types.Int)
		return listOf(int(min(max(n, 0), math.MaxInt32)))
	},
}

// listOf is the work of making a list: one that is too long to loop over is not
// made.
func listOf(n int) float64 {
	if n > maxLooped {
		return math.MaxInt32
	}
	return float64(n)
}

// simple are functions that give back no more than their operands are long.
var simple = []string{"string", "int", "uint", "double", "bool", "size", "type", "trim", "lowerAscii", "upperAscii", "substring", "charAt"}

// isSimple reports whether an expression is made of operators and such functions
// alone, without loops.
func (e expression) isSimple() bool {
	return !slices.ContainsFunc(e, func(part ast.Expr) bool {
		if part.Kind() != ast.CallKind {
			return part.Kind() == ast.ComprehensionKind
		}
		name := part.AsCall().FunctionName()
		_, isOperator := operators.FindReverse(name)
		return !isOperator && !slices.Contains(simple, name)
	})
}

// An expression is all parts of one, the inner ones first. One that is wrong has
// none.
type expression []ast.Expr

// parse takes more time than an expression is long, so that has to be bounded
// before.
func parse(text string) expression {
	parsed, issues := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv().Parse(text)
	if issues.Err() == nil {
		return partsOf(parsed.NativeRep().Expr())
	}
	return nil
}

func partsOf(root ast.Expr) expression {
	var e expression
	ast.PostOrderVisit(root, ast.NewExprVisitor(func(part ast.Expr) { e = append(e, part) }))
	return e
}

// usesOldSelf reports whether an expression is about what a value was before.
func (e expression) usesOldSelf() bool {
	return slices.ContainsFunc(e, func(part ast.Expr) bool {
		return part.Kind() == ast.IdentKind && part.AsIdent() == varOldSelf
	})
}

// hasOldValue reports whether there can be an old value of what the rule is about:
// an item of an array may be another one by now.
func (r *reading) hasOldValue() bool {
	_, ok := r.source.Rule().Path.Names()
	return ok
}

const noOldValue = "oldSelf has no meaning here: the rule's path has other steps than names, and what it selects may have been anywhere before"

// regexes are the regular expressions that are written in an expression.
func (e expression) regexes() []string {
	var texts []string
	for _, part := range e {
		if part.Kind() != ast.CallKind {
			continue
		}
		switch call := part.AsCall(); call.FunctionName() {
		case "matches", "find", "findAll":
			for _, arg := range call.Args() {
				if arg.Kind() == ast.LiteralKind {
					text, _ := arg.AsLiteral().(types.String)
					texts = append(texts, string(text))
				}
			}
		}
	}
	return texts
}

// maxGrowth is how many times longer an expression of a schema may make a text.
const maxGrowth = 100

// unbounded names a function of an expression of x-kubernetes-validations that
// could take all memory: Kubernetes' estimate counts what these functions read, not
// what they write. It is "" for none.
func (e expression) unbounded() string {
	name, growth := "", 1.0
	for _, part := range e {
		if part.Kind() != ast.CallKind {
			continue
		}
		call := part.AsCall()
		switch call.FunctionName() {
		case "replace":
			growth *= growthOf(call.Args())
			if growth > maxGrowth {
				name = "replace"
			}
		case "format":
			if call.IsMemberFunction() && !isShortFormat(call) {
				name = "format"
			}
		case "flatten":
			name = "flatten"
		case "lists.range":
			if n, ok := literal[types.Int](call.Args(), 0); !ok || n > maxLooped {
				name = "lists.range"
			}
		case "quantity", "isQuantity":
			if !isPlainQuantity(call.Args()) {
				name = call.FunctionName()
			}
		}
	}
	return name
}

func growthOf(args []ast.Expr) float64 {
	old, isLiteral := literal[types.String](args, 0)
	with, alsoLiteral := literal[types.String](args, 1)
	if !isLiteral || !alsoLiteral {
		return math.Inf(1)
	}
	if old == "" {
		return 1 + float64(len(with))
	}
	return max(1, float64(len(with))/float64(len(old)))
}

// literal returns an argument that is a literal of a type.
func literal[T ref.Val](args []ast.Expr, i int) (value T, ok bool) {
	if i < len(args) && args[i].Kind() == ast.LiteralKind {
		value, ok = args[i].AsLiteral().(T)
	}
	return value, ok
}

// isPlainQuantity reports whether the argument of quantity is a short literal, or
// a value of the object as it is: those are looked at before an expression runs.
func isPlainQuantity(args []ast.Expr) bool {
	if text, ok := literal[types.String](args, 0); ok {
		return !isHostileQuantity(string(text))
	}
	return len(args) == 1 && !slices.ContainsFunc(partsOf(args[0]), func(part ast.Expr) bool {
		return part.Kind() == ast.CallKind && !slices.Contains(selecting, part.AsCall().FunctionName())
	})
}

// selecting are calls that give a part of their operand, or a number as a text.
var selecting = []string{operators.Index, operators.OptIndex, operators.OptSelect, operators.Conditional, "string", "value", "orValue"}

// loops reports whether an expression goes over lists or maps.
func (e expression) loops() bool {
	return slices.ContainsFunc(e, func(part ast.Expr) bool { return part.Kind() == ast.ComprehensionKind })
}

// calls reports whether an expression calls one of these functions.
func (e expression) calls(functions ...string) bool {
	return slices.ContainsFunc(e, func(part ast.Expr) bool {
		return part.Kind() == ast.CallKind && slices.Contains(functions, part.AsCall().FunctionName())
	})
}

// maxSearched is how long a text is that can be searched for at the cost that
// Kubernetes counts.
const maxSearched = 16

// searches counts the calls that search a text for one that may be longer: they
// compare it at each character.
func (e expression) searches() int {
	n := 0
	for _, part := range e {
		if part.Kind() != ast.CallKind || !slices.Contains([]string{"indexOf", "lastIndexOf"}, part.AsCall().FunctionName()) {
			continue
		}
		if text, ok := literal[types.String](part.AsCall().Args(), 0); !ok || len(text) > maxSearched {
			n++
		}
	}
	return n
}

func isShortFormat(call ast.CallExpr) bool {
	if call.Target().Kind() != ast.LiteralKind || len(call.Args()) != 1 || call.Args()[0].Kind() != ast.ListKind {
		return false
	}
	text, _ := call.Target().AsLiteral().(types.String)
	return !longPrecision.MatchString(string(text)) && call.Args()[0].AsList().Size() <= 20
}

// guard exchanges the calls of such functions.
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

// costExceeded is what cel-go says when an expression costs too much.
const costExceeded = "operation cancelled: actual cost limit exceeded"

func apply(o *functions.Overload, args []ref.Val) ref.Val {
	switch {
	case o.Unary != nil && len(args) == 1:
		return o.Unary(args[0])
	case o.Binary != nil && len(args) == 2:
		return o.Binary(args[0], args[1])
	case o.Function != nil:
		return o.Function(args...)
	}
	return types.NewErr("no such overload: %s", o.Operator)
}

// liveCost counts a call by its operands and its result. What Kubernetes counts
// more is counted so.
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

// length is how long a text, list or map is: a text counts a tenth, as in
// Kubernetes' costs.
func length(v ref.Val) float64 {
	if text := textSize(v); text > 0 {
		return text
	}
	if v, ok := v.(traits.Sizer); ok {
		n, _ := v.Size().(types.Int)
		return float64(n)
	}
	return 0
}

func textSize(v ref.Val) float64 {
	switch v := v.(type) {
	case types.String:
		return float64(len(v)) / 10
	case types.Bytes:
		return float64(len(v)) / 10
	}
	return 0
}

// deepSize is size with all that is inside, up to what one expression may cost.
func deepSize(v ref.Val) float64 {
	left := float64(maxExpressionCost)
	countDeep(v, &left)
	return maxExpressionCost - left
}

// countDeep counts before it asks for a list's content, which may have been put
// together of others and is then made anew.
func countDeep(v any, left *float64) {
	*left--
	if v, ok := v.(ref.Val); ok {
		if *left -= length(v); *left >= 0 {
			countInside(v.Value(), left)
		}
		return
	}
	countInside(v, left)
}

func countInside(v any, left *float64) {
	if *left < 0 {
		return
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

// longPrecision finds a precision that makes a number very long.
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

// workOfRegex is Kubernetes' cost of a regular expression, without rounding, and
// with its repeats written out. It is compiled anew for each call.
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

// workOfSearch: a text is compared at each character of another. For a list it is
// one comparison with each item.
func workOfSearch(args []ref.Val) float64 {
	if len(args) < 2 {
		return 0
	}
	text, isText := args[0].(types.String)
	if !isText {
		return deepSize(args[0]) + length(args[0])*deepSize(args[1])
	}
	sought := textOf(args, 1)
	return float64(len(text)) * (1 + float64(len(sought))) / 500
}

// workOfFlatten: each level copies all that is below it.
func workOfFlatten(args []ref.Val) float64 {
	levels := 1.0
	if len(args) > 1 {
		n, _ := args[1].(types.Int)
		levels = min(max(float64(n), 1), 1000) // as deep as an object may be
	}
	size := deepSize(args[0])
	return levels*size + listOf(int(size))
}

func workOfQuantity(args []ref.Val) float64 {
	if isHostileQuantity(textOf(args, 0)) {
		return math.MaxInt32
	}
	return 1
}

// workOfVersion: a version is taken apart, unlike other texts that are read.
func workOfVersion(args []ref.Val) float64 { return 20 * textSize(args[0]) }

// workOfAdd counts lists, too: one that is put together of others takes no time,
// but the more to look at it.
func workOfAdd(args []ref.Val) float64 {
	if len(args) < 2 {
		return 0
	}
	size := length(args[0]) + length(args[1])
	if _, isList := args[0].(traits.Lister); isList {
		return listOf(int(size))
	}
	return size
}

func workOfPairs(args []ref.Val) float64 {
	if len(args) < 2 {
		return 0
	}
	return deepSize(args[0]) * deepSize(args[1])
}
