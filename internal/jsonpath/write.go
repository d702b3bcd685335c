package jsonpath

import (
	"strconv"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/value"
)

// Write returns the canonical spelling of steps. With a $ before it, Parse reads the same
// steps from it.
func Write(steps jp.Expr) string {
	var b []byte
	for i, step := range steps {
		dot := "."
		if i > 0 && steps[i-1] == jp.Descent('.') { // which has its dots
			dot = ""
		}
		switch step := step.(type) {
		case jp.Child:
			b = writeName(b, dot, string(step))
		case jp.Wildcard:
			if step == jp.Wildcard('#') {
				b = append(b, "[*]"...)
			} else {
				b = append(append(b, dot...), '*')
			}
		case jp.Descent:
			b = append(b, ".."...)
		case jp.Union:
			b = writeKeys(b, step...)
		case jp.Slice, jp.Nth:
			b = writeKeys(b, step)
		case Filter:
			b = append(append(b, "[?("...), step.Left.String()...)
			if step.Operator != "" {
				b = append(append(b, step.Operator...), step.Right.String()...)
			}
			b = append(b, ")]"...)
		}
	}
	return string(b)
}

// Key returns a text that is the same for two paths if and only if they are Equal. It is
// also the same for nil and the root.
func (p *Path) Key() string { return Write(p.Steps()) }

// writeName writes a name: after the dot, which may be "", or in brackets if it needs quotes.
func writeName(b []byte, dot, name string) []byte {
	if !isPlainName(name) {
		return writeKeys(b, jp.Child(name))
	}
	b = append(b, dot...)
	for {
		i := strings.IndexByte(name, '.')
		if i < 0 {
			return append(b, name...)
		}
		b, name = append(append(b, name[:i]...), `\.`...), name[i+1:]
	}
}

// writeKeys writes names, indexes and slices in brackets.
func writeKeys(b []byte, keys ...any) []byte {
	for i, key := range keys {
		separator := byte(',')
		if i == 0 {
			separator = '['
		}
		b = append(b, separator)
		switch key := key.(type) {
		case jp.Child:
			b = append(append(append(b, '\''), quotedEscapes.Replace(string(key))...), '\'')
		case jp.Nth:
			b = strconv.AppendInt(b, int64(key), 10)
		case jp.Slice:
			b = writeSlice(b, key)
		}
	}
	return append(b, ']')
}

func writeSlice(b []byte, slice jp.Slice) []byte {
	for i, bound := range slice {
		if i == 1 || i == 2 && bound != jp.SliceNotSet {
			b = append(b, ':')
		}
		if bound != jp.SliceNotSet {
			b = strconv.AppendInt(b, int64(bound), 10)
		}
	}
	return b
}

// String returns the operand as a filter writes it.
func (o Operand) String() string {
	switch {
	case o.Path != nil:
		return "@" + Write(o.Path)
	case o.Literal.Shape() == value.String:
		return strconv.Quote(o.Literal.Text())
	case o.Literal.Shape() == value.Number:
		return o.Literal.Number().JSON()
	}
	return o.Literal.String()
}
