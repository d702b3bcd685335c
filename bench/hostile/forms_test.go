package hostile

import "strings"

// Rules and objects that package form is given.
func forms() []attack {
	return []attack{
		asking("values with one path, 1,000 VMs", func() string {
			return annotation(1, `"rule":"enum","path":"jsonpath::.a","values":["jsonpath::.b",`+list(60_000, `"v"`)+`]`)
		}, func() map[string]any { return vms(1000, `"a":"x","b":"y"`) }),
		asking("values and maxLength 0, 1,000 VMs", func() string {
			return annotation(1, `"rule":"enum","path":"jsonpath::.a","maxLength":0,"values":[`+list(25_000, `"%d"`)+`]`)
		}, func() map[string]any { return vms(1000, `"a":"x"`) }),
		asking("values that cannot be, 30,000 VMs", func() string {
			return annotation(1, `"rule":"enum","path":"jsonpath::.a","maxLength":0,"values":[`+list(25_000, `"%d"`)+`]`)
		}, func() map[string]any { return vms(30_000, `"a":"x"`) }),
		asking("values, 30,000 VMs", func() string {
			return annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(25_000, `"%d"`)+`]`)
		}, func() map[string]any { return vms(30_000, `"a":"x"`) }),
		asking("12,000 values, 1,000 regexes", func() string {
			return `[{"name":"v","message":"m","rule":"enum","path":"jsonpath::.a","values":[` + list(12_000, `"aaaaaa%d"`) + `]},` +
				annotation(1000, `"rule":"regex","path":"jsonpath::.a","regex":"(?:a?){90}b%d"`)[1:]
		}, func() map[string]any { return object(`{"a":"x"}`) }),
		asking("12,000 values, 1,000 regexes that match", func() string {
			return `[{"name":"v","message":"m","rule":"enum","path":"jsonpath::.a","values":[` + list(12_000, `"aaaaaa%d"`) + `]},` +
				annotation(1000, `"rule":"regex","path":"jsonpath::.a","regex":"(?:a?){90}a|%d"`)[1:]
		}, func() map[string]any { return object(`{"a":"x"}`) }),
		asking("values beside lookaheads", func() string {
			return `[{"name":"v","message":"m","rule":"enum","path":"jsonpath::.a","values":[` + list(3000, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaa%d"`) + `]},` +
				annotation(1000, `"rule":"regex","path":"jsonpath::.a","regex":"^(?!(a+)+b)%d?"`)[1:]
		}, func() map[string]any { return object(`{"a":"x"}`) }),
		asking("short values that render long", func() string {
			return annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(25_000, `%de980`)+`]`)
		}, func() map[string]any { return vms(1000, `"a":"x"`) }),
		asking("limits that render long, 2,500 paths", func() string {
			return annotation(2500, `"rule":"integer","path":"jsonpath::.a%d","min":1e-999,"max":1e999`)
		}, func() map[string]any { return vms(1000, `"a":"x"`) }),
		asking("3,000 paths, 10,000 VMs", func() string { return annotation(3000, `"rule":"string","path":"jsonpath::.a%d"`) }, func() map[string]any { return vms(10_000, `"a":"x"`) }),
		asking("one path, 10,000 VMs, a long message", func() string {
			return strings.Replace(annotation(1, `"rule":"string","path":"jsonpath::.a"`), `"m"`, quoted(strings.Repeat("m", 250_000)), 1)
		}, func() map[string]any { return vms(10_000, `"a":"x"`) }),
		asking("regexes with classes, 1,500 of them", func() string {
			return annotation(1500, `"rule":"regex","path":"jsonpath::.a%d","regex":"^[\\pL\\pN]{3}(?i:[a-\\x{ffff}])$"`)
		}, func() map[string]any { return object(`{"a":"x"}`) }),
		asking("regexes of 4 KB on 55 paths, 5,000 VMs", func() string {
			return annotation(55, `"rule":"regex","path":"jsonpath::.a%d","regex":"`+strings.Repeat("ab?", 1300)+`"`)
		}, func() map[string]any { return vms(5000, `"a":"x"`) }),
		asking("regexes from the object", func() string {
			return annotation(2000, `"rule":"regex","path":"jsonpath::.a%d","regex":"jsonpath::.r%d"`)
		}, func() map[string]any { return object(`{"a":"x",` + list(2000, `"r%d":"^(?:\\pL){900}%d$"`) + `}`) }),
		asking("fields at present, 10,000 of long names", func() string { return annotation(100, `"rule":"string","path":"jsonpath::.*[0:9999]","minLength":%d`) }, func() map[string]any {
			return object(`{"` + strings.Repeat("n", 1_000_000) + `":[` + list(10_000, `"x"`) + `]}`)
		}),
		asking("fields at present, at 1,000 paths", func() string { return annotation(1000, `"rule":"string","path":"jsonpath::.a[0:%d]"`) }, func() map[string]any { return object(`{"a":[` + list(10_000, `"x"`) + `]}`) }),
		asking("paths of many steps", func() string {
			return annotation(20, `"rule":"string","path":"jsonpath::`+strings.Repeat(".a", 5000)+`%d"`)
		}, func() map[string]any { return vms(1000, `"a":"x"`) }),
		asking("paths that branch, 1,000 unions", func() string {
			return annotation(700, `"rule":"string","path":"jsonpath::.a[*].b[0,1,2,3].c['d','e','f'][*].g%d","valid":"jsonpath::.a[*].b%d.*.c"`)
		}, func() map[string]any { return object(`{"a":[` + list(1000, `{"b":[1]}`) + `]}`) }),
		asking("valid and path of different wildcards", func() string {
			return annotation(1500, `"rule":"string","path":"jsonpath::..a%d","valid":"jsonpath::..b[*]..c%d"`)
		}, func() map[string]any { return object(`{"b":[` + list(1000, `{"c":[{}]}`) + `]}`) }),
		asking("parts that are shared, a path at any depth", func() string { return annotation(1000, `"rule":"string","path":"jsonpath::..x%d"`) }, func() map[string]any { return shared(60) }),
		parameters("many uses in one text", "", func() string { return `"` + strings.Repeat("${A}", 300_000) + `"` }),
		parameters("many fields", "", func() string { return "[" + list(150_000, `"${A}"`) + "]" }),
		parameters("many fields, and rules for all", annotation(500, `"rule":"string","path":"jsonpath::.a[0:9999]","minLength":%d`), func() string { return "[" + list(9_999, `"${A}"`) + "]" }),
		parameters("many rules for one field", annotation(2500, `"rule":"string","path":"jsonpath::.a","minLength":%d`), func() string { return `"${A}"` }),
		parameters("values for parts of many texts", annotation(1, `"rule":"enum","path":"jsonpath::.a[*]","values":[`+list(20_000, `"x-%d"`)+`]`), func() string { return "[" + list(9_999, `"x-${A}"`) + "]" }),
		parameters("values for many fields", annotation(1, `"rule":"enum","path":"jsonpath::.a[*]","values":[`+list(20_000, `"%d"`)+`]`), func() string { return "[" + list(9_999, `"${{A}}"`) + "]" }),
		parameters("rules for parts of many texts", forAll(1000), func() string { return "[" + list(5000, `"x${A}y"`) + "]" }),
		parameters("rules for several in each of many texts", forAll(1000), func() string { return "[" + list(5000, `"x${A}y${LONG}"`) + "]" }),
		parameters("rules for parts of texts and keys", annotation(1000, `"rule":"string","path":"jsonpath::.a.*","minLength":%d`), func() string { return "{" + list(5000, `"k%d${A}":"x${A}"`) + "}" }),
		parameters("one rule for parts of many texts", forAll(1), func() string { return "[" + list(5000, `"x${A}y"`) + "]" }),
		parameters("rules for a long text with an open name", annotation(1000, `"rule":"string","path":"jsonpath::.a","minLength":%d`), func() string { return `"` + strings.Repeat("${a", 400_000) + `"` }),
		parameters("many uses in one deep text", "", func() string { return nested(900, "[", `"`+strings.Repeat("${A}", 300_000)+`"`, "]") }),
		parameters("numbers that render long", "", func() string { return "[" + list(200_000, "1e990") + "]" }),
		declaring("5,000, each in one field", list(5000, `{"name":"P%d"}`), forAll(1000), func() string { return "[" + list(5000, `"${P%d}"`) + "]" }),
		declaring("5,000, all in one text", list(5000, `{"name":"P%d"}`), annotation(2500, `"rule":"string","path":"jsonpath::.a","minLength":%d`), func() string { return `"` + strings.ReplaceAll(list(5000, "${P%d}"), ",", "") + `"` }),
		declaring("90,000 without a use", list(90_000, `{"name":"%d"}`), "", func() string { return "1" }),
		declaring("a long value in many texts", `{"name":"P","value":"`+strings.Repeat("v", 700_000)+`"}`, forAll(1), func() string { return "[" + list(5000, `"x${P}"`) + "]" }),
		parameters("rules full of a long value", strings.Repeat("${LONG}", 30_000), func() string { return "1" }),
	}
}

// forAll writes n rules about the items of .a.
func forAll(n int) string {
	return annotation(n, `"rule":"string","path":"jsonpath::.a[*]","minLength":%d`)
}

// parameters calls Parameters and Fill with a template whose VM has rules and a field .a.
func parameters(name, rules string, a func() string) attack {
	return declaring(name, `{"name":"LONG","value":`+quoted(strings.Repeat("x", 200_000))+`}`, rules, a)
}

// declaring does the same for a template that declares more parameters than A.
func declaring(name, more, rules string, a func() string) attack {
	return attack{name: "forms/parameters, " + name, calls: func(p *probe) {
		limit("annotation", len(rules), mostAnnotation)
		p.parameters(object(template(more, rules, a())))
	}}
}

// asking calls Limits and Schema.
func asking(name string, text func() string, make func() map[string]any) attack {
	return attack{name: "forms/" + name, calls: func(p *probe) {
		rules, _ := p.parse(text())
		o := make()
		p.text("Limits JSON", limitsJSON(p.limits(rules, o)))
		p.schema(rules, o)
	}}
}
