package manifest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// A yamlReader makes nodes of the parser's tree of a document. The values are those that kubectl reads, with
// the booleans of YAML 1.1, except that numbers keep all of their digits.
type yamlReader struct {
	source   *source
	lines    []int // the offset of each line, as the parser counts lines
	anchored map[*yaml.Node]*node
	depth    int
	copies   int   // values that aliases and merge keys stand for, so far
	err      error // the first; nothing more is read then
}

// maxCopies is the number of values that the aliases and merge keys of a document may stand
// for. Without a limit, a few aliases inside each other could stand for more values than memory
// can hold.
const maxCopies = 100_000

// readYAML reads the documents of a text. If it finds a mistake, it reads each on its own.
func readYAML(s *source) ([]*node, []error) {
	lines := yamlLines(s.text)
	documents, err := readYAMLPart(s, lines, s.text)
	if err == nil {
		return documents, nil
	}
	documents = nil
	var all []error
	room := maxSearched
	ends := append(slices.Clip(lines), len(s.text))
	for begin := 0; begin < len(lines); {
		end := begin + 1
		for end < len(lines) && !beginsDocument.MatchString(s.text[lines[end]:]) {
			end++
		}
		text := s.text[lines[begin]:ends[end]]
		read, err := readYAMLPart(s, lines[begin:], text)
		documents = append(documents, read...)
		if err != nil {
			all = append(all, yamlMistake(err, s, lines[begin:], text, &room))
		}
		begin = end
	}
	if all == nil { // which a directive in front of a document may cause
		return nil, []error{yamlMistake(err, s, lines, s.text, &room)}
	}
	return documents, all
}

// beginsDocument matches a line that begins a document. No value of YAML has such a line.
var beginsDocument = regexp.MustCompile(`^---([ \t\r\n]|$)`)

// readYAMLPart reads the documents in a part of the source, which begins at the first of the lines,
// up to the first mistake.
func readYAMLPart(s *source, lines []int, text string) ([]*node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var documents []*node
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if err == io.EOF {
			return documents, nil
		}
		if err != nil {
			return documents, err
		}
		r := yamlReader{source: s, lines: lines, anchored: map[*yaml.Node]*node{}}
		n := r.read(document.Content[0])
		if r.err != nil {
			return documents, r.err
		}
		if n.shape != scalar || n.scalar != nil {
			documents = append(documents, n)
		}
	}
}

// yamlLines returns the offsets at which lines begin for the parser. It takes more characters
// than an editor for the end of a line.
func yamlLines(text string) []int {
	lines := []int{0}
	for at, c := range text {
		if endsLine(c) {
			lines = append(lines, at+utf8.RuneLen(c))
		}
	}
	return lines
}

