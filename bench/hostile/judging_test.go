package hostile

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules"
)

// Rules and objects that are quick to read and slow to judge.
func judging() []attack {
	return []attack{
		// One annotation for many VMs.
		{name: "judging/own, wrong values in a template of 1,000 VMs", calls: func(p *probe) {
			p.render(p.own(ownTemplate(annotation(1, `"rule":"enum","path":".a","values":[`+list(60_000, `{}`)+`]`), 1000)))
		}},
		{name: "judging/own, empty rules in a template of 1,000 VMs", calls: func(p *probe) {
			p.render(p.own(ownTemplate("["+list(9999, `{}`)+"]", 1000)))
		}},
		{name: "judging/own, regexes in a template of 1,000 VMs", calls: func(p *probe) {
			p.own(ownTemplate(annotation(1000, `"rule":"regex","path":".a","regex":"^(?:\\pL){90}$"`), 1000))
		}},
		{name: "judging/own, values in a template of 5,000 VMs", calls: func(p *probe) {
			p.own(ownTemplate(annotation(1, `"rule":"enum","path":".a","values":[`+list(20_000, `"%d"`)+`]`), 5000))
		}},
		{name: "judging/own, an annotation of 250 KB in each of 5 VMs", calls: func(p *probe) {
			text := annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(80_000, `{}`)+`]`)
			p.render(p.own(object(`{"kind":"List","items":[` + list(5, annotated(text)) + `]}`)))
		}},
		{name: "judging/own, regexes in each of 9 VMs", calls: func(p *probe) {
			text := annotation(1300, `"rule":"regex","path":"jsonpath::.a","regex":"^(?:\\pL){800}x%d$"`)
			p.own(object(`{"kind":"List","items":[` + list(9, annotated(text)) + `]}`))
		}},
		{name: "judging/own, another annotation in each of 5,000 VMs", calls: func(p *probe) {
			text := annotation(1, `"rule":"regex","path":"jsonpath::.a","regex":"^(?:\\pL){90}x$"`)
			p.own(object(`{"kind":"List","items":[` + list(5000, strings.ReplaceAll(annotated(text), "90}x", "90}%d")) + `]}`))
		}},
		{name: "judging/own, unknown keys in a template of 1,000 VMs, strict", calls: func(p *probe) {
			p.render(p.own(ownTemplate(annotation(1, `"rule":"integer","path":".a","min":1,`+list(20_000, `"k%d":0`)), 1000), vmrules.WithParseOptions(vmrules.Strict())))
		}},
		{name: "judging/3,600 rules, 20,000 VMs", calls: func(p *probe) {
			p.judge(annotation(3600, `"rule":"string","path":"jsonpath::.a"`), vms(20_000, `"a":""`))
		}},
		{name: "judging/2,700 rules that are skipped, 20,000 VMs", calls: func(p *probe) {
			p.judge(annotation(2700, `"rule":"string","path":"jsonpath::.a","valid":"jsonpath::.b"`), vms(20_000, `"a":""`))
		}},

		{name: "judging/10,000 rules built in Go, 1,000 VMs", calls: func(p *probe) {
			rules := make([]vmrules.Rule, 10_000)
			for i := range rules {
				rules[i] = vmrules.Rule{Name: strconv.Itoa(i), Message: "m", Kind: vmrules.KindString, Path: vmrules.MustParsePath("jsonpath::.a")}
			}
			read, _ := p.newRules(rules)
			p.validate(read, vms(1000, `"a":1`))
			p.limits(read, vms(1000, `"a":1`))
		}},

		// Linear regular expressions.
		linear("10 rules, 10,000 wrong values", 10, 10_000, strings.Repeat("a", 120)),
		linear("79 rules, 10,000 wrong values", 79, 10_000, strings.Repeat("a", 120)),
		linear("1,000 rules, 1 wrong value", 1000, 1, strings.Repeat("a", 1_400_000)),
		linear("60 rules, 100 wrong values", 60, 100, strings.Repeat("a", 14_000)),
		{name: "judging/linear regex, many VMs", calls: func(p *probe) {
			p.judge(annotation(20, `"rule":"regex","path":"jsonpath::.a","regex":"(?:a?){400}b%d"`), vms(4000, `"a":"`+strings.Repeat("a", 300)+`"`))
		}},
		{name: "judging/linear regex, many limits of values", calls: func(p *probe) {
			p.judge(annotation(2000, `"rule":"regex","path":"jsonpath::.*","regex":"(?:a?){90}b%d"`), object(`{`+list(9000, `"k%d":"`+strings.Repeat("a", 100)+`"`)+`}`))
		}},

		// Backtracking ones.
		backtracking("nested repeats", `^(?=(a+)+b)`),
		backtracking("back-reference", `^(a+)(a+)\1\2b`),
		backtracking("atomic and lookbehind", `^(?:(?>a)|aa)+$(?<!a)`),
		backtracking("lookbehind", `(?<!b)(a|aa|aaa)+(?<=b)c`),

		{name: "judging/backtracking, behind 16 other calls", calls: func(p *probe) {
			rules, _ := p.parse(annotation(1, `"rule":"regex","path":"jsonpath::.a","regex":"^(?:(?=a*$)a)+$"`))
			vm := object(`{"a":"` + strings.Repeat("a", 1_000_000) + `"}`)
			for range 16 {
				go vmrules.Validate(rules, vm)
			}
			p.validate(rules, vm)
		}},

		// Regular expressions that the object holds.
		{name: "judging/regex from the object, one for 2,000 rules", calls: func(p *probe) {
			p.judge(annotation(2000, `"rule":"regex","path":"jsonpath::.a","regex":"jsonpath::.r"`), object(`{"a":"x","r":"^(?:\\pL){900}$"}`))
		}},
		{name: "judging/regex from the object, another for each of 2,000 rules", calls: func(p *probe) {
			p.judge(annotation(2000, `"rule":"regex","path":"jsonpath::.a","regex":"jsonpath::.r%d"`), object(`{"a":"x",`+list(2000, `"r%d":"^(?:\\pL){900}%d$"`)+`}`))
		}},
		{name: "judging/regex from the object, 4 KB for each of 350 rules", calls: func(p *probe) {
			p.judge(annotation(350, `"rule":"regex","path":"jsonpath::.a","regex":"jsonpath::.r%d"`), object(`{"a":"x",`+list(350, `"r%d":"`+strings.Repeat("a|b", 1300)+`%d"`)+`}`))
		}},
		{name: "judging/regex from each of 10,000 VMs", calls: func(p *probe) {
			p.judge(annotation(10, `"rule":"regex","path":"jsonpath::.a","regex":"jsonpath::.r"`), vms(10_000, `"a":"x","r":"^(?:\\pL){900}%d$"`))
		}},
		{name: "judging/regex with lookahead from each of 10,000 VMs", calls: func(p *probe) {
			p.judge(annotation(10, `"rule":"regex","path":"jsonpath::.a","regex":"jsonpath::.r"`), vms(10_000, `"a":"x","r":"^(?=\\pL{200})\\pL{200}%d$"`))
		}},

		// Lists of values.
		{name: "judging/values with one path, 1,000 VMs", calls: func(p *probe) {
			text := annotation(1, `"rule":"enum","path":"jsonpath::.a","values":["jsonpath::.b",`+list(60_000, `"v"`)+`]`)
			p.judge(text, vms(1000, `"a":"x","b":"y"`))
		}},
		{name: "judging/different values with one path, 1,000 VMs", calls: func(p *probe) {
			text := annotation(1, `"rule":"enum","path":"jsonpath::.a","values":["jsonpath::.b",`+list(25_000, `"%d"`)+`]`)
			p.judge(text, vms(1000, `"a":"x","b":"y"`))
		}},
		{name: "judging/values, each with a path, 5,000 VMs", calls: func(p *probe) {
			text := annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(9000, `"jsonpath::.b"`)+`]`)
			p.judge(text, vms(5000, `"a":"x","b":"y"`))
		}},
		{name: "judging/values from lists of 10,000 items, 2,000 rules", calls: func(p *probe) {
			p.judge(annotation(2000, `"rule":"enum","path":"jsonpath::.a","values":["jsonpath::.b[*]"]`), object(`{"a":"x","b":[`+list(10_000, `"value-%d"`)+`]}`))
		}},
		{name: "judging/numbers with long digits as values, 1,000 VMs", calls: func(p *probe) {
			text := annotation(1, `"rule":"enum","path":"jsonpath::.a","values":["jsonpath::.b",`+list(20_000, `%de980`)+`]`)
			p.judge(text, vms(1000, `"a":"x","b":"y"`))
		}},

		// Numbers.
		{name: "judging/numbers of 999 digits, 95 rules", calls: func(p *probe) {
			p.judge(annotation(95, `"rule":"integer","path":"jsonpath::.a[*]","min":`+strings.Repeat("9", 990)+`,"max":1e1000`), object(`{"a":[`+list(10_000, `1e999`)+`]}`))
		}},
		{name: "judging/quantities of 999 digits, 95 rules", calls: func(p *probe) {
			p.judge(annotation(95, `"rule":"integer","path":"jsonpath::.a[*]","min":"1e-1000","max":"`+strings.Repeat("9", 990)+`Ei"`), object(`{"a":[`+list(10_000, `"1e999"`)+`]}`))
		}},
		{name: "judging/numbers of 900 digits in the object", calls: func(p *probe) {
			p.judge(annotation(2000, `"rule":"integer","path":"jsonpath::.a[*]","min":1e-1000,"max":1e1000`), object(`{"a":[`+list(1500, strings.Repeat("8", 900))+`]}`))
		}},
		{name: "judging/lengths of numbers with large exponents", calls: func(p *probe) {
			p.judge(annotation(1000, `"rule":"enum","path":"jsonpath::.a[*]","values":["x"],"minLength":2000,"regex":"^x%d"`), object(`{"a":[`+list(10_000, `1e999`)+`]}`))
		}},

		// Searches.
		{name: "judging/find, long names and many levels", calls: func(p *probe) {
			for _, n := range []int{200, 500, 900} {
				o := any(map[string]any{"x": 1})
				for i := range n {
					o = map[string]any{strings.Repeat("n", 1000): o, "x": i}
				}
				p.find("..x", o)
			}
		}},
		{name: "judging/find, a long name above 10,000 items", calls: func(p *probe) {
			p.find(".*[*]", object(`{"`+strings.Repeat("n", 1_400_000)+`":[`+list(9000, "1")+`]}`))
			p.find(".*.*[*]", object(`{"a":{"`+strings.Repeat(".", 1_400_000)+`":[`+list(9000, "1")+`]}}`))
		}},
		{name: "judging/a long name above 10,000 wrong items", calls: func(p *probe) {
			p.judge(annotation(50, `"rule":"string","path":"jsonpath::.*[*]"`), object(`{"`+strings.Repeat("n", 1_400_000)+`":[`+list(9000, "1")+`]}`))
		}},
		{name: "judging/find, repeated steps at any depth", calls: func(p *probe) {
			p.find("..a..a..a..a..a", nestedObject(900))
			p.find("..*..*..*", nestedObject(900))
			p.find(".*.*.*.*.*.*..a", shared(40))
		}},
		{name: "judging/find, parts that are shared", calls: func(p *probe) {
			p.find("..x", shared(60))
			p.find("..*", shared(900))
		}},
		{name: "judging/find, what holds itself", calls: func(p *probe) {
			p.find("..x", circular())
			p.find("..*..*", circular())
			p.find(".a.a.a.a.a.*.*.*..x", circular())
		}},
		{name: "judging/shared and circular parts, 3,000 rules", calls: func(p *probe) {
			p.judge(annotation(3000, `"rule":"integer","path":"jsonpath::..x"`), shared(60))
			p.judge(annotation(3000, `"rule":"integer","path":"jsonpath::..a..x"`), circular())
			p.judge(annotation(3000, `"rule":"integer","path":"jsonpath::.a.b.a.b.c%d"`), circular())
		}},
		{name: "judging/descent through 150,000 members, an update", calls: func(p *probe) {
			vm := object(`{"spec":{"template":{"spec":{` + list(150_000, `"%d":1`) + `}}}}`)
			rules, _ := p.parse(annotation(3, `"rule":"integer","path":"jsonpath::..*"`))
			p.validate(rules, vm, vmrules.WithOldObject(vm), vmrules.Ratcheting())
		}},

		// Values that only encoding/json can read.
		{name: "judging/a struct around 1,000,000 levels", calls: func(p *probe) {
			vm := map[string]any{"spec": struct{ Template any }{nestedList(1_000_000)}, "metadata": struct{ V any }{nestedList(1_000_000)}}
			rules, _ := p.parse(annotation(3, `"rule":"integer","path":"jsonpath::.a"`))
			p.validate(rules, vm)
			p.own(vm)
			p.rulesFor(vm, vm)
			p.toObject(vm)
		}},
		{name: "judging/a struct around what is shared 2^40 times, 1,000 rules", calls: func(p *probe) {
			vm := map[string]any{"kind": "VirtualMachine", "spec": map[string]any{"template": map[string]any{"spec": struct{ A any }{shared(40)}}}}
			p.judge(annotation(1000, `"rule":"integer","path":"jsonpath::.spec.a%d"`), vm)
			p.toObject(vm)
		}},
		{name: "judging/a union of 50,000, 10,000 items", calls: func(p *probe) {
			p.judge(annotation(1, `"rule":"integer","path":"jsonpath::.a[*][`+list(50_000, "0")+`]"`), object(`{"a":[`+list(10_000, "[1,2]")+`]}`))
			p.find(".a[*]["+list(50_000, "-1")+"]", object(`{"a":[`+list(10_000, "[1,2]")+`]}`))
			p.find(".a[*]["+list(30_000, "'x'")+"]", object(`{"a":[`+list(10_000, `{"x":1}`)+`]}`))
		}},
		{name: "judging/a slice of large steps", calls: func(p *probe) {
			p.find(".a[0:999999999:1]", object(`{"a":[`+list(10_000, "1")+`]}`))
			p.find(".a[*][0:999999999:999999999]", object(`{"a":[`+list(10_000, "[1]")+`]}`))
		}},
		{name: "judging/filters below wildcards", calls: func(p *probe) {
			o := object(`{"a":[` + list(300, `{"b":[`+list(300, `{"c":1}`)+`]}`) + `]}`)
			p.judge(annotation(1000, `"rule":"integer","path":"jsonpath::.a[*].b[?(@.c==%d)].c"`), o)
			p.judge(annotation(1000, `"rule":"integer","path":"jsonpath::.a[?(@.b[*].c)].b[?(@.c>%d)].c"`), o)
			p.find("..[?(@..c==1)]", o)
		}},
		{name: "judging/filters that compare long texts", calls: func(p *probe) {
			long := strings.Repeat("a", 700_000)
			p.judge(annotation(2000, `"rule":"integer","path":"jsonpath::.l[?(@.a==@.b)].c"`), object(`{"l":[{"a":"`+long+`1","b":"`+long+`2"}]}`))
		}},
		{name: "judging/a large object under a wildcard", calls: func(p *probe) {
			o := object(`{"m":{` + list(100_000, `"k%d":1`) + `}}`)
			p.judge(annotation(3000, `"rule":"string","path":"jsonpath::.m.*"`), o)
			p.judge(annotation(3000, `"rule":"string","path":"jsonpath::.*.*.x%d"`), o)
		}},
		{name: "judging/wildcards of many steps", calls: func(p *probe) {
			p.judge(annotation(3000, `"rule":"integer","path":"jsonpath::.*.*.*.*.*.*.x%d"`), object(`{"a":[[[[[`+list(100_000, "{}")+`]]]]]}`))
		}},
		{name: "judging/long texts, 2,500 rules", calls: func(p *probe) {
			long := object(`{"a":"` + strings.Repeat("é", 700_000) + `"}`)
			p.judge(annotation(2500, `"rule":"string","path":"jsonpath::.a","minLength":%d`), long)
			p.judge(annotation(2500, `"rule":"enum","path":"jsonpath::.a","values":["%d"]`), long)
			p.judge(annotation(2500, `"rule":"integer","path":"jsonpath::.a","min":1%d`), long)
		}},
		{name: "judging/10,000 disks with defaults, 2,000 rules", calls: func(p *probe) {
			o := object(`{"spec":{"template":{"spec":{"domain":{"devices":{"disks":[` + list(40_000, `{"name":"d"}`) + `],"interfaces":[` + list(20_000, `{"name":"i"}`) + `]}}}}}}`)
			p.judge(annotation(2000, `"rule":"enum","path":"jsonpath::.spec.domain.devices.disks[*].serial","values":["x%d"]`), o)
			p.judge(annotation(2000, `"rule":"enum","path":"jsonpath::.spec.domain.devices.interfaces[0:9999].model","values":["x%d"]`), o)
		}},
		{name: "judging/many defaults", calls: func(p *probe) {
			var defaults []vmrules.Default
			for i := range 2000 {
				d, _ := vmrules.NewDefault(vmrules.MustParsePath(fmt.Sprintf("jsonpath::.a[*].b[*].c%d", i)), 1)
				defaults = append(defaults, d)
			}
			rules, _ := p.parse(annotation(2000, `"rule":"integer","path":"jsonpath::.a[*].b[*].c%d"`))
			p.validate(rules, object(`{"a":[`+list(100, `{"b":[`+list(90, "{}")+`]}`)+`]}`), vmrules.WithDefaults(defaults...))
		}},

		// Lists in lists.
		{name: "judging/lists in lists, 480,000 items", calls: func(p *probe) {
			p.judge(annotation(1, `"rule":"integer","path":"jsonpath::.a"`), object(`{"kind":"List","items":[{"kind":"List","items":[`+list(480_000, "{}")+`]}]}`))
			p.judge(annotation(10, `"rule":"integer","path":"jsonpath::.a"`), object(`{"kind":"List","items":[`+list(480_000, "{}")+`]}`))
		}},
		{name: "judging/lists in lists, 45,000 lists", calls: func(p *probe) {
			p.judge(annotation(1, `"rule":"integer","path":"jsonpath::.a"`), object(`{"kind":"List","items":[`+list(45_000, `{"kind":"List","items":[{}]}`)+`]}`))
		}},
		{name: "judging/a list that holds itself 3 times", calls: holdsItself(3)},
		{name: "judging/a list that holds itself 100 times", calls: holdsItself(100)},
		{name: "judging/a list that holds itself 5,000 times", calls: holdsItself(5000)},

		// Objects that decoders or Go code may make.
		{name: "judging/a struct with 100,000 numbers, 300 rules", calls: func(p *probe) {
			o := map[string]any{"s": struct{ N []int }{make([]int, 100_000)}}
			p.judge(annotation(300, `"rule":"string","path":"jsonpath::.s.N[5]"`), o)
			p.judge(annotation(300, `"rule":"string","path":"jsonpath::..N%d"`), o)
		}},
		{name: "judging/a value with a slow MarshalJSON, 3,000 rules", calls: func(p *probe) {
			p.judge(annotation(3000, `"rule":"string","path":"jsonpath::.s"`), map[string]any{"s": marshaler(1_000_000)})
			p.judge(annotation(3000, `"rule":"string","path":"jsonpath::.l[*]"`), map[string]any{"l": []any{marshaler(1000), marshaler(100_000)}})
		}},
		{name: "judging/10,000 structs, 300 rules", calls: func(p *probe) {
			var l []struct{ A, B, C string }
			for range 10_000 {
				l = append(l, struct{ A, B, C string }{})
			}
			p.judge(annotation(300, `"rule":"integer","path":"jsonpath::.l[*].A"`), map[string]any{"l": l})
		}},
		{name: "judging/map[any]any of 100,000, 3,000 rules", calls: func(p *probe) {
			m := map[any]any{}
			for i := range 100_000 {
				m[i] = map[any]any{"x": i}
			}
			p.judge(annotation(3000, `"rule":"string","path":"jsonpath::.m.a%d"`), map[string]any{"m": m})
			p.judge(annotation(3000, `"rule":"string","path":"jsonpath::.m.*.y"`), map[string]any{"m": m})
		}},
		{name: "judging/parameters of a template, 100,000 times", calls: func(p *probe) {
			o := object(`{"kind":"Template","apiVersion":"template.openshift.io/v1","objects":[{"kind":"VirtualMachine","spec":{"template":{"a":"` +
				strings.Repeat("${", 100_000) + `","b":"` + strings.Repeat("${A}", 200_000) + `"}}}]}`)
			p.judge(annotation(1200, `"rule":"string","path":"jsonpath::.a"`), o)
			p.judge(annotation(1200, `"rule":"string","path":"jsonpath::.b","minLength":"jsonpath::.a"`), o)
		}},
	}
}

