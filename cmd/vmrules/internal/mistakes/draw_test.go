package mistakes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

const (
	seed = 20261107
	each = 2 // cases of a mutation
)

// A mutation is a kind of mistake. Replace, Cure and Lines may name what Find has found: $1 is its
// first group, ~1 the same with a typing error, ^1 in the wrong case, %1 another word for it. @ is the
// name of another rule. {n}, {u}, {k} and {m} are bytes in the largest unit, that unit, KiB and MiB.
type mutation struct {
	Name    string
	In      string // "rules"; "" is the whole file
	Only    string // the templates in which it is a mistake; "" is all
	Find    string
	Replace []string
	Cure    []string // the message has one of them
	Lines   []string // where one would look, see place; without any, the line of the mistake
	Mild    bool     // a pipeline need not fail
}

type mistakes struct {
	Mutation string    `json:"mutation"`
	MustFail bool      `json:"mustFail"`
	Cases    []mistake `json:"cases"`
}

type mistake struct {
	Template string   `json:"template"`
	At       int      `json:"at"`
	Find     string   `json:"find"`
	Replace  string   `json:"replace"`
	Lines    []int    `json:"lines"`
	Cure     []string `json:"cure"`
	Missed   string   `json:"missed,omitempty"`
}

// A template is a file, with its rules as their author writes them.
type template struct {
	name, text string
	rules      [][2]int // where rules are in the text
	names      []string // of the rules
	escape     *strings.Replacer
}

var update = flag.Bool("update", false, "draw the mistakes of testdata/cases.json again, and write which are missed")

// TestDraw draws the mistakes of testdata/cases.json again. Each of the mutations may be planted in many rules
// of many templates: a seed draws those that are kept. What was missed stays written at a case that is
// drawn again.
func TestDraw(t *testing.T) {
	const file = "testdata/cases.json"
	var known []mistakes
	read(file, &known)
	missed := map[string]string{}
	for _, m := range known {
		for _, c := range m.Cases {
			missed[m.Mutation+c.key()] = c.Missed
		}
	}
	var drawn []mistakes
	templates := load()
	for _, m := range mutations {
		d := mistakes{Mutation: m.Name, MustFail: !m.Mild, Cases: m.draw(templates)}
		for i := range d.Cases {
			d.Cases[i].Missed = missed[m.Name+d.Cases[i].key()]
		}
		if d.Cases == nil {
			t.Errorf("%s: no template has a place for it", m.Name)
		}
		drawn = append(drawn, d)
	}
	if diff := gocmp.Diff(drawn, known); diff != "" && !*update {
		t.Errorf("go test . -run Draw -update draws them again (-drawn +%s):\n%s", file, diff)
	}
	if *update {
		write(file, drawn)
	}
}

// key tells a case from the others of its mutation.
func (c mistake) key() string { return fmt.Sprintf("%s:%d:%q:%q", c.Template, c.At, c.Find, c.Replace) }

func read(file string, into any) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		log.Fatal(file, ": ", err)
	}
}

// write writes each case in a line of its own.
func write(file string, all []mistakes) {
	var out bytes.Buffer
	encode := func(v any) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			log.Fatal(err)
		}
		return strings.TrimSpace(b.String())
	}
	for i, m := range all {
		fmt.Fprintf(&out, "%s{\"mutation\": %s, \"mustFail\": %v, \"cases\": [", map[bool]string{true: "[", false: ",\n"}[i == 0], encode(m.Mutation), m.MustFail)
		for j, c := range m.Cases {
			fmt.Fprintf(&out, "%s\n  %s", map[bool]string{false: ","}[j == 0], encode(c))
		}
		out.WriteString("]}")
	}
	out.WriteString("]\n")
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

var (
	annotation = regexp.MustCompile(`(?s)vm\.kubevirt\.io/validations("?: "|: '|: \|-?\n).*?\n *\]`)
	inJSON     = regexp.MustCompile(`vm\.kubevirt\.io/validations": "(.*)"`)
	ruleBegin  = regexp.MustCompile(`(^|[ \[])\{`)
	ruleName   = regexp.MustCompile(`\\?"name\\?": \\?"([a-z-]+)`)
)

