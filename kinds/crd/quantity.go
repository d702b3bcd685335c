package crd

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// maxQuantity is the largest length in bytes of a quantity.
const maxQuantity = 64

// longExponent matches a quantity whose exponent has more than three digits.
var longExponent = regexp.MustCompile(`^[-+.0-9][0-9.]*[eE][+-]?0*[1-9][0-9]{3}`)

// isHostileQuantity reports whether a text may be a quantity that Kubernetes' parser must not
// read: the parser has no bound, and comparing large numbers writes out all of their zeros.
func isHostileQuantity(text string) bool {
	if len(text) <= maxQuantity {
		return longExponent.MatchString(text)
	}
	return strings.IndexByte("+-.0123456789", text[0]) >= 0 && strings.Trim(text, "+-.0123456789eEinumkKMGTP") == ""
}

// The largest numbers of steps in which the operands of quantity are found, in an expression alone
// and in a value.
const maxReads, maxReadsInValue = 5_000, 1_000_000

// A quantityReader finds the values that an expression of x-kubernetes-validations gives to
// quantity and isQuantity. Nothing can look at a value when they are called.
type quantityReader struct {
	operands []ast.Expr
	ranges   map[string][]ast.Expr // of the variables of loops: each is an item or a key
	results  map[string][]ast.Expr // of the variables that collect the result of a loop

	self            any
	steps, maxSteps int
	isUnknown       bool // whether not all values could be found
}

func (e expression) quantityReader() quantityReader {
	q := quantityReader{ranges: map[string][]ast.Expr{}, results: map[string][]ast.Expr{}}
	for call := range e.calls("quantity", "isQuantity") {
		q.operands = append(q.operands, call.Args()...)
	}
	for _, part := range e {
		if part.Kind() != ast.ComprehensionKind {
			continue
		}
		loop := part.AsComprehension()
		q.ranges[loop.IterVar()] = append(q.ranges[loop.IterVar()], loop.IterRange())
		q.ranges[loop.IterVar2()] = append(q.ranges[loop.IterVar2()], loop.IterRange())
		q.results[loop.AccuVar()] = append(q.results[loop.AccuVar()], loop.AccuInit(), loop.LoopStep())
	}
	return q
}

// hasHostile reports whether one of the values may be a hostile quantity, if the rule is about self.
func (q *quantityReader) hasHostile(self any, maxSteps int) bool {
	q.self, q.maxSteps = self, maxSteps
	values := q.read(nil, q.operands...)
	return q.isUnknown || slices.ContainsFunc(values, func(v any) bool {
		text, ok := v.(string)
		return ok && isHostileQuantity(text)
	})
}

// read returns all values that expressions may have, and more. It does not read the variables in
// busy again.
func (q *quantityReader) read(busy []string, all ...ast.Expr) (values []any) {
	for _, e := range all {
		if q.steps++; q.steps > q.maxSteps {
			q.isUnknown = true
			return nil
		}
		switch e.Kind() {
		case ast.LiteralKind:
			values = append(values, e.AsLiteral().Value())
		case ast.IdentKind:
			values = append(values, q.variable(busy, e.AsIdent())...)
		case ast.SelectKind:
			values = append(values, member(q.read(busy, e.AsSelect().Operand()), e.AsSelect().FieldName())...)
		case ast.ListKind:
			values = append(values, q.read(busy, e.AsList().Elements()...)) // a list of them
		case ast.ComprehensionKind:
			values = append(values, q.read(busy, e.AsComprehension().Result())...)
		case ast.CallKind:
			values = append(values, q.call(busy, e.AsCall())...)
		default:
			q.isUnknown = true
		}
	}
	q.steps += len(values)
	return values
}

func (q *quantityReader) variable(busy []string, name string) []any {
	if slices.Contains(busy, name) {
		return nil
	}
	busy = append(slices.Clip(busy), name)
	values := append(members(q.read(busy, q.ranges[name]...)), q.read(busy, q.results[name]...)...)
	if name == varSelf || name == varOldSelf {
		values = append(values, q.self)
	}
	return values
}

// call reads the calls that return a part of an operand. A sum of texts is another text.
func (q *quantityReader) call(busy []string, call ast.CallExpr) []any {
	args := call.Args()
	switch call.FunctionName() {
	case operators.Index:
		of := q.read(busy, args[0])
		if name, ok := literal[types.String](args, 1); ok {
			return member(of, string(name))
		}
		return members(of)
	case operators.Conditional:
		return q.read(busy, args[1:]...)
	case operators.Add:
		if slices.ContainsFunc(args, func(e ast.Expr) bool { return e.Kind() == ast.ListKind }) {
			return q.read(busy, args...)
		}
	case "distinct", "reverse", "slice", "sort":
		if call.IsMemberFunction() {
			return q.read(busy, call.Target())
		}
	}
	q.isUnknown = true
	return nil
}

// member returns the members of objects that have a name, which may be escaped.
func member(of []any, name string) (found []any) {
	names := []string{name}
	if unescaped, ok := apiservercel.Unescape(name); ok && unescaped != name {
		names = append(names, unescaped)
	}
	for _, v := range of {
		object, _ := v.(map[string]any)
		for _, name := range names {
			if member, ok := object[name]; ok {
				found = append(found, member)
			}
		}
	}
	return found
}

// members returns the items of lists, and the keys and members of objects.
func members(of []any) (found []any) {
	for _, v := range of {
		switch v := v.(type) {
		case []any:
			found = append(found, v...)
		case map[string]any:
			for key, member := range v {
				found = append(found, key, member)
			}
		}
	}
	return found
}

// payQuantities returns an error if a rule for a value, or for one inside it, reads a hostile quantity.
func (j *judge) payQuantities(f *findings, s *structural.Structural, v any) error {
	if s == nil {
		return nil
	}
	steps := 1
	for _, rule := range s.XValidations {
		for _, text := range []string{rule.Rule, rule.MessageExpression} {
			q, ok := j.quantities[text]
			if ok && q.hasHostile(v, maxReadsInValue) {
				return errHostileQuantity
			}
			steps += q.steps
		}
	}
	if err := f.work(int64(steps)); err != nil {
		return err
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := j.payQuantities(f, s.Items, item); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, member := range v {
			if err := j.payQuantities(f, property(s, name), member); err != nil {
				return err
			}
		}
	}
	return nil
}
