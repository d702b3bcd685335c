package vmrules

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

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/pcre"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/value"
)

// limitsJSON are the limits as JSON, without the rules that demands come from
// and the messages.
func limitsJSON(t testing.TB, limits []Limit) any {
	t.Helper()
	decoded, err := value.ThroughJSON(limits)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func TestLimits(t *testing.T) {
	const cpu = `{"cpu": {"cores": 4}, "max": 6, "memory": {"guest": "4Gi"}}`
	tests := []struct {
		name   string
		rules  string // their members but for message, and for name if they have none
		domain string
		opts   []ValidateOption
		want   string // of each limit, what is not mentioned is not compared
	}{
		{"one rule", `{"rule": "integer", "path": ".cpu.cores", "min": 1, "max": 8}`, cpu, nil,
			`[{"path": "jsonpath::.spec.domain.cpu.cores", "field": "spec.template.spec.domain.cpu.cores", "default": 1, "zeroIsDefault": true,
			"fields": [{"field": "spec.template.spec.domain.cpu.cores", "pointer": "/spec/template/spec/domain/cpu/cores", "value": 4}],
			"must": {"type": "integer", "min": 1, "max": 8, "rules": [{"rule": "r0", "message": "m0"}]}}]`},
		{"the tightest bounds", `{"rule": "integer", "path": ".n", "min": 1, "max": "2Gi"}, {"rule": "integer", "path": "['n']", "min": "1k", "max": 2147483649, "minLength": 2},
			{"rule": "enum", "path": ".n", "min": 2, "minLength": 1, "maxLength": 9}`, `{}`, nil,
			`[{"fields": [], "must": {"type": "integer", "required": true, "min": 1000, "max": 2147483648, "minLength": 2, "maxLength": 9,
			"rules": [{"rule": "r0", "message": "m0"}, {"rule": "r1", "message": "m1"}, {"rule": "r2", "message": "m2"}]}}]`},
		{"values in the order of the first", `{"rule": "enum", "path": ".n", "values": ["c", "b", "a", "b", 1e1]}, {"rule": "enum", "path": ".n", "values": ["a", "10", "b"]}`, `{}`, nil,
			`[{"must": {"type": "scalar", "required": true, "values": ["b", "a", "10"]}}]`},
		{"values that satisfy the rest", `{"rule": "integer", "path": ".n", "values": ["1", 2, "3Ki", "x", "1.5", true], "max": 1024, "maxLength": 1}`, `{}`, nil,
			`[{"must": {"values": ["1", "2"]}}]`},
		{"no value is left", `{"rule": "enum", "path": ".n", "values": ["a"]}, {"rule": "enum", "path": ".n", "values": []}`, `{}`, nil,
			`[{"must": {"values": [], "unsatisfiable": true}}]`},
		{"bounds cross", `{"rule": "string", "path": ".n", "minLength": 3}, {"rule": "string", "path": ".n", "maxLength": 2}, {"rule": "integer", "path": ".m", "min": 2, "max": 1}`, `{}`, nil,
			`[{"must": {"type": "string", "minLength": 3, "maxLength": 2, "unsatisfiable": true}}, {"must": {"min": 2, "max": 1, "unsatisfiable": true}}]`},
		{"patterns", `{"rule": "regex", "path": ".n", "regex": "^a"}, {"rule": "string", "path": ".n", "regex": "b$"}, {"rule": "regex", "path": ".n", "regex": "^a"}`, `{}`, nil,
			`[{"must": {"type": "string", "patterns": ["^a", "b$"]}}]`},
		{"types", `{"rule": "enum", "path": ".a", "maxLength": 1}, {"rule": "enum", "path": ".b", "max": 1}, {"rule": "string", "path": ".c", "max": 1},
			{"rule": "integer", "path": ".d"}, {"rule": "string", "path": ".d"}, {"rule": "string", "path": ".e"}, {"rule": "integer", "path": ".f"}`, `{}`, nil,
			`[{"must": {"type": "scalar"}}, {"must": {"type": "number"}}, {"must": {"type": "quantity"}}, {"must": {"type": "integralQuantity"}}, {"must": {"type": "string"}}, {"must": {"type": "integer"}}]`},
		{"warnings apart", `{"rule": "integer", "path": ".n", "min": 1}, {"rule": "integer", "path": ".n", "min": 2, "justWarning": true}`, `{}`, nil,
			`[{"must": {"type": "integer", "required": true, "min": 1}, "should": {"type": "integer", "required": true, "min": 2, "rules": [{"rule": "r1", "message": "m1"}]}}]`},
		{"an argument from a path", `{"rule": "integer", "path": ".cpu.cores", "max": "jsonpath::.spec.domain.max"}`, cpu, nil, `[{"must": {"max": 6}}]`},
		{"an argument that is not there", `{"rule": "integer", "path": ".cpu.cores", "min": 1, "max": "jsonpath::.spec.domain.nothing"}`, cpu, nil,
			`[{"must": {"min": 1, "undecided": [{"rule": "r0", "message": "m0", "argument": "max", "note": "max cannot be read: jsonpath::.spec.domain.nothing is not there"}]}}]`},
		{"an argument that may come", `{"rule": "integer", "path": ".cpu.cores", "max": "jsonpath::.spec.domain.nothing", "values": [1, "jsonpath::.spec.domain.more"]}`, cpu, []ValidateOption{Partial()},
			`[{"must": {"type": "integer", "undecided": [{"rule": "r0", "message": "m0", "argument": "max", "note": "max is not filled in yet"},
			{"rule": "r0", "message": "m0", "argument": "values", "note": "values is not filled in yet"}]}}]`},
		{"valid is there", `{"rule": "integer", "path": ".n", "valid": ".cpu"}`, cpu, nil, `[{"must": {"type": "integer", "required": true}}]`},
		{"valid is not there", `{"rule": "integer", "path": ".n", "valid": ".gpu"}`, cpu, nil,
			`[{"field": "spec.template.spec.domain.n", "must": null, "off": [{"rule": "r0", "message": "m0", "note": "jsonpath::.spec.domain.gpu is not there"}]}]`},
		{"valid comes with the field", `{"rule": "integer", "path": ".gpu.n", "valid": ".gpu"}, {"rule": "string", "path": ".x", "valid": ".x"}`, cpu, nil,
			`[{"off": null, "must": {"type": "integer", "required": null}}, {"must": {"type": "string", "required": null}}]`},
		{"the object of the field is there", `{"rule": "integer", "path": ".cpu.n", "valid": ".cpu"}, {"rule": "integer", "path": ".cpu.cores", "valid": ".cpu.cores"}`, cpu, nil,
			`[{"must": {"required": true}}, {"must": {"required": null}}]`},
		{"a default", `{"rule": "integer", "path": ".cpu.sockets"}`, cpu, nil,
			`[{"default": 1, "fields": [{"field": "spec.template.spec.domain.cpu.sockets", "pointer": "/spec/template/spec/domain/cpu/sockets", "value": 1, "origin": "default"}], "must": {"required": null}}]`},
		{"a default of what is not there", `{"rule": "integer", "path": ".cpu.sockets"}`, `{}`, nil, `[{"default": 1, "fields": [], "must": {"required": true}}]`},
		{"a default of one's own", `{"rule": "integer", "path": ".n"}`, cpu, []ValidateOption{defaultOf(t, "jsonpath::.spec.domain.n", 7)}, `[{"default": 7, "zeroIsDefault": null, "must": {"required": null}}]`},
		{"wildcards", `{"rule": "string", "path": ".disks[*].serial"}`, `{"disks": [{"serial": "a"}, {}]}`, nil,
			`[{"field": "spec.template.spec.domain.disks[*].serial", "fields": [{"field": "spec.template.spec.domain.disks[0].serial", "pointer": "/spec/template/spec/domain/disks/0/serial", "value": "a"}]}]`},
		{"defaults below any step", `{"rule": "integer", "path": "[*].cores"}, {"rule": "integer", "path": "..cores"}, {"rule": "integer", "path": "['cpu'].*"},
			{"rule": "integer", "path": ".*.cores"}, {"rule": "integer", "path": ".cpu['cores','x']"}`, cpu, nil,
			`[{"default": null, "fields": []}, {"default": null}, {"default": null}, {"default": 1}, {"default": 1, "must": {"required": null}}]`},
		{"rules that enforce nothing", `{"rule": "range", "path": ".n"}, {"rule": "enum", "path": ".n"}`, cpu, nil,
			`[{"must": null, "off": [{"rule": "r0", "message": "m0", "note": "the kind \"range\" is not known"}, {"rule": "r1", "message": "m1", "note": "the kind enum without any argument enforces nothing"}]}]`},
		{"another shape", `{"rule": "integer", "path": ".cpu"}`, cpu, nil, `[{"fields": [{"field": "spec.template.spec.domain.cpu", "pointer": "/spec/template/spec/domain/cpu"}]}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := limitsJSON(t, limitRules(t, test.rules).Limits(vmWith(test.domain), test.opts...))
			var want any
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			want, _ = value.ThroughJSON(want)
			if diff := cmp.Diff(want, narrowed(got, want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// narrowed is a value with those members only that another has; null where it
// has none.
func narrowed(v, like any) any {
	switch like := like.(type) {
	case map[string]any:
		narrow := map[string]any{}
		m, ok := v.(map[string]any)
		if !ok {
			return v
		}
		for name, next := range like {
			narrow[name] = narrowed(m[name], next)
		}
		return narrow
	case []any:
		list, _ := v.([]any)
		if len(list) != len(like) {
			return v
		}
		narrow := []any{}
		for i := range like {
			narrow = append(narrow, narrowed(list[i], like[i]))
		}
		return narrow
	}
	return v
}

// limitRules reads rules whose paths begin at .spec.domain.
func limitRules(t testing.TB, text string) Rules {
	t.Helper()
	var rules []map[string]any
	if err := json.Unmarshal([]byte("["+text+"]"), &rules); err != nil {
		t.Fatal(err)
	}
	for i, r := range rules {
		r["name"], r["message"] = fmt.Sprint("r", i), fmt.Sprint("m", i)
		for _, key := range []string{"path", "valid"} {
			if path, ok := r[key].(string); ok {
				r[key] = "jsonpath::.spec.domain" + path
			}
		}
	}
	return mustParse(t, string(mustJSON(rules)))
}

func TestLimitsOfTargets(t *testing.T) {
	rules := limitRules(t, `{"rule": "integer", "path": ".n", "max": "jsonpath::.spec.domain.m"}, {"rule": "string", "path": ".s"}`)
	list := decodeExactly(json.RawMessage(`{"kind": "List", "items": [
		{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"m": 1}}}}},
		{"kind": "VirtualMachine"},
		{"kind": "VirtualMachineInstance", "spec": {"domain": {"m": 2}}}]}`))
	got := narrowed(limitsJSON(t, rules.Limits(list)), slices.Repeat([]any{map[string]any{"target": nil, "field": nil, "must": map[string]any{"max": nil, "undecided": nil}}}, 6))
	nothing := func(rule int) []any {
		return []any{map[string]any{"rule": fmt.Sprint("r", rule), "message": fmt.Sprint("m", rule), "note": "nothing to validate: the object has no spec.template"}}
	}
	want := []any{
		map[string]any{"target": "items[0]", "field": "items[0].spec.template.spec.domain.n", "must": map[string]any{"max": json.Number("1"), "undecided": nil}},
		map[string]any{"target": "items[0]", "field": "items[0].spec.template.spec.domain.s", "must": map[string]any{"max": nil, "undecided": nil}},
		map[string]any{"target": "items[1]", "field": "items[1].spec.template.spec.domain.n", "must": map[string]any{"max": nil, "undecided": nothing(0)}},
		map[string]any{"target": "items[1]", "field": "items[1].spec.template.spec.domain.s", "must": map[string]any{"max": nil, "undecided": nothing(1)}},
		map[string]any{"target": "items[2]", "field": "items[2].spec.domain.n", "must": map[string]any{"max": json.Number("2"), "undecided": nil}},
		map[string]any{"target": "items[2]", "field": "items[2].spec.domain.s", "must": map[string]any{"max": nil, "undecided": nil}},
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := rules.Limits(map[string]any{"kind": "VirtualMachine"}, Partial()); got[1].Must.Type != TypeString {
		t.Errorf("an empty form: %+v", got[1])
	}
	if got := (Rules{}).Limits(nil); got == nil || len(got) != 0 {
		t.Errorf("no rules: %#v", got)
	}
}

// satisfies tells whether a value satisfies demands, by the words of their
// documentation alone.
func satisfies(d Demands, v any) (ok bool) {
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
	case TypeString:
		ok = isString
	case TypeNumber:
		ok = isNumber
	case TypeInteger:
		ok = isNumber && n.IsInteger()
	case TypeQuantity:
		ok = isString && isNumber
	case TypeIntegralQuantity:
		ok = isString && isNumber && n.IsInteger()
	case TypeScalar:
		ok = true
	}
	rendered := s.String()
	length := big.NewRat(int64(utf8.RuneCountInString(rendered)), 1)
	ok = ok && (d.Min == "" && d.Max == "" || isNumber && isBetween(rational(n.String()), d.Min, d.Max)) &&
		isBetween(length, d.MinLength, d.MaxLength) &&
		(d.Values == nil || slices.Contains(d.Values, rendered))
	for _, p := range d.Patterns {
		r, err := pcre.Compile(p, fullBudget())
		if err != nil {
			return false
		}
		matched, err := r.Match(rendered, budgetOf(meter.DefaultWork, 100*shortBudget))
		ok = ok && matched && err == nil
	}
	return ok
}

// shortBudget is enough for what does not need time without end. What Validate
// can match within it, satisfies can match too.
const shortBudget = 50 * time.Millisecond

// isBetween reports whether least <= x <= most, where "" bounds nothing.
func isBetween(x *big.Rat, least, most json.Number) bool {
	return (least == "" || x.Cmp(rational(string(least))) >= 0) && (most == "" || x.Cmp(rational(string(most))) <= 0)
}

func rational(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}

// checkLimits demands that limits agree with Validate about the values that
// are there.
func checkLimits(t *testing.T, rules Rules, object map[string]any, partial bool, opts ...ValidateOption) (checked int) {
	t.Helper()
	limits := rules.Limits(object, opts...)
	report := Validate(rules, object, append(slices.Clone(opts), WithRegexBudget(shortBudget))...)
	type field struct{ target, path string }
	found := map[field][]Result{}
	for _, r := range report.Results() {
		if r.Index >= 0 && !rules.rules[r.Index].JustWarning {
			f := field{r.Target, r.Path.key()}
			found[f] = append(found[f], r)
		}
	}
	for _, l := range limits {
		if l.Path.IsZero() {
			break
		}
		of := found[field{l.Target, l.Path.key()}]
		faultless := !slices.ContainsFunc(of, func(r Result) bool { return r.Outcome == Violated || r.Outcome == Undecided })
		if dependsOnMore(of) {
			continue
		}
		want := !l.Must.Required || len(l.Fields) > 0 || partial
		for _, f := range l.Fields {
			want = want && (partial && f.Value == "" || satisfies(l.Must, f.Value))
		}
		if l.Must.Undecided != nil {
			if partial || len(l.Fields) == 0 { // its rule may be Skipped as yet
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

// dependsOnMore tells whether Validate could not judge a value, which a Limit
// does not speak of.
func dependsOnMore(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool {
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
			rules, err := ParseRules(v.Text(t), v.parseOptions()...)
			if err != nil || len(v.Object) == 0 {
				continue
			}
			for _, object := range []map[string]any{decodeExactly(v.Object), decodeOddly(v.Object)} {
				opts := v.validateOptions(t)
				checked += checkLimits(t, rules, object, isPartial(opts), opts...)
				checkSchema(t, rules, object, opts...)
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d limits were checked", checked)
	}
}

func isPartial(opts []ValidateOption) bool {
	e := newEvaluation(opts)
	defer e.release()
	return e.partial
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
				r += fmt.Sprintf(`, "values": %s`, g.pick(`["a", 1, true, "1Ki"]`, `[1, 2, 1e3, "jsonpath::.spec.domain.x"]`, `["abc", "ab", "1"]`, `[]`, `"jsonpath::.spec.domain.some"`))
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

// withoutDuplicates keeps the last of members with one name.
func withoutDuplicates(t testing.TB, rules string) string {
	var decoded []any
	if err := json.Unmarshal([]byte("["+rules+"]"), &decoded); err != nil {
		t.Fatal(err)
	}
	text := string(mustJSON(decoded))
	return text[1 : len(text)-1]
}

// TestLimitsAgreeWithValidate: a value that is put at a field satisfies the
// limit that was there before if, and only if, Validate then finds no fault
// with it.
func TestLimitsAgreeWithValidate(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	const domain = `{"x": 1, "y": 2, "some": ["a", "ab", 1], "p": "^a", "cpu": {}, "b": {}, "list": [{}, {}]}`
	candidates := []string{"0", "1", "2", "1.5", "1e3", "-1", "1e400", `""`, `"1"`, `"a"`, `"ab"`, `"abc"`, `"abcde"`, `"1Ki"`, `"500m"`, `"2.0"`, `"1k"`, "true", "false", "[]", "{}"}
	satisfied, not := 0, 0
	for seed := range uint64(400) {
		g := limitGen{rand.New(rand.NewPCG(1, seed))}
		rules := limitRules(t, withoutDuplicates(t, g.rules(1+g.IntN(4))))
		before := vmWith(domain)
		for _, l := range rules.Limits(before) {
			field := strings.TrimPrefix(l.Path.String(), "jsonpath::.spec.domain")
			for _, candidate := range candidates {
				after := vmWith(domain)
				put(after, strings.ReplaceAll(field, "[*]", "[0]"), decodeAny(candidate))
				var results []Result
				for _, r := range Validate(rules, after).Results() {
					if rule := rules.rules[r.Index]; r.Path.Equal(l.Path) && !rule.JustWarning && !appliesAnew(rule.Valid, before, after, l.Path) {
						results = append(results, r)
					}
				}
				faultless := !slices.ContainsFunc(results, func(r Result) bool { return r.Outcome == Violated || r.Outcome == Undecided })
				value := decodeAny(candidate)
				if l.ZeroIsDefault && candidate == "0" {
					value = l.Default
				}
				want := l.Must.Undecided == nil && satisfies(l.Must, value)
				if faultless != want {
					t.Fatalf("seed %d: %s\n%s at %s: limits say %t: %s\nValidate: %s", seed, rules, candidate, l.Field, want, mustJSON(l.Must), mustJSON(results))
				}
				if want && len(results) > 0 {
					satisfied++
				} else {
					not++
				}
			}
			checkLimits(t, rules, before, false)
		}
	}
	if satisfied < 1500 || not < 5000 {
		t.Errorf("%d values satisfy limits, %d do not", satisfied, not)
	}
}

// appliesAnew tells whether what "valid" names is there only since a value was
// put at a path that does not begin with it.
func appliesAnew(valid Path, before, after map[string]any, path Path) bool {
	there := func(object map[string]any) bool {
		return len(valid.Find(below(object, "spec", "template"))) > 0
	}
	return !valid.IsZero() && !path.begins(valid) && !there(before) && there(after)
}

func decodeAny(text string) any {
	v, _ := value.ThroughJSON(json.RawMessage(text))
	return v
}

// put sets a field below the domain of a VM, whose parents are there.
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

// Hostile annotations and objects take bounded time and memory.
func TestLimitsAreBounded(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	many := func(n int, rule func(i int) string) Rules {
		var all []string
		for i, size := 0, 0; i < n && size < maxAnnotation-1000; i++ {
			all = append(all, fmt.Sprintf(`{"name":"%d","message":"m",%s}`, i, rule(i)))
			size += len(all[i]) + 1
		}
		return mustParse(t, "["+strings.Join(all, ",")+"]")
	}
	long := strings.Repeat(`"aaaa",`, 30_000)
	values := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(i))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	cyclic := map[string]any{"kind": "VirtualMachineInstance"}
	cyclic["a"], cyclic["spec"] = cyclic, cyclic
	var vms []any
	for range 3_000 {
		vms = append(vms, map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{"a": "x"}}})
	}
	list := map[string]any{"kind": "List", "items": vms}
	wide := map[string]any{"spec": map[string]any{"domain": map[string]any{}}, "a": make([]int, jsonpath.MaxMatches)}
	tests := []struct {
		name   string
		rules  Rules
		object map[string]any
	}{
		{"many rules on one path", many(4_000, func(i int) string { return fmt.Sprintf(`"path":"jsonpath::.a","rule":"integer","min":%d`, i) }), wide},
		{"many paths", many(3_000, func(i int) string { return fmt.Sprintf(`"path":"jsonpath::.a%d","rule":"integer"`, i) }), wide},
		{"many filters", many(500, func(i int) string { return fmt.Sprintf(`"path":"jsonpath::.a[?(@.b==%d)]","rule":"integer"`, i) }), wide},
		{"one long list", many(2, func(i int) string {
			return `"path":"jsonpath::.a","rule":"enum","values":[` + []string{long, ""}[i] + `"b"]`
		}), wide},
		{"lists that agree", many(20, func(int) string { return `"path":"jsonpath::.a","rule":"enum","values":` + values(1_800) }), wide},
		{"a list for each VM", many(2, func(int) string { return `"path":"jsonpath::.a","rule":"enum","values":` + values(20_000) }), list},
		{"lists that are read", many(1_500, func(i int) string { return `"path":"jsonpath::.b","rule":"enum","values":"jsonpath::.a[*]"` }), wide},
		{"many VMs", many(40, func(i int) string { return fmt.Sprintf(`"path":"jsonpath::.a%d","rule":"integer"`, i) }), list},
		{"many values", many(300, func(i int) string {
			return fmt.Sprintf(`"path":"jsonpath::.a[*%s]","rule":"integer"`, strings.Repeat(" ", i))
		}), wide},
		{"a cycle", many(3, func(i int) string {
			return []string{`"path":"jsonpath::..a"`, `"path":"jsonpath::.a.a.a"`, `"path":"jsonpath::.a.*"`}[i] + `,"rule":"integer","max":"jsonpath::..x"`
		}), cyclic},
		{"long patterns", many(60, func(i int) string {
			return fmt.Sprintf(`"path":"jsonpath::.a%d","rule":"regex","regex":"%s"`, i, strings.Repeat(`\\p{L}`, 14))
		}), wide},
		{"long numbers", many(3_000, func(i int) string {
			return fmt.Sprintf(`"path":"jsonpath::.b%d","rule":"integer","min":1e%d`, i, i%1000)
		}), wide},
		{"a deep path", many(1, func(int) string { return `"path":"jsonpath::` + strings.Repeat(".a", 100_000) + `","rule":"integer"` }), wide},
		{"high indexes", many(500, func(i int) string {
			return fmt.Sprintf(`"path":"jsonpath::.a%d[99]","rule":"integer","valid":"jsonpath::.b[99]"`, i)
		}), wide},
	}
	const most = 150 << 20 // bytes of JSON
	less := WithBudget(Budget{Work: meter.DefaultWork / 4})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			limits := test.rules.Limits(test.object, less)
			if text, err := json.Marshal(limits); err != nil || len(text) > most || len(limits) == 0 {
				t.Errorf("%d limits, %d bytes, %v", len(limits), len(text), err)
			}
			if text, err := json.Marshal(test.rules.JSONSchema(test.object, less)); err != nil || len(text) > most {
				t.Errorf("a schema of %d bytes, %v", len(text), err)
			}
		})
	}
}

// Whatever stands at whatever level of a path, there are limits and a schema.
func TestLimitsOfOddObjects(t *testing.T) {
	rules := mustParse(t, `[
		{"name": "a", "rule": "integer", "message": "m", "path": "jsonpath::.spec.domain.cpu.cores", "max": "jsonpath::.spec.domain.cpu.max"},
		{"name": "b", "rule": "enum", "message": "m", "path": "jsonpath::.spec.domain.cpu[*].cores", "values": "jsonpath::..cores"},
		{"name": "c", "rule": "regex", "message": "m", "path": "jsonpath::..[?(@.cores>1)]", "regex": "jsonpath::.spec..*", "valid": "jsonpath::.spec.*"},
		{"name": "d", "rule": "string", "message": "m", "path": "jsonpath::$", "minLength": "jsonpath::$.spec", "maxLength": 1}
	]`)
	for _, odd := range []any{nil, true, 1, "text", []any{nil}, map[string]any(nil), []string{"a"}, map[any]any{1: 2, "cores": nil}, json.Number("x"), resourceQuantity{"1"}, broken{}, make(chan int), func() {}, [2]any{1, nil}, namedList{1}} {
		for depth := range 5 {
			object := map[string]any{"items": odd, "objects": odd, "kind": []any{nil, "List", "Template", odd, "VirtualMachine"}[depth]}
			at := object
			for _, key := range []string{"spec", "template", "spec", "domain", "cpu"}[:depth] {
				next := map[string]any{"max": odd}
				at[key], at = next, next
			}
			at["cores"], at["spec"], at["template"], at["domain"] = odd, odd, odd, odd
			for _, opts := range [][]ValidateOption{nil, {Partial()}} {
				checkLimits(t, rules, object, opts != nil, opts...)
				rules.JSONSchema(object, opts...)
			}
		}
	}
}

// What others may set need not be there, and no default stands in for it.
func TestLimitsOfFieldsLeftOut(t *testing.T) {
	for _, test := range []struct {
		reference, rule string
		required        bool
		value           any // the default
	}{
		{"instancetype", `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores"`, false, nil},
		{"instancetype", `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.sockets"`, false, nil},
		{"instancetype", `"rule": "string", "path": "jsonpath::.spec.domain.cpu.realtime.mask"`, true, nil},
		{"instancetype", `"rule": "string", "path": "jsonpath::.spec.domain.machine.type"`, false, ""},
		{"instancetype", `"rule": "string", "path": "jsonpath::.spec.subdomain"`, true, nil},
		{"preference", `"rule": "integer", "path": "jsonpath::.spec.domain.cpu.sockets"`, false, json.Number("1")},
		{"preference", `"rule": "string", "path": "jsonpath::.spec.domain.machine.type"`, false, nil},
		{"preference", `"rule": "string", "path": "jsonpath::.spec.subdomain"`, false, nil},
		{"preference", `"rule": "string", "path": "jsonpath::.spec.x", "valid": "jsonpath::.spec"`, true, nil},
		{"preference", `"rule": "string", "path": "jsonpath::.spec.domain.clock.timer.rtc", "valid": "jsonpath::.spec.domain.clock"`, false, nil},
	} {
		rules := mustParse(t, `[{"name": "r", "message": "m", `+test.rule+`}]`)
		limit := rules.Limits(decodeExactly(json.RawMessage(`{"spec": {"` + test.reference + `": {"name": "x"},
			"template": {"spec": {"domain": {"cpu": {"cores": 2, "realtime": {}}, "machine": {}}}}}}`)))[0]
		type limits struct {
			Required, InForce bool
			Default           any
		}
		got := limits{limit.Must.Required, limit.Must.Type != "", limit.Default}
		if diff := cmp.Diff(limits{test.required, true, test.value}, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", test.reference, test.rule, diff)
		}
	}
}