func load() []template {
	files, err := filepath.Glob("testdata/templates/*")
	if err != nil || files == nil {
		log.Fatal("no templates: ", err)
	}
	var all []template
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		t := template{name: filepath.Base(file), text: string(text), escape: strings.NewReplacer()}
		find := annotation
		switch {
		case filepath.Ext(file) == ".json":
			find, t.escape = inJSON, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
		case strings.Contains(t.text, "validations: '"):
			t.escape = strings.NewReplacer(`'`, `''`)
		}
		for _, at := range find.FindAllStringIndex(t.text, -1) {
			t.rules = append(t.rules, [2]int(at))
			for _, name := range ruleName.FindAllStringSubmatch(t.text[at[0]:at[1]], -1) {
				t.names = append(t.names, name[1])
			}
		}
		all = append(all, t)
	}
	return all
}

func (t template) isJSON() bool { return strings.HasSuffix(t.name, ".json") }

// draw returns some of the cases that a mutation makes possible.
func (m mutation) draw(templates []template) []mistake {
	random := rand.New(rand.NewPCG(seed, uint64(len(m.Name))<<32|uint64(crc(m.Name))))
	find, only := regexp.MustCompile("(?m)"+m.Find), regexp.MustCompile(m.Only)
	var all []mistake
	for _, t := range templates {
		if !only.MatchString(t.name) {
			continue
		}
		for _, replace := range m.Replace {
			all = append(all, m.plant(t, find, replace, random)...)
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), each)]
}

// crc makes what is drawn of one mutation independent of the others.
func crc(s string) (sum uint32) {
	for _, c := range s {
		sum = sum*31 + uint32(c)
	}
	return sum
}

// plant returns all cases in a template with one replacement.
func (m mutation) plant(t template, find *regexp.Regexp, replace string, random *rand.Rand) []mistake {
	spans := [][2]int{{0, len(t.text)}}
	if m.In == "rules" {
		spans = t.rules
	}
	var all []mistake
	for _, span := range spans {
		text, escape := t.text[span[0]:span[1]], strings.NewReplacer()
		if m.In == "rules" {
			escape = t.escape
		}
		if m.In == "rules" && t.isJSON() {
			text = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(text)
		}
		for _, at := range find.FindAllStringSubmatchIndex(text, -1) {
			expand := t.expander(text, at, random)
			was, is := escape.Replace(text[at[0]:at[1]]), escape.Replace(expand(replace))
			start := span[0] + at[0]
			if m.In == "rules" && t.isJSON() {
				if strings.Count(t.text, was) != 1 {
					continue
				}
				start = strings.Index(t.text, was)
			}
			line := strings.LastIndex(t.text[:start], "\n") + 1
			if was == is || strings.Index(t.text[line:], was) != start-line {
				continue
			}
			c := mistake{Template: t.name, At: 1 + strings.Count(t.text[:line], "\n"), Find: was, Replace: is}
			lines := strings.Split(t.text[:start]+is+t.text[start+len(was):], "\n")
			here := c.At + blankLines(is)
			for _, p := range m.Lines {
				c.Lines = append(c.Lines, t.place(lines, here, expand(p))...)
			}
			if m.Lines == nil {
				c.Lines = []int{here}
			}
			slices.Sort(c.Lines)
			c.Lines = slices.Compact(c.Lines)
			for _, cure := range m.Cure {
				c.Cure = append(c.Cure, expand(cure))
			}
			all = append(all, c)
		}
	}
	return all
}

// blankLines returns how many lines precede the first text.
func blankLines(text string) int {
	return strings.Count(text[:len(text)-len(strings.TrimLeft(text, " \n"))], "\n")
}

