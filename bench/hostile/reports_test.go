package hostile

import (
	"strings"
)

// Rules that are quick to judge, and whose report is long.
func reports() []attack {
	return []attack{
		{name: "reports/a message of 250 KB, 4,000 wrong numbers", calls: func(p *probe) {
			text := strings.Replace(annotation(1, `"rule":"string","path":"jsonpath::.a[*]"`), `"m"`, quoted(strings.Repeat("m", 250_000)), 1)
			p.render(p.judge(text, object(`{"a":[`+list(4000, "1")+`]}`)))
		}},
		{name: "reports/a message of 20 KB, 10,000 wrong numbers, warnings", calls: func(p *probe) {
			text := strings.Replace(annotation(10, `"rule":"string","path":"jsonpath::.a[*]","justWarning":true`), `"m"`, quoted(strings.Repeat("m", 20_000)), 10)
			p.render(p.judge(text, object(`{"a":[`+list(10_000, "1")+`]}`)))
		}},
		{name: "reports/a message that JSON escapes, 4,000 wrong numbers", calls: func(p *probe) {
			text := strings.Replace(annotation(1, `"rule":"string","path":"jsonpath::.a[*]"`), `"m"`, quoted(strings.Repeat("\x01", 40_000)), 1)
			p.render(p.judge(text, object(`{"a":[`+list(4000, "1")+`]}`)))
		}},
		{name: "reports/a name of 250 KB, 4,000 wrong numbers", calls: func(p *probe) {
			text := strings.Replace(annotation(1, `"rule":"string","path":"jsonpath::.a[*]"`), `"0"`, quoted(strings.Repeat("n", 250_000)), 1)
			p.render(p.judge(text, object(`{"a":[`+list(4000, "1")+`]}`)))
		}},
		{name: "reports/a limit of 250 KB, 4,000 wrong texts", calls: func(p *probe) {
			p.render(p.judge(annotation(1, `"rule":"enum","path":"jsonpath::.a[*]","values":["`+strings.Repeat("v", 250_000)+`"]`), object(`{"a":[`+list(4000, "1")+`]}`)))
		}},
		{name: "reports/60,000 values as a limit, 10,000 wrong texts", calls: func(p *probe) {
			p.render(p.judge(annotation(1, `"rule":"enum","path":"jsonpath::.a[*]","values":[`+list(60_000, `"v"`)+`]`), object(`{"a":[`+list(10_000, "1")+`]}`)))
		}},
		{name: "reports/short values that render long as a limit, 10,000 wrong texts", calls: func(p *probe) {
			p.render(p.judge(annotation(1, `"rule":"enum","path":"jsonpath::.a[*]","values":[`+list(25_000, `%de980`)+`]`), object(`{"a":[`+list(10_000, "1")+`]}`)))
		}},
		{name: "reports/a limit from the object, 4,000 rules", calls: func(p *probe) {
			p.render(p.judge(annotation(2500, `"rule":"enum","path":"jsonpath::.a","values":["jsonpath::.v"]`), object(`{"a":"x","v":"`+strings.Repeat("v", 1_400_000)+`"}`)))
		}},
		{name: "reports/a list as a limit from the object, 2,500 rules", calls: func(p *probe) {
			p.render(p.judge(annotation(2500, `"rule":"enum","path":"jsonpath::.a","values":"jsonpath::.v"`), object(`{"a":"x","v":[`+list(9000, `"`+strings.Repeat("v", 140)+`"`)+`]}`)))
		}},
		{name: "reports/a value of 1.4 MB, 4,000 rules", calls: func(p *probe) {
			p.render(p.judge(annotation(3000, `"rule":"integer","path":"jsonpath::.a"`), object(`{"a":"`+strings.Repeat("v", 1_400_000)+`"}`)))
		}},
		{name: "reports/a value that JSON escapes, 100 rules", calls: func(p *probe) {
			p.render(p.judge(annotation(100, `"rule":"string","path":"jsonpath::.a","maxLength":1`), object(`{"a":"`+strings.Repeat(`<`, 1_400_000)+`"}`)))
		}},
		{name: "reports/all arguments broken by a value of 100 KB", calls: func(p *probe) {
			p.render(p.judge(annotation(1000, `"rule":"string","path":"jsonpath::.a","min":1,"max":0,"minLength":9000000,"maxLength":1,"values":["x"],"regex":"^x$"`),
				object(`{"a":"`+strings.Repeat("v", 100_000)+`"}`)))
		}},
		{name: "reports/a field of 1.4 MB, 3,000 rules", calls: func(p *probe) {
			p.render(p.judge(annotation(3000, `"rule":"string","path":"jsonpath::.*"`), object(`{"`+strings.Repeat("n", 1_400_000)+`":1}`)))
		}},
		{name: "reports/a field of 100 KB that is escaped, 9,000 items", calls: func(p *probe) {
			p.render(p.judge(annotation(3, `"rule":"string","path":"jsonpath::.*[*]"`), object(`{"`+strings.Repeat("~/.", 33_000)+`":[`+list(9000, "1")+`]}`)))
		}},
		{name: "reports/a path of 250 KB, 30,000 VMs", calls: func(p *probe) {
			p.render(p.judge(annotation(1, `"rule":"integer","path":"jsonpath::.`+strings.Repeat("n", 250_000)+`"`), vms(30_000, `"a":1`)))
		}},
		{name: "reports/a path that JSON escapes, 30,000 VMs", calls: func(p *probe) {
			p.render(p.judge(annotation(1, `"rule":"integer","path":"jsonpath::['`+strings.Repeat("<", 250_000)+`']"`), vms(30_000, `"a":1`)))
		}},
		{name: "reports/a parameter of 1.4 MB, 3,000 rules", calls: func(p *probe) {
			p.render(p.judge(annotation(3000, `"rule":"integer","path":"jsonpath::.a"`), object(`{"kind":"Template","apiVersion":"template.openshift.io/v1","objects":[`+
				`{"kind":"VirtualMachine","spec":{"template":{"a":"${`+strings.Repeat("A", 1_400_000)+`}"}}}]}`)))
		}},
		{name: "reports/long messages, 100,000 results", calls: func(p *probe) {
			text := strings.ReplaceAll(annotation(100, `"rule":"string","path":"jsonpath::.a"`), `"m"`, quoted(strings.Repeat("m", 2500)))
			p.render(p.judge(text, vms(1000, `"a":1`)))
		}},
		{name: "reports/100,000 satisfied results with long messages", calls: func(p *probe) {
			text := strings.ReplaceAll(annotation(100, `"rule":"integer","path":"jsonpath::.a"`), `"m"`, quoted(strings.Repeat("m", 2500)))
			p.render(p.judge(text, vms(1000, `"a":1`)))
		}},
		{name: "reports/100,000 warnings", calls: func(p *probe) {
			p.render(p.judge(annotation(10, `"rule":"string","path":"jsonpath::.a","justWarning":true`), vms(10_000, `"a":1`)))
		}},
		{name: "reports/long kinds that are ignored, 30,000 VMs", calls: func(p *probe) {
			p.render(p.judge(annotation(3, `"rule":"`+strings.Repeat("k", 80_000)+`","path":"jsonpath::.a"`), vms(30_000, `"a":1`)))
		}},
		{name: "reports/unknown arguments that are read from long lists", calls: func(p *probe) {
			p.render(p.judge(annotation(2500, `"rule":"integer","path":"jsonpath::.a","min":"jsonpath::.b"`), object(`{"a":1,"b":"`+strings.Repeat("x", 1_400_000)+`"}`)))
		}},
		{name: "reports/rules as text", calls: func(p *probe) {
			rules, _ := p.parse(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(40_000, `1e999`)+`]`))
			p.text("Rules.String", func() (int, error) { return len(rules.String()), nil })
			p.text("Rules.MarshalJSON", func() (int, error) { text, err := rules.MarshalJSON(); return len(text), err })
		}},
	}
}