// Under Partial, a form without kind is a VirtualMachine to be: its fields are
// said to be where those of a VM are.
func TestFieldsOfAFormWithoutKind(t *testing.T) {
	rules := mustParse(t, `[{"name": "n", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 4}]`)
	for _, test := range []struct {
		object map[string]any
		opts   []ValidateOption
		want   string
	}{
		{map[string]any{}, []ValidateOption{Partial()}, "spec.template.spec.domain.cpu.cores"},
		{nil, []ValidateOption{Partial()}, "spec.template.spec.domain.cpu.cores"},
		{map[string]any{"kind": "", "metadata": map[string]any{"name": "a"}}, []ValidateOption{Partial()}, "spec.template.spec.domain.cpu.cores"},
		{map[string]any{"spec": map[string]any{"template": map[string]any{}}}, []ValidateOption{Partial()}, "spec.template.spec.domain.cpu.cores"},
		{map[string]any{"kind": "VirtualMachine"}, []ValidateOption{Partial()}, "spec.template.spec.domain.cpu.cores"},
		{map[string]any{"spec": map[string]any{"domain": map[string]any{}}}, []ValidateOption{Partial()}, "spec.domain.cpu.cores"},
		{map[string]any{"spec": map[string]any{"virtualMachineTemplate": map[string]any{}}}, []ValidateOption{Partial()}, "spec.virtualMachineTemplate.spec.template.spec.domain.cpu.cores"},
		{map[string]any{"kind": "Other"}, []ValidateOption{Partial()}, "spec.domain.cpu.cores"},
		{map[string]any{}, nil, "spec.domain.cpu.cores"},
	} {
		limits := rules.Limits(test.object, test.opts...)
		if len(limits) != 1 || limits[0].Field != test.want {
			t.Errorf("%v: %s, want %s", test.object, mustJSON(limits), test.want)
		}
		schema := any(rules.JSONSchema(test.object, test.opts...))
		for _, name := range strings.Split(test.want, ".") {
			schema = below(schema, "properties", name)
		}
		if schema == nil {
			t.Errorf("%v: the schema says nothing of %s: %s", test.object, test.want, mustJSON(rules.JSONSchema(test.object, test.opts...)))
		}
	}
}

