// Package parameter finds the parameters of templates in strings: ${NAME}, and ${{NAME}},
// which may become a value of any type. A name consists of ASCII letters, digits and
// underscores.
package parameter

import (
	"cmp"
	"iter"
	"strings"

	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

// Mark begins every parameter.
const Mark = "${"

// First returns the first parameter in a string, with its marks; "" if there is none.
func First(s string) string {
	for {
		start := strings.Index(s, Mark)
		if start < 0 {
			return ""
		}
		s = s[start:]
		if found := cmp.Or(leading(s, "${{", "}}"), leading(s, Mark, "}")); found != "" {
			return found
		}
		s = s[len(Mark):]
	}
}

// Inside pays for everything inside a plain value, and returns the first parameter there if that is
// wanted; "" if there is none, or if the meter refuses.
func Inside(v any, isWanted bool, m *meter.Meter) string {
	if m.Spend(value.PlainWork, 0) != nil {
		return ""
	}
	switch v := v.(type) {
	case string:
		if m.Spend(len(v)/100*value.PlainWork, 0) == nil && isWanted {
			return First(v)
		}
	case []any:
		for _, next := range v {
			if found := Inside(next, isWanted, m); found != "" {
				return found
			}
		}
	case map[string]any:
		if !isWanted { // then the order does not matter
			for _, next := range v {
				Inside(next, false, m)
			}
			return ""
		}
		for _, name := range value.Names(v) {
			if found := cmp.Or(Inside(name, true, m), Inside(v[name], true, m)); found != "" {
				return found
			}
		}
	}
	return ""
}

// OfAnyType returns the parameter ${{NAME}} with which a string begins; "" if there is none.
func OfAnyType(s string) string { return leading(s, "${{", "}}") }

// References yields where a string refers to parameters that are replaced with their values,
// in order: as ${NAME}, or as ${{NAME}} if the string is nothing else.
func References(s string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		if s != "" && OfAnyType(s) == s {
			yield(0, len(s))
			return
		}
		end := 0
		for {
			i := strings.Index(s[end:], Mark)
			if i < 0 {
				return
			}
			start := end + i
			found := leading(s[start:], Mark, "}")
			end = start + max(len(found), len(Mark))
			if found != "" && !yield(start, end) {
				return
			}
		}
	}
}

// Name returns the name of a parameter, without its marks.
func Name(parameter string) string { return strings.Trim(parameter, "${}") }

// leading returns the parameter with which a string begins, including its two marks.
func leading(s, open, closing string) string {
	name, ok := strings.CutPrefix(s, open)
	if !ok {
		return ""
	}
	end := strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || '9' < r) && (r < 'A' || 'Z' < r) && (r < 'a' || 'z' < r)
	})
	if end < 1 || !strings.HasPrefix(name[end:], closing) {
		return ""
	}
	return s[:len(open)+end+len(closing)]
}
