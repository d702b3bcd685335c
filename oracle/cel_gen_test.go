package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A celCase is one comparison: rules, and a VM in one of its forms. re2 has the RE2
// spelling of each pattern in the rules and the VM; other strings are not patterns.
type celCase struct {
	rules   []celRule
	content map[string]any // the value that the rules call $
	form    celForm
	re2     map[string]string
}

// A celForm is the kind of the object that holds the rules' root.
type celForm string

const (
	celVM  celForm = "VirtualMachine"
	celVMI celForm = "VirtualMachineInstance"
)

func (c celCase) object() map[string]any {
	if c.form == celVM {
		return map[string]any{"kind": string(celVM), "spec": map[string]any{"template": c.content}}
	}
	object := map[string]any{"kind": string(celVMI)}
	for name, member := range c.content {
		object[name] = member
	}
	return object
}

// A celGen generates a set of rules and VMs for it. While it makes rules, it records which
// values would be interesting where, such as those at a limit.
type celGen struct {
	*rand.Rand
	plants []celPlant
	re2    map[string]string
	names  int // of groups in patterns
}

// A celPlant is a place in a VM and the values that it should often hold.
type celPlant struct {
	at     celPath
	values []any
	exact  bool // the place is for an argument: use these values, not similar ones
}

func newCELGen(seed, n uint64) *celGen {
	return &celGen{Rand: rand.New(rand.NewPCG(seed, n)), re2: map[string]string{}}
}

func (g *celGen) chance(percent int) bool { return g.IntN(100) < percent }

func celPick[T any](g *celGen, from ...T) T { return from[g.IntN(len(from))] }

var celKinds = []string{"integer", "string", "enum", "regex"}

const celUnknownKind = "range"

func (g *celGen) rules() []celRule {
	rules := make([]celRule, 1+g.IntN(4))
	for i := range rules {
		rules[i] = g.rule()
	}
	return rules
}

func (g *celGen) rule() celRule {
	r := celRule{
		Kind: celPick(g, celKinds...), Path: g.path(celPlaces),
		JustWarning: g.chance(20), Arguments: map[string]celOperand{},
	}
	if g.chance(3) {
		r.Kind = celUnknownKind
	}
	if g.chance(30) {
		r.Valid = g.valid(r.Path)
	}
	var interesting []any
	for range g.weighted(6, 54, 28, 12) {
		switch key := celPick(g, celArguments...); key {
		case "min", "max":
			interesting = append(interesting, g.bounds(r, key)...)
		case "minLength", "maxLength":
			interesting = append(interesting, g.lengths(r, key)...)
		case "values":
			interesting = append(interesting, g.values(r)...)
		case "regex":
			interesting = append(interesting, g.regex(r)...)
		}
	}
	if interesting == nil {
		interesting = []any{g.scalar(r.Kind), g.anything()}
	}
	g.plants = append(g.plants, celPlant{at: r.Path, values: interesting})
	return r
}

// weighted returns a random index, in proportion to its weight.
func (g *celGen) weighted(weights ...int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	n := g.IntN(total)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	panic("unreachable")
}

// Places that rules judge, and places that arguments and patterns are read from.
var (
	celPlaces = []string{
		"metadata labels tier", "metadata annotations vm.kubevirt.io/os",
		"spec domain cpu cores", "spec domain cpu sockets", "spec domain cpu model", "spec domain memory guest",
		"spec domain machine type", "spec terminationGracePeriodSeconds", "spec hostname",
		"spec domain devices disks * disk bus", "spec domain devices disks * cache",
		"spec domain devices disks * bootOrder", "spec domain devices disks * name",
		"spec domain devices interfaces * model", "spec domain devices interfaces * ports * port",
		"spec domain devices interfaces * ports * protocol",
		"spec networks * name", "spec tags *", "spec matrix * *",
	}
	celArgumentPlaces = []string{
		"metadata labels licensed-cores", "metadata labels example.com/limit", "spec limits a", "spec limits b",
		"spec limits c", "spec domain cpu threads", "spec quota * size", "spec domain devices disks * serial",
	}
	celPatternPlaces = []string{"metadata labels pattern", "spec patterns a", "spec patterns b", "spec patterns c"}
)

// path returns one of the places. Rarely, it changes a step.
func (g *celGen) path(places []string) celPath {
	p := celPath{Style: celStyle(g.IntN(int(celStyles)))}
	for step := range strings.FieldsSeq(celPick(g, places...)) {
		switch {
		case step != "*":
			p.Steps = append(p.Steps, step)
		case g.chance(40):
			p.Steps = append(p.Steps, g.IntN(5)-2)
		default:
			p.Steps = append(p.Steps, celEach{})
		}
	}
	return p
}

