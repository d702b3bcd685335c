package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/util/jsonpath"

	"github.com/vmrules/vmrules"
)

const (
	pathCases = 30_000
)

// pathDeviations are the classes of difference that the model can explain.
var pathDeviations = []pathClass{
	classDoubleQuotes, classBlanks, classQuotedName, classBackslash, classDescent, classExponent, classFilterText,
	classEmptyArray, classString, classNumbers, classOnce, classNull, classOneElement, classOperands,
}

// TestJSONPath compares the library's JSONPath with client-go's. For each expression and
// document, both refuse, or both select the same values, or the difference belongs to a
// class in jsonpath_exceptions.md.
func TestJSONPath(t *testing.T) {
	t.Parallel()
	seed, cases := generatorSeed(t, 1), pathCases*factor(t)
	if testing.Short() {
		cases /= 20
	}
	counts := map[string]int{}
	failures := 0
	for i := range cases {
		g := &pathGenerator{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		document := g.document()
		c := pathCase{expression: g.expression(document), document: document}
		v := c.compare()
		for _, name := range v.counted() {
			counts[name]++
		}
		if v.isFailure() {
			failures++
			t.Errorf("case %d: %s", i, c.shrunk())
		}
		if failures == 10 {
			t.Fatal("too many failures")
		}
	}
	t.Logf("%d pairs\n%s", cases, countLines(counts))
	if wanted := cases / 4; counts[sameMatches] < wanted {
		t.Errorf("both select the same values in only %d pairs: the comparison needs at least %d", counts[sameMatches], wanted)
	}
	checkExceptions(t, "jsonpath_exceptions.md", pathClassNames(), counts, !testing.Short())
}

func pathClassNames() []string {
	var names []string
	for _, class := range pathDeviations {
		names = append(names, string(class))
	}
	for _, r := range pathRefusals {
		names = append(names, string(r.class))
	}
	return names
}

// A pathCase is one comparison.
type pathCase struct {
	expression string
	document   any
}

// A pathVerdict is the result of a comparison.
type pathVerdict struct {
	ours, theirs pathAnswer
	classes      []pathClass // that explain a difference
	differs      bool
	wrongModel   *pathAnswer // the model's answer, if it is not client-go's
	unrefused    []pathClass // because of which the library should have refused
}

const (
	bothRefuse  = "both refuse"
	sameNothing = "both select nothing"
	sameMatches = "both select the same values"
	differs     = "differences"
)

func (v pathVerdict) isFailure() bool {
	return v.wrongModel != nil || len(v.unrefused) > 0 || v.differs && len(v.classes) == 0
}

func (v pathVerdict) counted() []string {
	switch {
	case v.differs:
		names := []string{differs}
		for _, class := range v.classes {
			names = append(names, string(class))
		}
		return names
	case v.ours.refused != "":
		return []string{bothRefuse}
	case v.ours.matches == 0:
		return []string{sameNothing}
	}
	return []string{sameMatches}
}

func (c pathCase) compare() pathVerdict {
	v := pathVerdict{ours: c.askLibrary(), theirs: c.askClientGo()}
	if v.ours.refused != "" {
		if v.differs = v.theirs.refused == ""; v.differs {
			v.classes = c.refusal(nil)
		}
		return v
	}
	v.unrefused = c.refusal(everyDeviation())
	plain, byChance := c.askModel(nil)
	if !byChance && !plain.same(v.theirs) {
		v.wrongModel = &plain
	}
	if v.differs = byChance || !v.ours.same(v.theirs); v.differs {
		v.classes = c.explain(v.ours)
	}
	return v
}

// explain finds the classes without which the model does not give the library's answer.
func (c pathCase) explain(ours pathAnswer) []pathClass {
	on := everyDeviation()
	explained := func() bool {
		answer, byChance := c.askModel(on)
		return !byChance && answer.same(ours)
	}
	if !explained() {
		return nil
	}
	for _, class := range pathDeviations {
		if delete(on, class); !explained() {
			on[class] = true
		}
	}
	return slices.Sorted(maps.Keys(on))
}

func everyDeviation() map[pathClass]bool {
	on := map[pathClass]bool{}
	for _, class := range pathDeviations {
		on[class] = true
	}
	return on
}

// refusal finds the class because of which only the library refuses an expression. With
// classes on, client-go reads the expression in its own spelling.
func (c pathCase) refusal(on map[pathClass]bool) []pathClass {
	template := asTemplate(c.expression)
	if on != nil {
		template = "{" + respell(insideTemplate(c.expression), on) + "}"
	}
	parser, err := jsonpath.Parse("", template)
	if err != nil {
		return nil
	}
	return newRefusedPath(c.expression, parser.Root).class()
}

func (c pathCase) askLibrary() pathAnswer {
	path, err := vmrules.ParsePath("jsonpath::" + c.expression)
	if err != nil {
		return pathAnswer{refused: err.Error()}
	}
	var values []any
	matches, err := path.Find(c.document)
	if err != nil {
		return pathAnswer{refused: err.Error()}
	}
	for _, match := range matches {
		values = append(values, match.Value)
	}
	return selected(values)
}

func (c pathCase) askClientGo() (answer pathAnswer) {
	path := jsonpath.New("").AllowMissingKeys(true)
	if err := path.Parse(asTemplate(c.expression)); err != nil {
		return pathAnswer{refused: err.Error()}
	}
	results, err := path.FindResults(c.document)
	if err != nil {
		return pathAnswer{failed: err}
	}
	var values []any
	for _, list := range results {
		for _, v := range list {
			values = append(values, v.Interface())
		}
	}
	return selected(values)
}

// askModel evaluates client-go's tree with the classes that are on. It also reports whether
// the answer depends on chance.
func (c pathCase) askModel(on map[pathClass]bool) (answer pathAnswer, byChance bool) {
	parser, err := jsonpath.Parse("", "{"+respell(insideTemplate(c.expression), on)+"}")
	if err != nil {
		return pathAnswer{refused: err.Error()}, false
	}
	undisguise(parser.Root)
	m := pathModel{on: on}
	values, err := m.list([]any{c.document}, parser.Root)
	if err != nil {
		return pathAnswer{failed: err}, m.byChance
	}
	return selected(values), m.byChance
}

// asTemplate returns an expression in the form that client-go accepts. The library also
// accepts it without braces or the first dot, and with blanks around it.
func asTemplate(expression string) string {
	s := strings.TrimSpace(expression)
	if strings.HasPrefix(s, "{") && !strings.HasSuffix(s, "}") {
		return s
	}
	return "{" + insideTemplate(s) + "}"
}

func insideTemplate(expression string) string {
	s := strings.TrimSpace(expression)
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		s = strings.TrimSpace(strings.TrimSuffix(inner, "}"))
	}
	if s == "" || strings.ContainsRune(".[$@", rune(s[0])) || keyword.MatchString(s) {
		return s
	}
	return "." + s
}

