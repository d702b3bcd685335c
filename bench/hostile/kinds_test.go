package hostile

import (
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/crd"
	"github.com/vmrules/vmrules/kinds/kyverno"
)

// Rules of the kinds beyond the format.
func kinds() []attack {
	return []attack{
		cel("a quantity with a large exponent", 1, `quantity(self.q).isGreaterThan(quantity('1'))`, func() string { return `"q":"1e1000000000"` }),
		cel("a quantity in the expression with a large exponent", 1, `quantity('1e999999999').isGreaterThan(quantity('1'))`, func() string { return `"q":""` }),
		cel("a quantity of many digits", 100, `quantity(self.q).add(quantity(self.q)).compareTo(quantity('1e-%d')) > 0`, func() string { return `"q":"` + strings.Repeat("9", 1_000_000) + `"` }),
		cel("quantities in a loop", 100, `self.l.all(x, quantity(x).add(quantity('1E%d')).isGreaterThan(quantity('0')))`, func() string { return `"l":[` + list(10_000, `"1%dE"`) + `]` }),
		cel("a text as a number", 100, `isQuantity(self.q) || semver(self.q).major() > %d`, func() string { return `"q":"` + strings.Repeat("9", 1_000_000) + `"` }),
		cel("large literals", 1400, `'%d`+strings.Repeat("x", 40)+`' in [`+list(8, `'a'`)+`]`, func() string { return `"q":""` }),
		cel("lists of literals, 60 rules", 60, `self.q in [`+list(900, `'a'`)+`]`, func() string { return `"q":""` }),
		cel("lists made of lists", 100, `self.l.map(x, self.l.map(y, [x, y])).size() > %d`, func() string { return `"l":[` + list(10_000, `1`) + `]` }),
		cel("lists that grow", 100, `(`+strings.Repeat("self.l+", 200)+`self.l).size() > %d`, func() string { return `"l":[` + list(10_000, `1`) + `]` }),
		cel("lastIndexOf", 300, `self.q.lastIndexOf(self.p) == %d`, func() string {
			return `"q":"` + strings.Repeat("a", 700_000) + `","p":"b` + strings.Repeat("a", 350_000) + `"`
		}),
		cel("indexOf and contains", 300, `self.q.indexOf(self.p) == %d || self.q.contains(self.p)`, func() string {
			return `"q":"` + strings.Repeat("a", 700_000) + `","p":"` + strings.Repeat("a", 350_000) + `b"`
		}),
		cel("split, lower and upper", 300, `self.q.split('').size() > %d || string(self.q).upperAscii() == string(self.q).lowerAscii()`, func() string { return `"q":"` + strings.Repeat("a", 1_000_000) + `"` }),
		cel("a sort of many", 300, `self.l.sort() == self.l || self.l.isSorted() || self.l.sum() == %d`, func() string { return `"l":[` + list(100_000, `1`) + `]` }),
		cel("addresses and networks", 300, `self.l.all(x, cidr('10.0.0.0/8').containsIP(ip(x))) || self.l.size() == %d`, func() string { return `"l":[` + list(10_000, `"10.0.0.1"`) + `]` }),
		cel("a regex on a long text", 300, `self.q.matches('(a?){300}b%d')`, func() string { return `"q":"` + strings.Repeat("a", 1_000_000) + `"` }),
		cel("regexes of classes", 1000, `self.q.matches('^(?:\\\\pL){900}%d$')`, func() string { return `"q":"a"` }),
		cel("a large object, compared", 1000, `self == object.spec || self.l.size() == %d`, func() string { return `"l":[` + list(100_000, `{}`) + `]` }),
		cel("a message that grows", 300, `self.q == '%d'","messageExpression":"string(self.q) + self.q + self.q + self.q`, func() string { return `"q":"` + strings.Repeat("a", 1_000_000) + `"` }),

		schema("patterns of classes, 100 of them", 100, `{"type":"string","pattern":"^%d\\pL{900}$"}`, func() string { return `"x"` }),
		schema("patterns of classes, ignored case", 100, `{"type":"string","pattern":"(?i)^%d[a-\\x{ffff}]{900}$"}`, func() string { return `"x"` }),
		schema("patterns of classes in one schema", 1, `{"type":"string","allOf":[`+list(3000, `{"pattern":"^%d\\pL{600}$"}`)+`]}`, func() string { return `"x"` }),
		schema("patterns on a long text", 1000, `{"type":"string","pattern":"(a?){300}b%d"}`, func() string { return `"` + strings.Repeat("a", 1_000_000) + `"` }),
		schema("rules with quantities", 100, `{"type":"string","x-kubernetes-validations":[{"rule":"quantity(self).isGreaterThan(quantity('%d'))"}]}`, func() string { return `"1e1000000000"` }),
		schema("rules, 1,000 of them", 1, `{"type":"string","x-kubernetes-validations":[`+list(1000, `{"rule":"self.matches('^%d\\\\pL{300}$')"}`)+`]}`, func() string { return `"x"` }),
		schema("nested properties", 100, nested(25, `{"type":"object","properties":{"a":`, `{"type":"string"}`, `}}`), func() string { return nested(40, `{"a":`, `{}`, `}`) }),
		schema("an enum of many on many items", 1, `{"type":"array","items":{"type":"string","enum":[`+list(20_000, `"v%d"`)+`]}}`, func() string { return `[` + list(100_000, `"x"`) + `]` }),
		schema("a set of many", 100, `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`, func() string { return `[` + list(50_000, `"%d"`) + `]` }),
		schema("all branches of many", 1, `{"type":"array","items":{"type":"integer","anyOf":[`+list(5000, `{"multipleOf":1%d}`)+`]}}`, func() string { return `[` + list(10_000, `1%d`) + `]` }),
		schema("long names in errors", 1, `{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}`, func() string { return `{"` + strings.Repeat("n", 700_000) + `":[` + list(9000, "1") + `]}` }),

		pattern("a large object, 1,500 rules", 1500, `{"metadata":{"labels":{"k1":"x%d"}}}`, func() string { return `{"metadata":{"labels":{` + list(100_000, `"k%d":"y"`) + `}}}` }),
		pattern("a large object where a text should be, 3,000 rules", 2500, `"x%d"`, func() string { return `{` + list(100_000, `"k%d":1`) + `}` }),
		pattern("a deep pattern and many items", 100, nested(40, `{"a":`, `"x"`, `}`), func() string { return `[` + list(10_000, `{"a":{"a":{}}}`) + `]` }),
		pattern("stars", 1000, `{"a":"`+strings.Repeat("*a", 50)+`b%d"}`, func() string { return `{"a":"` + strings.Repeat("a", 100_000) + `"}` }),
		pattern("alternatives", 60, `{"a":"`+strings.Repeat("x|", 1700)+`b%d"}`, func() string { return `{"a":"` + strings.Repeat("a", 10_000) + `"}` }),
		pattern("quantities", 1000, `{"a":">%dG"}`, func() string { return `{"a":"1e1000000000"}` }),
		pattern("existence of each in each", 1000, `{"^(l)":[{"a":"%d"}]}`, func() string { return `{"l":[` + list(20_000, `{"a":"x"}`) + `]}` }),
		pattern("items of many names", 500, `{"l":[{"=(a)":"?*","<(b)":"%d","X(c)":"null"}]}`, func() string { return `{"l":[` + list(20_000, `{"a":"x","b":"y"}`) + `]}` }),
		pattern("large patterns, one to read for each", 2, `{`+list(9000, `"k%d":"v"`)+`}`, func() string { return `{}` }),
	}
}

// cel judges n rules of kind cel on a spec with the given members.
func cel(name string, n int, expression string, members func() string) attack {
	return ofKind("cel, "+name, n, `"rule":"cel","expression":"`+expression+`"`, func() string { return `{` + members() + `}` })
}

func schema(name string, n int, schema string, value func() string) attack {
	return ofKind("schema, "+name, n, `"rule":"schema","schema":`+schema, value)
}

func pattern(name string, n int, pattern string, value func() string) attack {
	return ofKind("pattern, "+name, n, `"rule":"pattern","pattern":`+pattern, value)
}

func ofKind(name string, n int, body string, value func() string) attack {
	return attack{name: "kinds/" + name, calls: func(p *probe) {
		all := slices.Concat(crd.Kinds(), kyverno.Kinds())
		_, err := vmrules.ParseRules(annotation(1, `"rule":"cel","path":"jsonpath::.a","expression":"true"`), all...)
		if err != nil { // and from here on, what the kinds make only once is made
			panic(err)
		}
		p.judge(annotation(n, `"path":"jsonpath::.spec",`+body), object(`{"spec":`+value()+`}`), all...)
	}}
}
