package pcre

import (
	"slices"
	"unicode"
)

// DotsEscaped returns the pattern with a backslash before each dot between two names, such as
// that in ^kubevirt.io$, or between digits; "" if there is none. A name has two characters, or ends at
// the dot with a digit.
func (t *Tree) DotsEscaped() string {
	text := []rune(t.pattern)
	var escaped []rune
	from := 0
	for _, at := range dotsIn(t.root, text, nil) {
		escaped = append(append(escaped, text[from:at]...), '\\')
		from = at
	}
	if from == 0 {
		return ""
	}
	return string(append(escaped, text[from:]...))
}

// dotsIn appends the places of the dots between names, in order.
func dotsIn(n *node, text []rune, dots []int) []int {
	for i, sub := range n.subs {
		isDot := n.op == opConcat && sub.op == opSet && text[sub.at] == '.' && sub.set.holds('a')
		before, behind := n.subs[max(i-1, 0):i], n.subs[i+1:min(i+2, len(n.subs))]
		isVersion := slices.ContainsFunc(before, isDigits) && slices.ContainsFunc(behind, isDigits)
		if isDot && (isVersion || isName(n.subs, i, -1, text) && isName(n.subs, i, 1, text)) {
			dots = append(dots, sub.at)
		}
		dots = dotsIn(sub, text, dots)
	}
	return dots
}

// isDigits reports whether n matches digits only.
func isDigits(n *node) bool {
	for n.op == opRepeat || n.op == opCapture {
		n = n.subs[0]
	}
	return n.op == opSet && len(n.set) > 0 && n.set[0] >= '0' && n.set[len(n.set)-1] <= '9'
}

// isName reports whether a name is beside a part, in one direction.
func isName(parts []*node, i, direction int, text []rune) bool {
	for length := range 2 {
		i += direction
		if i < 0 || i >= len(parts) || parts[i].op != opSet {
			return false
		}
		switch r := text[parts[i].at]; {
		case length == 0 && unicode.IsDigit(r):
			return true
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_':
			return false
		}
	}
	return true
}