var keyword = regexp.MustCompile(`^(range|end)([ .\[]|$)`)

func (c pathCase) String() string {
	v := c.compare()
	if v.wrongModel != nil {
		return fmt.Sprintf("the model of client-go is wrong\nexpression %q\ndocument   %s\nclient-go  %s\nmodel      %s",
			c.expression, jsonText(c.document), v.theirs, v.wrongModel)
	}
	if len(v.unrefused) > 0 {
		return fmt.Sprintf("the library accepts what it refuses by the class %s\nexpression %q", v.unrefused[0], c.expression)
	}
	return fmt.Sprintf("a difference of no listed class\nexpression %q\ndocument   %s\nlibrary    %s\nclient-go  %s",
		c.expression, jsonText(c.document), v.ours, v.theirs)
}

// shrunk removes parts of a failing case for as long as it still fails.
func (c pathCase) shrunk() pathCase {
	for {
		smaller, ok := c.smaller()
		if !ok {
			return c
		}
		c = smaller
	}
}

func (c pathCase) smaller() (pathCase, bool) {
	for _, document := range smallerParts(c.document, nil) {
		if next := (pathCase{c.expression, document}); next.compare().isFailure() {
			return next, true
		}
	}
	runes := []rune(c.expression)
	for size := len(runes); size > 0; size /= 2 {
		for from := 0; from+size <= len(runes); from++ {
			next := pathCase{string(runes[:from]) + string(runes[from+size:]), c.document}
			if next.compare().isFailure() {
				return next, true
			}
		}
	}
	return c, false
}

func countLines(counts map[string]int) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&lines, "%8d %s\n", counts[name], name)
	}
	return lines.String()
}

var exceptionHeading = regexp.MustCompile("(?m)^- `([^`]+)`: ")

// checkExceptions compares the classes in the code with those that a page lists. A class
// that is missing from either is a failure, and so is a class that explained nothing in a
// full run.
func checkExceptions(t *testing.T, page string, names []string, counts map[string]int, full bool) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, heading := range exceptionHeading.FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, heading[1])
	}
	for _, name := range names {
		if !slices.Contains(listed, name) {
			t.Errorf("%s does not list the class %s", page, name)
		}
		if full && counts[name] == 0 {
			t.Errorf("the class %s explains no difference", name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(names, name) {
			t.Errorf("%s lists the class %s, which the test does not know", page, name)
		}
	}
}