// linear is an attack with n rules whose regular expression takes long for each
// character, although it does not backtrack.
func linear(name string, rules, values int, value string) attack {
	return attack{name: "judging/linear regex, " + name, calls: func(p *probe) {
		p.judge(annotation(rules, `"rule":"regex","path":"jsonpath::.a[*]","regex":"(?:a?){400}b%d"`),
			object(`{"a":[`+list(values, quoted(value))+`]}`))
	}}
}

func backtracking(name, regex string) attack {
	return attack{name: "judging/backtracking, " + name, calls: func(p *probe) {
		p.judge(annotation(1000, `"rule":"regex","path":"jsonpath::.a[*]","regex":`+quoted(regex)),
			object(`{"kind":"List","items":[`+list(100, `{"spec":{"template":{"spec":{},"a":[`+list(100, quoted(strings.Repeat("a", 100)))+`]}}}`)+`]}`))
	}}
}

func nestedObject(n int) map[string]any {
	o := map[string]any{"a": 1}
	for range n {
		o = map[string]any{"a": o}
	}
	return o
}

func nestedList(n int) any {
	var v any = 1
	for range n {
		v = []any{v}
	}
	return v
}

// shared has 2^n paths through n objects.
func shared(n int) map[string]any {
	o := map[string]any{"x": 1}
	for range n {
		o = map[string]any{"a": o, "b": o}
	}
	return o
}

func circular() map[string]any {
	o := map[string]any{"x": 1}
	o["a"], o["b"], o["l"] = o, o, []any{o, o}
	return o
}

func holdsItself(times int) func(*probe) {
	return func(p *probe) {
		o := map[string]any{"kind": "List"}
		items := make([]any, times)
		for i := range items {
			items[i] = o
		}
		o["items"] = items
		rules, _ := p.parse(annotation(1, `"rule":"integer","path":"jsonpath::.a"`))
		p.validate(rules, o)
		p.limits(rules, o)
		p.own(o)
	}
}

// A marshaler of n is a JSON array of n numbers.
type marshaler int

func (m marshaler) MarshalJSON() ([]byte, error) {
	return json.RawMessage("[" + list(int(m), "1") + "]"), nil
}
