package crd

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

const maxQuantity = 64 // bytes

// longExponent matches a quantity whose exponent has more than three digits.
var longExponent = regexp.MustCompile(`^[-+.0-9][0-9.]*[eE][+-]?0*[1-9][0-9]{3,}$`)

// isHostileQuantity reports whether a text may be a quantity that Kubernetes' parser must not
// read: the parser has no bound, and comparing large numbers writes out all of their zeros.
func isHostileQuantity(text string) bool {
	if len(text) <= maxQuantity {
		return longExponent.MatchString(text)
	}
	return strings.IndexByte("+-.0123456789", text[0]) >= 0 && strings.Trim(text, "+-.0123456789eEinumkKMGTP") == ""
}

func hasHostileQuantity(v any) bool {
	switch v := v.(type) {
	case string:
		return isHostileQuantity(v)
	case []any:
		return slices.ContainsFunc(v, hasHostileQuantity)
	case map[string]any:
		for name, member := range v {
			if isHostileQuantity(name) || hasHostileQuantity(member) {
				return true
			}
		}
	}
	return false
}

// The functions that read a quantity. In an expression of x-kubernetes-validations, nothing can look
// at a text when they are called.
var quantityFunctions = []string{"quantity", "isQuantity"}

// makesQuantities reports whether an expression may read a quantity that is neither a text in the
// value nor a literal that is not hostile. What the variables of its loops stand for must be parts of
// the value or literals, too.
func (e expression) makesQuantities() bool {
	for _, call := range e.calls(quantityFunctions...) {
		if !isPlain(call.Args()[0]) {
			return true
		}
	}
	return slices.ContainsFunc(e, func(part ast.Expr) bool {
		switch part.Kind() {
		case ast.ComprehensionKind:
			return !isPlain(part.AsComprehension().IterRange())
		case ast.LiteralKind:
			text, ok := part.AsLiteral().(types.String)
			return ok && isHostileQuantity(string(text))
		}
		return false
	})
}

// isPlain reports whether an expression is a literal, a list of them, a variable, or a field or item of
// a variable. The empty list is not plain: optMap makes a loop over it to set a variable.
func isPlain(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind, ast.IdentKind:
		return true
	case ast.SelectKind:
		return isPlain(e.AsSelect().Operand())
	case ast.CallKind:
		return e.AsCall().FunctionName() == operators.Index && isPlain(e.AsCall().Args()[0])
	case ast.ListKind:
		isOther := func(item ast.Expr) bool { return item.Kind() != ast.LiteralKind }
		return e.AsList().Size() > 0 && !slices.ContainsFunc(e.AsList().Elements(), isOther)
	}
	return false
}