// place returns lines: +1 is that after the mistake, <TEXT the nearest with a text at or before it in
// its rule, >TEXT the nearest at or after it, and *TEXT all. TEXT is a regular expression.
func (t template) place(lines []string, here int, where string) []int {
	if where[0] == '+' || where[0] == '-' {
		by, _ := strconv.Atoi(where)
		if t.isJSON() && strings.Contains(lines[here-1], "validations") { // it has all rules
			by = 0
		}
		return []int{here + by}
	}
	text := regexp.MustCompile(where[1:])
	var all []int
	for i, line := range lines {
		if text.MatchString(line) {
			all = append(all, i+1)
		}
	}
	switch where[0] {
	case '<':
		begin := here
		for begin > 1 && !ruleBegin.MatchString(lines[begin-1]) {
			begin--
		}
		all = slices.DeleteFunc(all, func(at int) bool { return at < begin || at > here })
		return all[max(0, len(all)-1):]
	case '>':
		all = slices.DeleteFunc(all, func(at int) bool { return at < here })
		return all[:min(len(all), 1)]
	}
	return all
}

var tokens = regexp.MustCompile(`[$~^%][0-9]|@|\{[nulkm]\}`)

// expander returns a function that fills in what a mutation has found. It makes the same of the same
// token, however often it is called.
func (t template) expander(text string, at []int, random *rand.Rand) func(string) string {
	known := map[string]string{}
	group := func(digit byte) string {
		n := 2 * int(digit-'0')
		if n >= len(at) || at[n] < 0 {
			return ""
		}
		return text[at[n]:at[n+1]]
	}
	return func(in string) string {
		return tokens.ReplaceAllStringFunc(in, func(token string) string {
			made, ok := known[token]
			if !ok {
				made = t.make(token, group, random)
				known[token] = made
			}
			return made
		})
	}
}

func (t template) make(token string, group func(byte) string, random *rand.Rand) string {
	switch word := group(token[len(token)-1]); token[0] {
	case '~':
		return typingError(word, random)
	case '^':
		return wrongCase(word)
	case '%':
		others := otherWords[word]
		return others[random.IntN(len(others))]
	case '@':
		others := slices.DeleteFunc(slices.Clone(t.names), func(name string) bool { return name == group('2') })
		return others[random.IntN(len(others))]
	case '{':
		return unit(cmp.Or(group('2'), "0"), token[1])
	default:
		return word
	}
}

// typingError swaps two letters, or leaves one out.
func typingError(word string, random *rand.Rand) string {
	for {
		i := random.IntN(len(word) - 1)
		typed := word[:i+1] + word[i+2:]
		if random.IntN(2) == 0 {
			typed = word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
		}
		if typed != word {
			return typed
		}
	}
}

func wrongCase(word string) string {
	if lower := strings.ToLower(word); lower != word {
		return lower
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// otherWords are what authors write who know the notion from elsewhere.
var otherWords = map[string][]string{
	"rule": {"type", "kind", "check"}, "message": {"msg", "text", "description"}, "path": {"jsonpath", "field", "jsonPath"},
	"name": {"id", "key", "title"}, "values": {"enum", "options", "allowed"}, "regex": {"pattern", "regexp", "match"},
	"min": {"minimum", "minValue", "gte"}, "max": {"maximum", "maxValue", "lte"}, "valid": {"when", "if", "condition"},
	"justWarning": {"warning", "warn", "warningOnly"}, "minLength": {"minLen", "min_length"}, "maxLength": {"maxLen", "max_length"},
	"integer": {"int", "number", "range", "quantity"}, "enum": {"list", "enumeration", "oneOf"}, "string": {"text", "length", "str"},
	"disk": {"cdrom", "lun"}, "cdrom": {"disk"},
}

// unit returns bytes in another unit: their number in the largest (n), its name (u) and its first letter
// (l), KiB (k) or MiB (m).
func unit(bytes string, what byte) string {
	n, err := strconv.Atoi(bytes)
	if err != nil {
		log.Fatal(err)
	}
	name, size := "Mi", 1<<20
	if n%(1<<30) == 0 {
		name, size = "Gi", 1<<30
	}
	return map[byte]string{'n': strconv.Itoa(n / size), 'u': name, 'l': name[:1], 'k': strconv.Itoa(n >> 10), 'm': strconv.Itoa(n >> 20)}[what]
}