// Under Partial, an empty string is not filled in yet, and limits agree.
func TestLimitsOfEmptyStrings(t *testing.T) {
	const disks = `{"kind": "VirtualMachine", "spec": {"template": {"spec": {"hostname": %s, "domain": {"devices": {"disks": [{"serial": %[1]s}, {}]}}}}}}`
	for _, rule := range []string{
		`{"rule": "string", "path": ".hostname", "minLength": 1}`, `{"rule": "enum", "path": ".hostname", "values": ["a", "b"]}`,
		`{"rule": "integer", "path": ".hostname", "max": 4}`, `{"rule": "string", "path": ".domain.devices.disks[*].serial", "minLength": 1}`,
		`{"rule": "enum", "path": ".domain.devices.disks[*].serial", "values": ["a"]}`, `{"rule": "string", "path": ".hostname", "maxLength": 0}`,
	} {
		rule = strings.Replace(rule, `"path": "`, `"path": "jsonpath::.spec`, 1)
		rules := mustParse(t, `[`+strings.Replace(rule, "{", `{"name": "n", "message": "m", `, 1)+`]`)
		for _, value := range []string{`""`, `"a"`, `"1"`, `null`, `true`} {
			object := decodeExactly(json.RawMessage(fmt.Sprintf(disks, value)))
			if checkLimits(t, rules, object, true, Partial()) == 0 {
				t.Errorf("nothing is checked of %s with %s", rules, value)
			}
			checkPlan(t, rules, object, Partial())
		}
	}
}
