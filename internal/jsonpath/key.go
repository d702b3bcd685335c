package jsonpath

import (
	"strconv"

	"github.com/ohler55/ojg/jp"
)

// Key returns a text that is the same for two paths if and only if they are Equal. It is
// also the same for nil and the root.
func (p *Path) Key() string { return string(appendSteps(nil, p.Steps())) }

func appendSteps(b []byte, steps jp.Expr) []byte {
	for _, step := range steps {
		switch step := step.(type) {
		case jp.Child:
			b = strconv.AppendQuote(append(b, '.'), string(step))
		case jp.Nth:
			b = strconv.AppendInt(append(b, '#'), int64(step), 10)
		case jp.Slice:
			b = appendSlice(b, step)
		case jp.Union:
			b = appendUnion(b, step)
		case jp.Wildcard:
			b = append(b, '*', byte(step))
		case jp.Descent:
			b = append(b, '!')
		case Filter:
			b = append(appendOperand(append(b, '?'), step.Left), step.Operator...)
			b = append(appendOperand(b, step.Right), ')')
		}
	}
	return b
}

func appendSlice(b []byte, slice jp.Slice) []byte {
	for _, bound := range slice {
		b = strconv.AppendInt(append(b, ':'), int64(bound), 10)
	}
	return b
}

func appendUnion(b []byte, keys jp.Union) []byte {
	b = append(b, '[')
	for _, key := range keys {
		switch key := key.(type) {
		case string:
			b = strconv.AppendQuote(append(b, ','), key)
		case int64:
			b = strconv.AppendInt(append(b, '#'), key, 10)
		case jp.Slice:
			b = appendSlice(b, key)
		}
	}
	return append(b, ']')
}

func appendOperand(b []byte, o Operand) []byte {
	if o.Path != nil {
		return appendSteps(append(b, '@'), o.Path)
	}
	return strconv.AppendQuote(append(b, '0'+byte(o.Literal.Shape())), o.Literal.String())
}