// valid returns a path for the key valid of a rule about path: path itself, a part of it
// from the beginning, or any.
func (g *celGen) valid(path celPath) celPath {
	switch {
	case g.chance(30):
		return path
	case g.chance(40):
		return celPath{Steps: path.Steps[:1+g.IntN(len(path.Steps))], Style: path.Style}
	}
	return g.path(celPlaces)
}

// operand returns a literal, or a path to a place where VMs often have it.
func (g *celGen) operand(literal any, places []string) celOperand {
	if !g.chance(35) {
		return celOperand{Literal: literal}
	}
	return celOperand{Path: g.planted(literal, places)}
}

func (g *celGen) planted(value any, places []string) celPath {
	at := g.path(places)
	g.plants = append(g.plants, celPlant{at: at, values: []any{value}, exact: true})
	return at
}

// bounds adds min or max, or both, and returns numbers around them.
func (g *celGen) bounds(r celRule, key string) []any {
	low := celPick(g, g.IntN(12), -g.IntN(5), 1000*g.IntN(9), 1024*g.IntN(9), g.IntN(4)<<30)
	high := low + g.IntN(4)
	both := g.chance(30)
	if both || key == "min" {
		r.Arguments["min"] = g.operand(g.number(low, "integer"), celArgumentPlaces)
	}
	if both || key == "max" {
		r.Arguments["max"] = g.operand(g.number(high, "integer"), celArgumentPlaces)
	}
	return []any{
		g.number(low-1, r.Kind), g.number(low, r.Kind), g.number(low, r.Kind), g.number(high, r.Kind), g.number(high, r.Kind),
		g.number(high+1, r.Kind), g.fraction(low, r.Kind), celPick(g, celOdd...),
	}
}

// number returns n in one of its forms: for a string rule, as a string.
func (g *celGen) number(n int, kind string) any {
	if kind != "string" && g.chance(60) {
		return json.Number(fmt.Sprintf(celPick(g, "%d", "%d", "%d.0", "%d.00", "%de0"), n))
	}
	forms := []string{"%d", "%d", "%d000m", "%d.0", "%de0", "%dE-0", "%d."}
	if n >= 0 {
		forms = append(forms, "+%d", "00%d")
	}
	form := celPick(g, forms...)
	for _, unit := range []struct {
		size   int
		suffix string
	}{{1 << 30, "Gi"}, {1 << 20, "Mi"}, {1 << 10, "Ki"}, {1000, "k"}, {1000, "e3"}} {
		if n != 0 && n%unit.size == 0 && g.chance(50) {
			n, form = n/unit.size, "%d"+unit.suffix
			break
		}
	}
	return fmt.Sprintf(form, n)
}

// fraction returns a number a little more than n.
func (g *celGen) fraction(n int, kind string) any {
	forms := []string{"%d500m", "%d.5", "%d.500"}
	if kind == "string" || g.chance(50) {
		return fmt.Sprintf(celPick(g, forms...), n)
	}
	if n > 99_999 {
		n = 99_999 // CEL renders larger ones with an exponent
	}
	return json.Number(fmt.Sprintf(celPick(g, forms[1:]...), n))
}

// celOdd are values that readers of numbers often misread.
var celOdd = []any{
	"", " 1", "1 ", "1K", "1kb", "1Kib", "e3", ".", ".5", "+5", "-1", "--1", "0x10", "1e", "1E", "1e3", "1E3", "e10000", "1e+3", "1.5e3", "100u",
	"1n", "0.5Ki", "0.5k", "1.5Gi", "1_000", "1,5", "Inf", "NaN", "true", "١", "5Ei", "1P", "-0", "0.0", "1e-3", "1e-9", "m", "Gi", "1m",
	json.Number("-0"), json.Number("-0.0"), json.Number("0.0001"), json.Number("1e3"), json.Number("15e2"), json.Number("1E-2"),
	json.Number("9007199254740993"), json.Number("-9223372036854775808"), json.Number("9223372036854775807"),
	json.Number("4.5e15"), json.Number("0.1"), json.Number("0.30000000000000004"), true, false,
	"9007199254740993",
}

