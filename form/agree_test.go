package form_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/internal/value"
)

// satisfies reports whether a value satisfies constraints. It follows only their
// documentation.
func satisfies(d form.Constraints, v any) (ok bool) {
	s, isScalar := value.ScalarOf(v)
	switch {
	case d.Type == "":
		return true
	case !isScalar || s.Err() != nil:
		return false
	}
	n, err := s.Quantity()
	isString, isNumber := s.Shape() == value.String, err == nil
	switch d.Type {
	case form.TypeString:
		ok = isString
	case form.TypeNumber:
		ok = isNumber
	case form.TypeInteger:
		ok = isNumber && n.IsInteger()
	case form.TypeQuantity:
		ok = isString && isNumber
	case form.TypeIntegralQuantity:
		ok = isString && isNumber && n.IsInteger()
	case form.TypeScalar:
		ok = true
	}
	rendered := s.String()
	length := big.NewRat(int64(utf8.RuneCountInString(rendered)), 1)
	ok = ok && (d.Min == "" && d.Max == "" || isNumber && isBetween(rational(n.String()), d.Min, d.Max)) &&
		isBetween(length, d.MinLength, d.MaxLength) &&
		(d.Values == nil || slices.Contains(d.Values, rendered))
	for _, p := range d.Patterns {
		r, err := pcre.Compile(p, budgetOf(time.Minute))
		if err != nil {
			return false
		}
		matched, err := r.Match(rendered, budgetOf(time.Minute))
		ok = ok && matched && err == nil
	}
	return ok
}

// isBetween reports whether least <= x <= most, where "" means no bound.
func isBetween(x *big.Rat, least, most json.Number) bool {
	return (least == "" || x.Cmp(rational(string(least))) >= 0) && (most == "" || x.Cmp(rational(string(most))) <= 0)
}

func rational(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}

// checkLimits checks that limits agree with Validate about the values in the object.
func checkLimits(t *testing.T, rules vmrules.Rules, object map[string]any, partial bool, opts ...vmrules.ValidateOption) (checked int) {
	t.Helper()
	limits := form.Limits(rules, object, opts...)
	report := vmrules.Validate(rules, object, opts...)
	type field struct{ target, path string }
	found := map[field][]vmrules.Result{}
	for _, r := range report.Results() {
		if rule, ok := rules.ByName(r.Rule); ok && !rule.JustWarning {
			f := field{r.Target, keyOf(r.Path)}
			found[f] = append(found[f], r)
		}
	}
	for _, l := range limits {
		if l.Path.IsZero() {
			break
		}
		of := found[field{l.Target, keyOf(l.Path)}]
		faultless := !slices.ContainsFunc(of,
			func(r vmrules.Result) bool {
				return r.Outcome == vmrules.OutcomeViolated || r.Outcome == vmrules.OutcomeUndecided
			})
		if dependsOnMore(of) {
			continue
		}
		want := !l.Must.Required || len(l.Fields) > 0 || partial
		for _, f := range l.Fields {
			want = want && (partial && f.Value == "" || satisfies(l.Must, f.Value))
		}
		if l.Must.Undecided != nil {
			if partial || len(l.Fields) == 0 { // its rule may still be Skipped
				continue
			}
			want = false
		}
		checked++
		if faultless != want {
			t.Fatalf("%s\nfor %s:\nlimits say %t: %s\nValidate: %s", rules, mustJSON(object), want, mustJSON(l), mustJSON(of))
		}
	}
	return checked
}

// dependsOnMore reports whether Validate could not judge a value, for a reason that a Limit
// does not include.
func dependsOnMore(results []vmrules.Result) bool {
	return slices.ContainsFunc(results, func(r vmrules.Result) bool {
		return notOfLimits.MatchString(r.Note + detailOf(r))
	})
}

var notOfLimits = regexp.MustCompile(`instance type|preference|parameter|UTF-8|1,000|10,000|too many|used up|memory on this|too long`)