// The parts of the parser's errors from which a place can be found: the number of a line, if there is one, or
// the name of an alias. They never have a column.
var (
	atLine       = regexp.MustCompile(`^(?:line ([0-9]+): )?`)
	unknownAlias = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// yamlMistake returns an error of the parser with its place in the file. It takes what readYAMLPart has read,
// and how many bytes of the file may still be searched.
func yamlMistake(err error, s *source, lines []int, text string, room *int) error {
	if wrong := (*Error)(nil); errors.As(err, &wrong) {
		return err
	}
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if found := unknownAlias.FindStringSubmatch(message); found != nil {
		at := max(strings.Index(text, "*"+found[1]), 0)
		return s.fail(lines[0]+at, unknownAnchor(found[1]))
	}
	found := atLine.FindStringSubmatch(message)
	line, _ := strconv.Atoi(found[1])
	message = message[len(found[0]):]
	within := around[message]
	if within == "" {
		line-- // only these lines count from 0
	}
	begin := lines[min(max(line, 0), len(lines)-1)]
	if *room -= len(text); *room < 0 {
		if within != "" {
			message += ", somewhere in the " + within + " that begins here"
		}
		rest := s.text[begin:]
		return s.fail(begin+len(rest)-len(strings.TrimLeft(rest, " \t")), errors.New(message))
	}
	at := lines[0] + mistakeIn(text, err.Error())
	if cause, where := s.cause(text, lines[0], at); cause != "" && isOfLayout[message] && renderFirst(text) == "" {
		return s.fail(where, errors.New(cause))
	}
	first, _ := s.place(begin)
	switch last, _ := s.place(at); {
	case s.text[at] == '\t':
		message = "a tab cannot indent a line: write spaces"
	case within != "" && first < last:
		message += fmt.Sprintf(", in the %s that begins in line %d", within, first)
	}
	return s.fail(at, errors.New(message))
}

// around has the errors that the parser places at the beginning of what is around the mistake.
var around = map[string]string{
	"did not find expected key":           "object",
	"did not find expected '-' indicator": "array",
	"did not find expected ',' or ']'":    "[ ]",
	"did not find expected ',' or '}'":    "{ }",
}

// isOfLayout has the errors that a wrong indentation, or a text that ends too early, may cause.
var isOfLayout = map[string]bool{
	"did not find expected key": true, "could not find expected ':'": true,
	"mapping values are not allowed in this context": true,
}

// openQuote is the end of the error about a quote that is never closed. It hides errors before that.
const openQuote = "found unexpected end of stream"

// maxSearched is the number of bytes of a file in which mistakes are searched.
const maxSearched = 1 << 20

// mistakeIn returns where a mistake is in a text: the last character of the shortest beginning of the text
// that has the same error.
func mistakeIn(text, message string) int {
	more := ""
	if strings.Contains(message, "',' or") {
		more = " ," // or else the end of a shorter text would be the same error
	}
	end := sort.Search(len(text), func(i int) bool {
		for _, quote := range []string{"", `"`, "'"} {
			found := yamlError(text[:runeEnd(text, i)] + quote + more)
			if found == message || !strings.HasSuffix(found, openQuote) {
				return found == message
			}
		}
		return false
	})
	_, size := utf8.DecodeLastRuneInString(text[:runeEnd(text, end)])
	return runeEnd(text, end) - size
}

// runeEnd returns the end of the character that an offset is in, or the offset.
func runeEnd(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

func yamlError(text string) string {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		switch err := decoder.Decode(new(yaml.Node)); err {
		case nil:
		case io.EOF:
			return ""
		default:
			return err.Error()
		}
	}
}

// KeyTwice returns the error about a key that an object has twice.
func KeyTwice(key string) error {
	return fmt.Errorf("the key %.100q is given twice in one object: keep one of them", key)
}

func unknownAnchor(name string) error {
	return fmt.Errorf("no value that ends before the alias *%[1]s has the anchor &%[1]s: add the anchor, or correct the alias", name)
}

// at returns the offset of a value, which is behind its anchor and tag.
func (r *yamlReader) at(n *yaml.Node) int {
	line := min(max(n.Line, 1), len(r.lines))
	at := r.source.offset(r.lines[line-1], n.Column)
	if n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 {
		return at
	}
	return at + len(properties.FindString(r.source.text[at:]))
}

// properties matches anchors and tags, with the blanks and comments behind them.
var properties = regexp.MustCompile(`^([&!][^ \t\r\n]*([ \t\r\n]|#[^\n]*)*)*`)

func (r *yamlReader) fail(n *yaml.Node, format string, args ...any) {
	if r.err == nil {
		r.err = r.source.fail(r.at(n), fmt.Errorf(format, args...))
	}
}

func (r *yamlReader) read(n *yaml.Node) *node {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		r.fail(n, "%w", errDepth)
	}
	made := &node{at: r.at(n), size: 1}
	switch {
	case r.err != nil:
		return made
	case n.Kind == yaml.AliasNode:
		return r.alias(n)
	case n.Kind == yaml.MappingNode:
		made.shape = object
		r.members(made, n)
	case n.Kind == yaml.SequenceNode:
		made.shape = array
		r.items(made, n)
	default:
		made.scalar = scalarOf(n)
	}
	if n.Anchor != "" {
		r.anchored[n] = made
	}
	return made
}

// alias returns the node that an alias stands for, without copying it.
func (r *yamlReader) alias(n *yaml.Node) *node {
	found := r.anchored[n.Alias]
	if found == nil { // the alias is inside the value that it stands for
		r.fail(n, "%w", unknownAnchor(n.Value))
		return &node{}
	}
	found.isShared = true
	r.copy(n, found.size)
	return found
}