// lengths adds minLength or maxLength, or both, and returns texts of about that length.
func (g *celGen) lengths(r celRule, key string) []any {
	low := g.IntN(8)
	high := low + g.IntN(3)
	both := g.chance(30)
	if both || key == "minLength" {
		r.Arguments["minLength"] = g.operand(g.length(low), celArgumentPlaces)
	}
	if both || key == "maxLength" {
		r.Arguments["maxLength"] = g.operand(g.length(high), celArgumentPlaces)
	}
	return []any{
		g.text(low-1, r.Kind), g.text(low, r.Kind), g.text(low, r.Kind),
		g.text(high, r.Kind), g.text(high, r.Kind), g.text(high+1, r.Kind),
	}
}

func (g *celGen) length(n int) json.Number {
	return json.Number(fmt.Sprintf(celPick(g, "%d", "%d", "%d.0", "%de0"), n))
}

// text returns a value that renders in n code points: digits for an integer rule.
func (g *celGen) text(n int, kind string) any {
	if kind == "integer" || kind != "string" && g.chance(20) {
		digits := "1" + strings.Repeat("0", min(max(n-1, 0), 12))
		switch g.IntN(4) {
		case 0:
			return digits
		case 1:
			return json.Number(fmt.Sprintf("1e%d", len(digits)-1))
		case 2:
			return json.Number(digits + ".0")
		}
		return json.Number(digits)
	}
	if kind != "string" && n == 4 && g.chance(20) {
		return true
	}
	var s strings.Builder
	for range max(n, 0) {
		s.WriteRune(celPick(g, 'a', 'Z', '7', '-', ' ', 'é', '\u0301', '世', '😀', '\n', '"', '\\'))
	}
	return s.String()
}

var celWords = []any{"virtio", "scsi", "sata", "VirtIO", "q35", "pc-q35-rhel8.2.0", "", "e1000", "naïve", "a b", "null", "it's"}

// values adds values, and returns values that it allows or nearly allows.
func (g *celGen) values(r celRule) []any {
	var literals, interesting []any
	for range g.weighted(5, 25, 40, 30) {
		literal := g.scalar(r.Kind)
		literals = append(literals, literal)
		interesting = append(interesting, literal, literal, literal, g.another(literal, r.Kind))
	}
	if g.chance(25) {
		r.Arguments["values"] = g.valuesAt(literals)
	} else {
		r.Arguments["values"] = g.valuesOf(literals)
	}
	return append(interesting, g.scalar(r.Kind))
}

// valuesAt returns a path to the list, or to each of its items.
func (g *celGen) valuesAt(literals []any) celOperand {
	list := append([]any{}, literals...)
	at := g.planted(list, []string{"spec limits a", "spec limits b", "spec limits c"})
	if g.chance(20) {
		at = celPath{Steps: append(at.Steps[:len(at.Steps):len(at.Steps)], celEach{}), Style: at.Style}
	}
	return celOperand{Path: at}
}

func (g *celGen) valuesOf(literals []any) celOperand {
	items := []celOperand{}
	paths := g.chance(50)
	for _, literal := range literals {
		switch {
		case !paths:
			items = append(items, celOperand{Literal: literal})
		case g.chance(15):
			items = append(items, celOperand{Path: g.planted([]any{literal, "more"}, celArgumentPlaces)})
		default:
			items = append(items, g.operand(literal, celArgumentPlaces))
		}
	}
	return celOperand{Items: items}
}

// scalar returns a value that a rule of the kind could judge.
func (g *celGen) scalar(kind string) any {
	switch {
	case kind == "integer" || kind != "string" && g.chance(30):
		return g.number(g.IntN(20), kind)
	case kind != "string" && g.chance(20):
		return g.chance(50)
	}
	return celPick(g, celWords...)
}

// another returns the same value in another form, or a similar one.
func (g *celGen) another(v any, kind string) any {
	text := fmt.Sprint(v)
	if n, err := strconv.Atoi(text); err == nil && g.chance(70) {
		return g.number(n, kind)
	}
	if kind == "integer" {
		return g.number(g.IntN(20), kind)
	}
	return celPick[any](g, text, strings.ToUpper(text), text+" ", text+"x")
}

// anything returns a value of any type.
func (g *celGen) anything() any {
	switch g.IntN(6) {
	case 0:
		return nil
	case 1:
		return celPick[any](g, []any{}, []any{"virtio"}, []any{nil, json.Number("1")}, []any{[]any{"scsi"}})
	case 2:
		return celPick[any](g, map[string]any{}, map[string]any{"name": "x", "bus": nil})
	case 3:
		return celPick(g, celOdd...)
	case 4:
		return g.number(g.IntN(20), "integer")
	}
	return celPick(g, celWords...)
}