func TestLimitsAgreeWithVectors(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	checked := 0
	for _, vectors := range readVectors(t) {
		for _, v := range vectors {
			rules, err := vmrules.ParseRules(v.Text(), v.parseOptions()...)
			if err != nil || len(v.Object) == 0 {
				continue
			}
			for _, decode := range []func(json.RawMessage) map[string]any{decodeExactly, decodeOddly} {
				object, opts := decode(v.Object), v.validateOptions(t, decode)
				checked += checkLimits(t, rules, object, v.Options.Partial, opts...)
				checkSchema(t, rules, object, opts...)
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d limits were checked", checked)
	}
}

// A limitGen generates rules on the fields of one object, and values for them.
type limitGen struct{ *rand.Rand }

func (g limitGen) pick(from ...string) string { return from[g.IntN(len(from))] }

var limitFields = []string{".a", ".b.c", ".cpu.cores", ".list[*].d", ".list[1].d"}

func (g limitGen) rules(n int) string {
	var rules []string
	for range n {
		r := fmt.Sprintf(`{"rule": %q, "path": %q`, g.pick("integer", "string", "enum", "regex"), g.pick(limitFields...))
		for range g.IntN(4) {
			switch g.IntN(7) {
			case 0:
				r += fmt.Sprintf(`, "min": %s`, g.pick("0", "1", "1.5", `"1k"`, "3", `"jsonpath::.spec.domain.x"`))
			case 1:
				r += fmt.Sprintf(`, "max": %s`, g.pick("1", "2", "2.5", `"1Ki"`, "1e3", `"jsonpath::.spec.domain.y"`))
			case 2:
				r += fmt.Sprintf(`, "minLength": %s`, g.pick("0", "1", "2", `"jsonpath::.spec.domain.x"`))
			case 3:
				r += fmt.Sprintf(`, "maxLength": %s`, g.pick("1", "2", "4", `"jsonpath::.spec.domain.nothing"`))
			case 4:
				r += fmt.Sprintf(`, "values": %s`,
					g.pick(`["a", 1, true, "1Ki"]`, `[1, 2, 1e3, "jsonpath::.spec.domain.x"]`, `["abc", "ab", "1"]`, `[]`,
						`"jsonpath::.spec.domain.some"`))
			case 5:
				r += fmt.Sprintf(`, "regex": %s`, g.pick(`"^a"`, `"^[0-9]+$"`, `"(a)|\\1b|^1"`, `"e"`, `"jsonpath::.spec.domain.p"`))
			case 6:
				r += fmt.Sprintf(`, "valid": %q`, g.pick(append(limitFields, ".b", ".cpu", ".list[*]", ".x", ".nothing")...))
			}
		}
		if g.IntN(5) == 0 {
			r += `, "justWarning": true`
		}
		rules = append(rules, r+"}")
	}
	return strings.Join(rules, ",")
}

// withoutDuplicates keeps the last of several members with the same name.
func withoutDuplicates(t testing.TB, rules string) string {
	var decoded []any
	if err := json.Unmarshal([]byte("["+rules+"]"), &decoded); err != nil {
		t.Fatal(err)
	}
	text := string(mustJSON(decoded))
	return text[1 : len(text)-1]
}

// TestLimitsAgreeWithValidate checks that a value satisfies the limit of a field if and only if
// Validate accepts the object once the field has that value.
func TestLimitsAgreeWithValidate(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	const domain = `{"x": 1, "y": 2, "some": ["a", "ab", 1], "p": "^a", "cpu": {}, "b": {}, "list": [{}, {}]}`
	candidates := []string{"0", "1", "2", "1.5", "1e3", "-1", "1e400", `""`, `"1"`, `"a"`, `"ab"`, `"abc"`, `"abcde"`, `"1Ki"`, `"500m"`,
		`"2.0"`, `"1k"`, "true", "false", "[]", "{}"}
	satisfied, not := 0, 0
	for n := range uint64(400) {
		g := limitGen{rand.New(rand.NewPCG(seeds.Of(1), n))}
		rules := limitRules(t, withoutDuplicates(t, g.rules(1+g.IntN(4))))
		before := vmWith(domain)
		for _, l := range form.Limits(rules, before, withTime) {
			field := strings.TrimPrefix(l.Path.String(), "jsonpath::.spec.domain")
			for _, candidate := range candidates {
				after := vmWith(domain)
				put(after, strings.ReplaceAll(field, "[*]", "[0]"), decodeAny(candidate))
				var results []vmrules.Result
				for _, r := range vmrules.Validate(rules, after, withTime).Results() {
					if rule, _ := rules.ByName(r.Rule); r.Path.Equal(l.Path) && !rule.JustWarning && !appliesAnew(rule.Valid, before, after,
						l.Path) {
						results = append(results, r)
					}
				}
				faultless := !slices.ContainsFunc(results,
					func(r vmrules.Result) bool {
						return r.Outcome == vmrules.OutcomeViolated || r.Outcome == vmrules.OutcomeUndecided
					})
				value := decodeAny(candidate)
				if l.ZeroIsDefault && candidate == "0" {
					value = l.Default
				}
				want := l.Must.Undecided == nil && satisfies(l.Must, value)
				if faultless != want {
					t.Fatalf("case %d: %s\n%s at %s: limits say %t: %s\nValidate: %s", n, rules, candidate, l.Field, want,
						mustJSON(l.Must), mustJSON(results))
				}
				if want && len(results) > 0 {
					satisfied++
				} else {
					not++
				}
			}
			checkLimits(t, rules, before, false, withTime)
		}
	}
	if satisfied < 1500 || not < 5000 {
		t.Errorf("%d values satisfy limits, %d do not", satisfied, not)
	}
}

// appliesAnew reports whether "valid" selects something only because the test put a value at
// a path that does not begin with "valid".
func appliesAnew(valid vmrules.Path, before, after map[string]any, path vmrules.Path) bool {
	there := func(object map[string]any) bool {
		found, _ := valid.Find(below(object, "spec", "template"))
		return len(found) > 0
	}
	return !valid.IsZero() && !strings.HasPrefix(keyOf(path), keyOf(valid)) && !there(before) && there(after)
}

// put sets a field below the domain of a VM. The parents of the field must exist.
func put(vm map[string]any, field string, v any) {
	at := below(vm, "spec", "template", "spec", "domain").(map[string]any)
	names := strings.Split(strings.TrimPrefix(field, "."), ".")
	for _, name := range names[:len(names)-1] {
		name, index, isItem := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		next := at[name]
		if isItem {
			next = next.([]any)[index[0]-'0']
		}
		at = next.(map[string]any)
	}
	at[names[len(names)-1]] = v
}
