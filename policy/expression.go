package policy

import "strings"

// This file reads expressions of CEL, as far as it takes to write them.

// grouped puts an expression into parentheses if it has one of the operators outside of all
// parentheses, brackets and literals.
func grouped(expression string, operators ...string) string {
	if at, _ := firstOutside(expression, operators...); at >= 0 {
		return "(" + expression + ")"
	}
	return expression
}

// firstOutside returns the index of the first operator outside of all parentheses, brackets and
// literals, and the operator. The index is -1 if there is none.
func firstOutside(expression string, operators ...string) (int, string) {
	depth := 0
	for i := 0; i < len(expression); i++ {
		switch c := expression[i]; {
		case c == '"':
			i += literalEnd(expression[i:], i > 0 && expression[i-1] == 'r')
			continue
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
		for _, operator := range operators {
			if depth == 0 && strings.HasPrefix(expression[i:], operator) {
				return i, operator
			}
		}
	}
	return -1, ""
}

// literalEnd returns the index of the closing quote of a string literal at the beginning of a
// text.
func literalEnd(literal string, raw bool) int {
	for i := 1; i < len(literal); i++ {
		switch {
		case literal[i] == '\\' && !raw:
			i++
		case literal[i] == '"':
			return i
		}
	}
	return len(literal)
}

// inLines breaks an expression into lines behind the operators that are outside of all
// parentheses, brackets and literals.
func inLines(expression string) string {
	var lines strings.Builder
	for {
		at, operator := firstOutside(expression, " && ", " || ", " ? ", " : ")
		if at < 0 {
			lines.WriteString(expression)
			return lines.String()
		}
		lines.WriteString(expression[:at] + strings.TrimSuffix(operator, " ") + "\n")
		expression = expression[at+len(operator):]
	}
}