// vm returns a VM with interesting values at most places of the rules, and any values at
// some other places.
func (g *celGen) vm(rules []celRule) celCase {
	var content any = map[string]any{"spec": map[string]any{"domain": map[string]any{}}}
	for _, place := range celPlaces {
		if g.chance(15) {
			p := g.path([]string{place})
			content = g.put(content, p.Steps, g.anything)
		}
	}
	for _, plant := range g.plants {
		if g.chance(95) {
			content = g.put(content, plant.at.Steps, func() any { return g.planting(plant) })
		}
	}
	return celCase{rules: rules, content: content.(map[string]any), form: celPick(g, celVM, celVMI), re2: g.re2}
}

func (g *celGen) planting(p celPlant) any {
	percent := 88
	if p.exact {
		percent = 94
	}
	switch {
	case g.chance(percent):
		return celPick(g, p.values...)
	case p.isPattern():
		return celPick[any](g, nil, json.Number("1"), "(", []any{"a"})
	}
	return g.anything()
}

// isPattern reports whether the place holds only patterns. CEL would not know the RE2
// spelling of any other string there.
func (p celPlant) isPattern() bool {
	return strings.Contains(p.at.String(), "pattern")
}

// put returns v with values at all places that the steps select. It makes places that are
// missing.
func (g *celGen) put(v any, steps []any, value func() any) any {
	if len(steps) == 0 {
		return value()
	}
	if name, ok := steps[0].(string); ok {
		object, ok := v.(map[string]any)
		if !ok {
			object = map[string]any{}
		}
		object[name] = g.put(object[name], steps[1:], value)
		return object
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{} // a nil one would be null
	}
	for range g.itemsFor(steps[0], len(list)) {
		list = append(list, g.put(nil, steps[1:], value))
	}
	for i := range list {
		if g.selects(steps[0], i, len(list)) {
			list[i] = g.put(list[i], steps[1:], value)
		}
	}
	return list
}

// itemsFor returns how many items a list lacks for a step; rarely, too few.
func (g *celGen) itemsFor(step any, have int) int {
	want := g.weighted(1, 10, 7, 4)
	if i, ok := step.(int); ok && g.chance(95) {
		want = max(want, i+1, -i)
	}
	return max(want-have, 0)
}

func (g *celGen) selects(step any, i, length int) bool {
	index, ok := step.(int)
	return !ok && g.chance(95) || ok && (index == i || index+length == i)
}

// regex adds a pattern, and returns strings that it matches or nearly matches.
func (g *celGen) regex(r celRule) []any {
	p := g.pattern(r.Kind == "integer")
	g.re2[p.pcre] = p.re2
	r.Arguments["regex"] = g.operand(p.pcre, celPatternPlaces)
	var interesting []any
	for _, sample := range p.samples {
		interesting = append(interesting, sample, sample)
		if n, err := strconv.Atoi(sample); err == nil && r.Kind != "string" && strconv.Itoa(n) == sample {
			interesting = append(interesting, json.Number(sample), json.Number(sample+".0"))
		}
		if r.Kind != "integer" {
			interesting = append(interesting, sample+"\n", "x"+sample, sample+" 1", strings.ToUpper(sample), strings.TrimLeft(sample, "a1"))
		}
	}
	return append(interesting, g.scalar(r.Kind), g.scalar(r.Kind))
}

// A celPattern is a pattern that PCRE and RE2 can both express, and strings that it
// matches.
type celPattern struct {
	pcre, re2 string
	samples   []string
}

// pattern returns one or two branches, for digits only or for any text.
func (g *celGen) pattern(digits bool) celPattern {
	flags := ""
	if g.chance(25) {
		flags = celPick(g, "(?i)", "(?s)", "(?m)", "(?mi)", "(?x)")
	}
	p := celPattern{pcre: flags, re2: strings.ReplaceAll(flags, "(?x)", "")}
	for i := range 1 + g.weighted(3, 1) {
		if i > 0 {
			p.pcre, p.re2 = p.pcre+"|", p.re2+"|"
		}
		branch := g.branch(digits, strings.Contains(flags, "m"))
		p.pcre += branch.pcre
		p.re2 += branch.re2
		p.samples = append(p.samples, branch.samples...)
	}
	return p
}

