package hostile

import (
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/policy"
)

// Rules that become policies.
func policies() []attack {
	return []attack{
		exported("60,000 values", func() string {
			return annotation(1, `"rule":"enum","path":"jsonpath::.spec.hostname","values":[`+list(60_000, `"v"`)+`]`)
		}),
		exported("25,000 different values", func() string {
			return annotation(1, `"rule":"enum","path":"jsonpath::.spec.hostname","values":[`+list(25_000, `"%d"`)+`]`)
		}),
		exported("values that render long", func() string {
			return annotation(1, `"rule":"enum","path":"jsonpath::.spec.hostname","values":[`+list(25_000, `%de980`)+`]`)
		}),
		exported("regexes of classes", func() string {
			return annotation(1500, `"rule":"regex","path":"jsonpath::.spec.hostname","regex":"^(?:\\pL){9}%d$"`)
		}),
		exported("regexes of 4 KB", func() string {
			return annotation(55, `"rule":"regex","path":"jsonpath::.spec.hostname","regex":"`+strings.Repeat("a|b", 1300)+`%d"`)
		}),
		exported("many paths with wildcards", func() string {
			return annotation(1200, `"rule":"string","path":"jsonpath::.spec.domain.devices.disks[*].disk.bus","valid":"jsonpath::.spec.domain.devices.disks[*].disk","minLength":%d`)
		}),
		exported("different paths", func() string {
			return annotation(1800, `"rule":"integer","path":"jsonpath::.metadata.labels.l%d","valid":"jsonpath::.metadata.labels","max":5`)
		}),
		exported("paths of many steps", func() string {
			return annotation(20, `"rule":"string","path":"jsonpath::.spec`+strings.Repeat("[*].a", 1500)+`%d"`)
		}),
		exported("paths of as many steps as are translated", func() string {
			return annotation(1400, `"rule":"string","path":"jsonpath::.spec.disks`+strings.Repeat("[*].a", 11)+`","minLength":%d`)
		}),
		exported("a long message", func() string {
			return strings.Replace(annotation(1, `"rule":"string","path":"jsonpath::.spec.hostname"`), `"m"`, quoted(strings.Repeat("'", 250_000)), 1)
		}),
	}
}

func exported(name string, text func() string) attack {
	return attack{name: "policies/" + name, calls: func(p *probe) {
		rules, _ := p.parse(text())
		p.measure("Of", func() (string, string) {
			documents, untranslated, err := policy.Of(rules, policy.Scope{Name: "attack", Partial: true})
			return decided, fmt.Sprintf("%d documents, %d untranslated, %v", len(documents), len(untranslated), err)
		})
	}}
}
