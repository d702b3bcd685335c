package ssp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
)

// A step is what a JSONPath does with the values so far. It returns values also with an error,
// because a filter without operator looks at them.
type step interface {
	from(m *meter.Meter, values []node) ([]node, error)
}

type (
	member     string
	everything struct{} // [*] selects with a slice, so this is .*
	descent    struct{}
	slice      struct {
		first, end, stride int
		hasEnd             bool // otherwise that of the array
		isIndex            bool
	}
	union  [][]step
	filter struct {
		left, right []step
		operator    string // "" if the left side only has to exist
	}
	constant node
	keyword  string // "range" and "end" are of templates with several parts
)

// CheckPath returns why the validator cannot read a path of a rule; nil if it can. It refuses an
// annotation with such a path, even if no rule looks for it. The error has no type of its own.
func CheckPath(path string) error {
	_, err := readPath(path)
	return err
}

// readPath reads a path of a rule. The validator appends it to ".spec.template" as text, so this
// returns the steps from the VM.
func readPath(written string) ([]step, error) {
	expression, ok := strings.CutPrefix(written, jsonpath.Prefix)
	if !ok {
		return nil, fmt.Errorf("it does not begin with %q", jsonpath.Prefix)
	}
	return readAction(".spec.template" + strings.TrimPrefix(expression, "$"))
}

// readAction reads the text between a pair of braces.
func readAction(text string) ([]step, error) {
	r := &reader{rest: text}
	for r.rest != "" {
		if err := r.step(); err != nil {
			return nil, err
		}
	}
	return r.steps, nil
}

type reader struct {
	rest  string
	steps []step
}

func (r *reader) add(s step) error {
	r.steps = append(r.steps, s)
	return nil
}

func (r *reader) take(n int) string {
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) step() error {
	next, size := utf8.DecodeRuneInString(r.rest)
	switch {
	case strings.HasPrefix(r.rest, "[?("):
		return r.filter()
	case strings.HasPrefix(r.rest, ".."):
		return r.descent()
	case next == ' ' || next == '@' || next == '$':
		r.take(size)
		return nil
	case next == '[':
		return r.brackets()
	case next == '"' || next == '\'':
		return r.quoted(byte(next))
	case next == '.':
		r.take(size)
		return r.member()
	case next == '+' || next == '-' || unicode.IsDigit(next):
		return r.number()
	case isWord(next):
		return r.word()
	}
	return fmt.Errorf("%q is not allowed there", next)
}

func isWord(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// afterName has the characters that end a name, unless a backslash is before them.
const afterName = " \t\r\n.,[]$@{}"

func (r *reader) descent() error {
	if len(r.steps) > 0 && r.steps[len(r.steps)-1] == step(descent{}) {
		return errors.New("it has .. twice in a row")
	}
	r.take(len(".."))
	_ = r.add(descent{})
	if next, _ := utf8.DecodeRuneInString(r.rest); isWord(next) {
		return r.member()
	}
	return nil
}

func (r *reader) member() error {
	end := 0
	for end < len(r.rest) && !strings.ContainsRune(afterName, rune(r.rest[end])) {
		if r.rest[end] == '\\' {
			end++
		}
		end++
	}
	name := r.take(min(end, len(r.rest)))
	if name == "*" {
		return r.add(everything{})
	}
	return r.add(member(strings.ReplaceAll(name, `\`, "")))
}

func (r *reader) word() error {
	end := strings.IndexAny(r.rest, afterName)
	if end < 0 {
		end = len(r.rest)
	}
	switch name := r.take(end); name {
	case "true", "false":
		return r.add(constant(literal(boolean, name == "true")))
	default:
		return r.add(keyword(name))
	}
}

func (r *reader) number() error {
	behind := strings.TrimLeft(r.rest[1:], ".0123456789")
	written := r.take(len(r.rest) - len(behind))
	if i, err := strconv.Atoi(written); err == nil {
		return r.add(constant(literal("int", json.Number(strconv.Itoa(i)))))
	}
	f, err := strconv.ParseFloat(written, 64)
	if err != nil {
		return fmt.Errorf("%q is not a number", written)
	}
	return r.add(constant(literal(float, f)))
}

func (r *reader) quoted(quote byte) error {
	for end := 1; end < len(r.rest) && r.rest[end] != '\n'; end++ {
		if r.rest[end] != quote || r.rest[end-1] == '\\' {
			continue
		}
		content, rest := jsonpath.Unquote(r.rest[1:end], quote)
		if rest != "" {
			return fmt.Errorf("%q has an escape that is not allowed", rest)
		}
		r.take(end + 1)
		return r.add(constant(literal(text, content)))
	}
	return errors.New("a quote is missing")
}

var (
	quotedName = regexp.MustCompile(`^'([^']*)'$`)
	indexes    = regexp.MustCompile(`^(-?[0-9]*)(?::(-?[0-9]*))?(?::(-?[0-9]*))?$`)
	comparison = regexp.MustCompile(`^([^!<>=]+)([!<>=]+)(.+?)$`)
)

// brackets reads an index, a slice, a name or several of them. It ends at the first bracket, also
// if that is inside quotes.
func (r *reader) brackets() error {
	end := strings.IndexAny(r.rest, "]\n")
	if end < 0 || r.rest[end] == '\n' {
		return errors.New("] is missing")
	}
	inside := r.take(end + 1)[1:end]
	if strings.Contains(inside, ",") {
		return r.union(strings.Split(inside, ","))
	}
	if name := quotedName.FindStringSubmatch(inside); name != nil {
		steps, err := readAction("." + name[1])
		r.steps = append(r.steps, steps...)
		return err
	}
	return r.slice(inside)
}

func (r *reader) union(parts []string) error {
	var all union
	for _, part := range parts {
		steps, err := readAction("[" + strings.Trim(part, " ") + "]")
		if err != nil {
			return err
		}
		all = append(all, steps)
	}
	return r.add(all)
}

func (r *reader) slice(inside string) error {
	if inside == "*" {
		inside = ":"
	}
	found := indexes.FindStringSubmatch(inside)
	if found == nil {
		return fmt.Errorf("[%s] is not an index, a slice, * or a name in single quotes", inside)
	}
	s := slice{stride: 1, hasEnd: found[2] != "", isIndex: !strings.Contains(inside, ":")}
	for i, number := range []*int{&s.first, &s.end, &s.stride} {
		if found[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(found[i+1])
		if err != nil {
			return fmt.Errorf("%q is not an index", found[i+1])
		}
		*number = n
	}
	return r.add(s)
}

func (r *reader) filter() error {
	end := filterEnd(r.rest)
	if end < 0 || !strings.HasPrefix(r.rest[end:], ")]") {
		return errors.New("a filter does not end with )]")
	}
	inside := r.take(end + len(")]"))[len("[?("):end]
	var f filter
	left, right := inside, ""
	if parts := comparison.FindStringSubmatch(inside); parts != nil {
		left, f.operator, right = parts[1], parts[2], parts[3]
	}
	var err error
	if f.left, err = readAction(left); err != nil {
		return err
	}
	if f.right, err = readAction(right); err != nil {
		return err
	}
	return r.add(f)
}

// filterEnd returns where the parenthesis of a filter ends: at the first one that is not inside
// the first pair of quotes.
func filterEnd(text string) int {
	var quote byte
	isClosed := false
	for i := len("[?("); i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return -1
		case (c == '"' || c == '\'') && quote == 0:
			quote = c
		case c == quote && text[i-1] != '\\':
			isClosed = true
		case c == ')' && (quote == 0 || isClosed):
			return i
		}
	}
	return -1
}
