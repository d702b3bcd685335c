package oracle

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
)

// celExceptions are the classes of what CEL cannot express. Each has an example of a value
// at .spec.hostname for which CEL fails or gives a wrong outcome. cel_exceptions.md gives
// the reasons, by the same names.
var celExceptions = []struct {
	name    string
	kind    string
	key     string
	literal any
	value   any
	want    vmrules.Outcome
}{
	{"numbers beyond int64", "integer", "", nil, json.Number("9223372036854775808"), vmrules.OutcomeSatisfied},
	{"long quantities as integers", "integer", "", nil, "9223372036854775807", vmrules.OutcomeSatisfied},
	{"digits beyond double", "regex", "max", json.Number("0.1"), json.Number("0.10000000000000000001"), vmrules.OutcomeViolated},
	{"quantities finer than nano", "string", "min", "0.5n", "0.1n", vmrules.OutcomeViolated},
	{"binary quantities beyond int64", "string", "max", "8Ei", "16Ei", vmrules.OutcomeViolated},
	{"fractions with an exponent", "regex", "regex", `^\d+\.5$`, json.Number("1234567.5"), vmrules.OutcomeSatisfied},
	{"beyond the bounds", "string", "min", json.Number("1"), "1e1001", vmrules.OutcomeUndecided},
	{"PCRE beyond RE2", "string", "regex", `(a)\1`, "aa", vmrules.OutcomeSatisfied},
	{"PCRE's start of a line", "string", "regex", `(?m)b\n^`, "b\n", vmrules.OutcomeViolated},
	{"case of the long s and the Kelvin sign", "string", "regex", `(?i)^\w$`, "ſ", vmrules.OutcomeViolated},
	{"invalid UTF-8", "string", "regex", `^.`, "\xff", vmrules.OutcomeUndecided},
}

func TestCELExceptions(t *testing.T) {
	var names []string
	for _, x := range celExceptions {
		names = append(names, x.name)
		t.Run(x.name, func(t *testing.T) {
			r := celRule{Kind: x.kind, Path: celPath{Steps: []any{"spec", "hostname"}}, Arguments: map[string]celOperand{}}
			c := celCase{content: map[string]any{"spec": map[string]any{"hostname": x.value}}, form: celVM, re2: map[string]string{}}
			if x.key != "" {
				r.Arguments[x.key] = celOperand{Literal: x.literal}
			}
			if pattern, ok := x.literal.(string); ok && x.key == "regex" {
				c.re2[pattern] = pattern
			}
			set := newCELSet(t, []celRule{r}, celExpressions)
			if got := vmrules.Validate(set.rules, c.object(), withTime).Results()[0].Outcome; got != x.want {
				t.Errorf("%s, want %s", got, x.want)
			}
			if outcomes, _ := set.saysCEL(c); outcomes[0] == string(x.want) {
				t.Error("CEL can say it: it need not be left out")
			}
		})
	}
	if diff := cmp.Diff(names, celExceptionsListed(t)); diff != "" {
		t.Errorf("classes (-here +cel_exceptions.md):\n%s", diff)
	}
}

// celExceptionsListed returns the names in the first table of cel_exceptions.md.
func celExceptionsListed(t *testing.T) []string {
	text, err := os.ReadFile("cel_exceptions.md")
	if err != nil {
		t.Fatal(err)
	}
	section, _, _ := strings.Cut(string(text), "\n## ")
	var names []string
	for _, row := range regexp.MustCompile(`(?m)^\| \*\*(.+?)\*\* \|`).FindAllStringSubmatch(section, -1) {
		names = append(names, row[1])
	}
	return names
}