// branch returns a few parts, perhaps anchored. After ^, it generates no first part that
// can match nothing: with (?m), RE2 also lets ^ match after a final newline.
func (g *celGen) branch(digits, multiline bool) celPattern {
	var p celPattern
	if g.chance(45) {
		start := celPick(g, "^", "^", `\A`, `\b`)
		p.pcre, p.re2 = start, start
	}
	sample := ""
	for i := range 1 + g.IntN(3) {
		part := g.part(digits, i > 0)
		p.pcre += part.pcre
		p.re2 += part.re2
		sample += part.samples[0]
	}
	p.samples = []string{sample}
	if g.chance(45) {
		// PCRE's $ also matches before a final newline.
		end := celPick(g, [2]string{"$", `(?:\n?\z)`}, [2]string{"$", `(?:\n?\z)`}, [2]string{`\Z`, `(?:\n?\z)`}, [2]string{`\z`, `\z`})
		if multiline && end[0] == "$" {
			end[1] = "$"
		}
		p.pcre += end[0]
		p.re2 += end[1]
	}
	return p
}

// part returns an atom or a group, perhaps repeated.
func (g *celGen) part(digits, maybeNothing bool) celPattern {
	p := g.atom(digits)
	if !digits && g.chance(20) {
		q := g.atom(digits)
		open := celPick(g, "(", "(?:")
		p.pcre = open + p.pcre + "|" + q.pcre + ")"
		p.re2 = open + p.re2 + "|" + q.re2 + ")"
	}
	if !g.chance(40) {
		return p
	}
	again := celPick(g, "+", "+?", "{1,3}", "{2}", "{1,}")
	if maybeNothing {
		again = celPick(g, "*", "?", "*?", "{0,2}", again)
	}
	if again == "{2}" || g.chance(30) && strings.ContainsAny(again, "+*,") {
		p.samples = []string{p.samples[0] + p.samples[0]}
	}
	p.pcre += again
	p.re2 += again
	return p
}

func (g *celGen) atom(digits bool) celPattern {
	from := celAtoms
	if digits {
		from = celDigits
	}
	atom := slices.Clone(celPick(g, from...))
	if strings.Contains(atom[0], "<bus>") { // PCRE refuses a name that is used twice
		g.names++
		name := fmt.Sprintf("<bus%d>", g.names)
		atom[0], atom[1] = strings.Replace(atom[0], "<bus>", name, 1), strings.Replace(atom[1], "<bus>", name, 1)
	}
	return celPattern{pcre: atom[0], re2: atom[1], samples: atom[2:]}
}

// Atoms in PCRE, the same in RE2, and strings that they match. Without UCP, PCRE's classes
// are ASCII, like RE2's; only PCRE's \s has the vertical tab.
var (
	celDigits = [][]string{
		{"1", "1", "1"}, {`\d`, `\d`, "7"}, {"[1-9]", "[1-9]", "4"}, {"[[:digit:]]", "[[:digit:]]", "5"},
		{"(?:10|12)", "(?:10|12)", "12"}, {".", ".", "2"}, {"[^5-9]", "[^5-9]", "3"}, {`\w`, `\w`, "8"}, {`\D?1`, `\D?1`, "1"},
	}
	celAtoms = append([][]string{
		{"virtio", "virtio", "virtio"}, {"scsi", "scsi", "scsi"}, {"a", "a", "a"}, {"[a-z]", "[a-z]", "q"},
		{`\.`, `\.`, "."}, {`\w`, `\w`, "_"}, {`\W`, `\W`, "-"}, {`\s`, `[\t-\r ]`, " "}, {`\S`, `[^\t-\r ]`, "é"},
		{`[^a-c]`, `[^a-c]`, "世"}, {"é", "é", "é"}, {`\x{e9}`, "é", "é"}, {`\xe9`, "é", "é"}, {"[^é]", "[^é]", "😀"},
		{`\Qa.b\E`, `a\.b`, "a.b"}, {`[\h]`, `[\t\x{20}\x{a0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}]`, "\t"},
		{`\N`, `[^\n]`, "n"}, {`[[:alpha:]]`, "[[:alpha:]]", "Z"}, {`[\d_-]`, `[\d_-]`, "-"}, {`(?i:Q)35`, `(?i:Q)35`, "q35"},
		{`(?<bus>sata|ide)`, `(?P<bus>sata|ide)`, "sata"}, {`e1000e`, `e1000e`, "e1000e"}, {`[^\W\d]`, `[A-Za-z_]`, "b"}, {`\p{L}`, `\p{L}`, "É"}, {`\P{L}`, `\P{L}`, "9"},
	}, celDigits...)
)