// copy counts values that a document contains once more, which may be too many.
func (r *yamlReader) copy(n *yaml.Node, values int) {
	if r.copies += values; r.copies > maxCopies {
		r.fail(n, "the aliases and merge keys up to here stand for more than %d values: use fewer of them, or of smaller values", maxCopies)
	}
}

func (r *yamlReader) members(to *node, n *yaml.Node) {
	keys := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content) && r.err == nil; i += 2 {
		key, value := n.Content[i], r.read(n.Content[i+1])
		n.Content[i+1] = nil // frees the memory of the parser's tree early
		switch {
		case r.err != nil:
		case key.Kind != yaml.ScalarNode:
			r.fail(key, "a key must be a string, not an object, an array or an alias")
		case key.ShortTag() == "!!merge":
			r.merge(to, value, key)
		case keys[key.Value]:
			r.fail(key, "%w", KeyTwice(key.Value))
		default:
			keys[key.Value] = true
			to.add(member{r.at(key), key.Value, value})
		}
	}
	if len(to.members) == len(keys) { // nothing was merged
		return
	}
	last := make(map[string]int, len(to.members))
	for i, m := range to.members {
		last[m.key] = i
	}
	all := to.members
	to.members = all[:0]
	for i, m := range all {
		if last[m.key] == i {
			to.members = append(to.members, m)
		}
	}
}

// merge adds the members of the value of a merge key: an object, or an array of objects. Of
// members with the same key, the last one counts. So merge puts members before those that
// are there, which override them, and takes the array backward, because its earlier objects
// override later ones.
func (r *yamlReader) merge(to, from *node, key *yaml.Node) {
	merged := from.inside(object)
	for _, item := range slices.Backward(from.inside(array)) {
		merged = append(merged, item.value.members...)
	}
	noObject := func(item member) bool { return item.value.shape != object }
	if from.shape == scalar || slices.ContainsFunc(from.inside(array), noObject) {
		r.fail(key, "<< takes an object, or an array of objects")
	}
	to.size += from.size
	to.members = slices.Concat(merged, to.members)
	r.copy(key, len(to.members))
}

func (r *yamlReader) items(to *node, n *yaml.Node) {
	to.members = make([]member, 0, len(n.Content))
	for i, item := range n.Content {
		read := r.read(item)
		n.Content[i] = nil
		to.add(member{at: read.at, value: read})
	}
}

// scalarOf returns the value of a scalar. As for kubectl, a tag makes it a string, unless it is one of unquoting.
func scalarOf(n *yaml.Node) any {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	isTagged := n.Style&yaml.TaggedStyle != 0
	if isTagged && !slices.Contains(unquoting, n.ShortTag()) || !isTagged && n.Style&quoted != 0 {
		return n.Value
	}
	if v := jsontext.Value(n.Value); v.Kind() == '0' && v.IsValid() { // a number of JSON, which is kept as it is
		return json.Number(n.Value)
	}
	switch n.Value { // the booleans of YAML 1.1, which kubectl reads too
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON":
		return true
	case "n", "N", "no", "No", "NO", "off", "Off", "OFF":
		return false
	}
	tag := n.Tag
	if isTagged {
		tag = (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).ShortTag()
	}
	switch tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int":
		if number, ok := new(big.Int).SetString(strings.ReplaceAll(n.Value, "_", ""), 0); ok {
			return json.Number(number.String())
		}
	case "!!float":
		return decimal(n.Value)
	}
	return n.Value
}

// unquoting are the tags for which a text in quotes is read as if it had none.
var unquoting = []string{"!!null", "!!bool", "!!int", "!!float"}

// float matches the numbers of YAML that may have a fraction or an exponent.
var float = regexp.MustCompile(`^([-+]?)([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+)?$`)

// decimal returns a number in JSON's notation, with all of its digits. It returns what JSON
// cannot express, such as .inf, as a string.
func decimal(text string) any {
	parts := float.FindStringSubmatch(strings.ReplaceAll(text, "_", ""))
	if parts == nil {
		return text
	}
	written := cmp.Or(strings.TrimLeft(parts[2], "0"), "0")
	if parts[3] != "" {
		written += "." + parts[3]
	}
	return json.Number(strings.TrimPrefix(parts[1], "+") + written + parts[4])
}
