package pcre

import "unicode"

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
		isBetween := isName(n.subs, i, -1, text) && isName(n.subs, i, 1, text) || isDigits(n.subs, i-1) && isDigits(n.subs, i+1)
		if isDot && isBetween {
			dots = append(dots, sub.at)
		}
		dots = dotsIn(sub, text, dots)
	}
	return dots
}

// isDigits reports whether a part matches digits only.
func isDigits(parts []*node, i int) bool {
	if i < 0 || i >= len(parts) {
		return false
	}
	n := parts[i]
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
