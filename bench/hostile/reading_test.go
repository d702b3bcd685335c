package hostile

import (
	"encoding/json"
	"strings"

	"github.com/vmrules/vmrules"
)

// Annotations that are slow to read. Most are also linted.
func reading() []attack {
	return []attack{
		// Short regular expressions that compile to large programs.
		regexes("class ranges times repeats, 1,000 rules", 1000, `^(?:\pL){900}$`),
		regexes("class ranges times repeats, as many as fit", 2700, `^(?:\pL){900}$`),
		regexes("negated class, times repeats", 1500, `[^\pL\pN]{499}x`),
		regexes("ignored case over a large range", 1000, `(?i)[a-\x{ffff}]{300}`),
		regexes("ignored case over a repeated word", 1500, `(?i)(?:strasse|kelvin){300}`),
		regexes("repeats in repeats", 2000, `^(?:(?:(?:a{10}){10}){10})$`),
		regexes("optional class, times repeats", 1500, `^(?:\p{Lu}?){999}$`),
		regexes("lookahead over many classes", 1700, `(?=`+strings.Repeat(`\pL`, 14)+`x)a`),
		regexes("lookahead over more classes than allowed", 60, `(?=`+strings.Repeat(`\pL`, 650)+`x)a`),
		regexes("lookbehind and repeats", 1000, `(?<=\pL{200})(?!\pN{200})x`),
		regexes("possessive repeats of classes", 1500, `^(?>\pL{900})+\PL$`),
		regexes("back-references", 1500, `(\pL{400})\1`),
		regexes("alternatives, 4 KB each", 55, strings.Repeat("a|", 2000)+"b"),
		regexes("digits, 4 KB each", 55, strings.Repeat("1", 4000)),
		regexes("classes of single characters, 4 KB each", 55, `[`+singles(900)+`]{11}`),
		regexes("groups in groups", 450, nested(90, "(?:", "a", ")?")),

		{name: "reading/wrong values, 60,000", calls: func(p *probe) {
			_, err := p.parse(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(60_000, `{}`)+`]`))
			p.renderError(err)
		}},
		{name: "reading/empty rules, 9,999", calls: func(p *probe) {
			_, err := p.parse("[" + list(9999, `{}`) + "]")
			p.renderError(err)
			p.lint("[" + list(9999, `{}`) + "]")
		}},
		{name: "reading/a long name and 18,000 problems", calls: func(p *probe) {
			text := `[{"name":"` + strings.Repeat("n", 200_000) + `","rule":"enum","path":"jsonpath::.a","message":"m","values":[` + list(18_000, `{}`) + `]}]`
			_, err := p.parse(text)
			p.renderError(err)
			p.lint(text)
		}},
		{name: "reading/a long name twice", calls: func(p *probe) {
			text := "[" + strings.Repeat(`{"name":"`+strings.Repeat("n", 1000)+`","rule":"integer","path":"jsonpath::.a","message":"m"},`, 240) + "{}]"
			_, err := p.parse(text)
			p.renderError(err)
		}},
		{name: "reading/long kinds that are not known", calls: func(p *probe) {
			text := annotation(100, `"rule":"`+strings.Repeat("integer", 300)+`","path":"jsonpath::.a"`)
			_, err := p.parse(text, vmrules.Strict())
			p.renderError(err)
			p.lint(text)
		}},
		{name: "reading/unknown keys, 20,000", calls: func(p *probe) {
			text := annotation(1, `"rule":"integer","path":"jsonpath::.a","min":1,`+list(20_000, `"k%d":0`))
			_, err := p.parse(text, vmrules.Strict())
			p.renderError(err)
			p.lint(text)
		}},
		{name: "reading/unknown keys like known ones", calls: func(p *probe) {
			text := annotation(1, `"rule":"integer","path":"jsonpath::.a","min":1,`+list(13_000, `"minLeng%d":0`))
			p.parse(text, vmrules.Strict())
			p.lint(text)
		}},
		{name: "reading/a key given 25,000 times", calls: func(p *probe) {
			text := annotation(1, `"rule":"integer","path":"jsonpath::.a",`+list(25_000, `"min":1`))
			_, err := p.parse(text)
			p.renderError(err)
			p.lint(text)
		}},
		{name: "reading/long keys that are not known", calls: func(p *probe) {
			text := annotation(1, `"rule":"integer","path":"jsonpath::.a","min":1,`+list(12, `"%d`+strings.Repeat("minLength", 2200)+`":0`))
			p.parse(text, vmrules.Strict())
			p.lint(text)
		}},

		// Numbers.
		{name: "reading/numbers of 999 digits", calls: func(p *probe) {
			digits := strings.Repeat("9", 990)
			text := annotation(95, `"rule":"integer","path":"jsonpath::.a[*]","min":`+digits+`,"max":1e1000`)
			p.judge(text, object(`{"a":[`+list(10_000, `1e999`)+`]}`))
			p.lint(text)
		}},
		{name: "reading/values that are short and render long", calls: func(p *probe) {
			text := annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(40_000, `1e999`)+`]`)
			p.judge(text, object(`{"a":1}`))
			p.lint(text)
		}},
		{name: "reading/different values that are short and render long", calls: func(p *probe) {
			text := annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(25_000, `%de980`)+`]`)
			p.judge(text, object(`{"a":1}`))
			p.lint(text)
		}},
		{name: "reading/limits that are short and render long", calls: func(p *probe) {
			text := annotation(2500, `"rule":"integer","path":"jsonpath::.a","min":1e-999,"max":1e999`)
			p.judge(text, object(`{"a":1}`))
			p.lint(text)
		}},

		// Texts and shapes.
		{name: "reading/brackets that never close", calls: func(p *probe) {
			p.parse(strings.Repeat("[", 256<<10))
			p.parse(strings.Repeat(`{"a":`, 50<<10))
			p.lint(strings.Repeat("[", 256<<10))
		}},
		{name: "reading/a text of escapes", calls: func(p *probe) {
			text := annotation(1, `"rule":"integer","path":"jsonpath::.`+strings.Repeat(`\u0061`, 42_000)+`"`)
			p.parse(text)
			p.lint(text)
		}},
		{name: "reading/many lines with a problem in each", calls: func(p *probe) {
			text := "[" + list(9000, "\n{\"\u20ac\":\t\n\n1}") + "]"
			_, err := p.parse(text, vmrules.Strict())
			p.renderError(err)
			p.lint(text)
		}},

		// Paths.
		{name: "reading/a path of many steps", calls: func(p *probe) {
			for _, path := range []string{strings.Repeat("..a", 80_000), strings.Repeat(".*", 120_000), strings.Repeat("[0]", 80_000)} {
				text := annotation(1, `"rule":"integer","path":"jsonpath::`+path+`"`)
				p.judge(text, object(`{"a":[[{"a":1}]]}`))
				p.lint(text)
			}
		}},
		{name: "reading/a path of one large union", calls: func(p *probe) {
			text := annotation(1, `"rule":"integer","path":"jsonpath::.a[`+list(50_000, "0")+`]"`)
			p.judge(text, object(`{"a":[1]}`))
			p.lint(text)
		}},
		{name: "reading/many filters", calls: func(p *probe) {
			text := annotation(1, `"rule":"integer","path":"jsonpath::.a`+strings.Repeat(`[?(@.b==1)]`, 20_000)+`"`)
			p.judge(text, object(`{"a":[{"b":1}]}`))
			p.lint(text)
		}},
		{name: "reading/brackets in a path", calls: func(p *probe) {
			p.parse(annotation(1, `"rule":"integer","path":"jsonpath::.a`+nested(60_000, `[?(@`, ``, `)]`)[:200_000]+`"`))
			p.parse(annotation(1, `"rule":"integer","path":"jsonpath::`+strings.Repeat("{", 200_000)+`"`))
		}},

		// Input for package lint.
		{name: "reading/lint, a misspelt field in each rule", calls: func(p *probe) {
			p.lint(annotation(2000, `"rule":"integer","path":"jsonpath::.spec.domain.devces.dsks[*].nme%d","min":1`))
		}},
		{name: "reading/lint, long misspelt fields", calls: func(p *probe) {
			p.lint(annotation(120, `"rule":"integer","min":1,"path":"jsonpath::.spec.domain.`+strings.Repeat("terminationGracePeriod", 90)+`"`))
		}},
		{name: "reading/lint, wild paths", calls: func(p *probe) {
			p.lint(annotation(1500, `"rule":"integer","path":"jsonpath::..*..*..*..*..a%d..*..b","min":1`))
			p.lint(annotation(1500, `"rule":"integer","path":"jsonpath::.*.*.*.*.*.*.*.*.a%d","min":1`))
		}},
		{name: "reading/lint, rules that contradict each other", calls: func(p *probe) {
			p.lint(annotation(2500, `"rule":"integer","path":"jsonpath::.spec.a","min":1%d,"max":1`))
		}},
		{name: "reading/lint, the same rule again and again", calls: func(p *probe) {
			p.lint(annotation(2500, `"rule":"enum","path":"jsonpath::.spec.a","values":["a","b"]`))
		}},
		{name: "reading/lint, long lists beside each other", calls: func(p *probe) {
			p.lint(annotation(100, `"rule":"enum","path":"jsonpath::.spec.a","values":[`+list(350, `"v%d"`)+`]`))
			p.lint(annotation(2, `"rule":"enum","path":"jsonpath::.spec.a","values":[`+list(12_000, `"v%d"`)+`]`))
		}},
		{name: "reading/lint, values beside regexes", calls: func(p *probe) {
			p.lint(`[{"name":"v","message":"m","rule":"enum","path":"jsonpath::.spec.a","values":[` + list(12_000, `"aaaaaa%d"`) + `]},` +
				annotation(1000, `"rule":"regex","path":"jsonpath::.spec.a","regex":"(?:a?){90}b%d"`)[1:])
		}},
		{name: "reading/lint, values beside lookaheads", calls: func(p *probe) {
			p.lint(`[{"name":"v","message":"m","rule":"enum","path":"jsonpath::.spec.a","values":[` + list(3000, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaa%d"`) + `]},` +
				annotation(1000, `"rule":"regex","path":"jsonpath::.spec.a","regex":"^(?=(a+)+b)%d"`)[1:])
		}},
		{name: "reading/lint, half-anchored alternatives", calls: func(p *probe) {
			p.lint(annotation(55, `"rule":"regex","path":"jsonpath::.spec.a","regex":"^a|`+strings.Repeat("b|", 1990)+`c$"`))
		}},

		{name: "reading/lint, much work, again and again", calls: func(p *probe) {
			p.lint(beside(annotation(400, `"rule":"regex","path":"jsonpath::.a","regex":"(?<=\\pL{200})(?!\\pN{200})x"`), "{}"))
			p.lint(beside(annotation(200, `"rule":"regex","path":"jsonpath::.a","regex":"(?<=\\pL{200})(?!\\pN{200})x"`), "{}"))
		}},
		{name: "reading/lint, much memory, again and again", calls: func(p *probe) {
			p.lint(beside(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(40_000, `1e999`)+`]`), "{}"))
			p.lint(beside(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(20_000, `1e999`)+`]`), "{}"))
		}},

		// Other entry points.
		{name: "reading/NewRules, 2,700 rules of one regex", calls: func(p *probe) {
			var rules []vmrules.Rule
			for range 2700 {
				rules = append(rules, vmrules.Rule{
					Name: "n", Message: "m", Kind: vmrules.KindRegex, Path: vmrules.MustParsePath("jsonpath::.a"),
					Regex: vmrules.MustNewArgument(`^(?:\pL){900}$`),
				})
			}
			_, err := p.newRules(rules)
			p.renderError(err)
		}},
		{name: "reading/NewRules, a large unknown key", calls: func(p *probe) {
			p.newRules([]vmrules.Rule{{
				Name: "n", Message: "m", Kind: "other", Path: vmrules.MustParsePath("jsonpath::.a"),
				Unknown: map[string]json.RawMessage{"k": json.RawMessage("[" + list(120_000, "1") + "]")},
			}}, vmrules.Strict())
		}},
		{name: "reading/RulesFor, VMs in a template with rules of their own", calls: func(p *probe) {
			template := `{"kind":"Template","apiVersion":"template.openshift.io/v1","objects":[` +
				list(3000, `{"kind":"VirtualMachine","metadata":{"annotations":{"vm.kubevirt.io/validations":"[{},{},{},{},{},{},{},{},%d]"}},"spec":{"template":{}}}`) + `]}`
			_, err := p.rulesFor(nil, object(template))
			p.renderError(err)
		}},
		objects("numbers, 700,000", `{"a":[`+strings.Repeat("0,", 700_000)+`0]}`),
		objects("objects, 450,000", `{"a":[`+strings.Repeat("{},", 450_000)+`0]}`),
		objects("keys, 120,000", `{`+list(120_000, `"%d":0`)+`}`),
		objects("one key, 250,000 times", `{`+strings.Repeat(`"":0,`, 250_000)+`"":0}`),
		objects("halves of surrogate pairs, 240,000", `{"a":"`+strings.Repeat(`\ud800`, 240_000)+`"}`),
		objects("levels, 1,000 at a time", `{"a":[`+strings.Repeat(nested(990, "[", "0", "]")+",", 700)+`0]}`),
		objects("one number", `{"a":`+strings.Repeat("9", 1_400_000)+`}`),
		{name: "reading/RulesFor, one VM", calls: func(p *probe) {
			_, err := p.rulesFor(object(annotated(annotation(2700, `"rule":"regex","path":"jsonpath::.a","regex":"^(?:\\pL){900}$"`))), nil)
			p.renderError(err)
		}},
	}
}

// regexes is an attack with n rules that have the same regex.
func regexes(name string, n int, regex string) attack {
	return attack{name: "reading/regexes, " + name, calls: func(p *probe) {
		text := annotation(n, `"rule":"regex","path":"jsonpath::.a","regex":`+quoted(regex))
		p.parse(text)
		p.lint(text)
	}}
}

// objects is an attack with the text of an object.
func objects(name, text string) attack {
	return attack{name: "reading/objects, " + name, calls: func(p *probe) { p.parseObject(text) }}
}

// singles are n characters, no two of which are adjacent.
func singles(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune(rune(0x4e00 + 2*i))
	}
	return b.String()
}
