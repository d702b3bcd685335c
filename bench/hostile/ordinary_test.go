package hostile

import (
	"os"
	"strings"

	"github.com/vmrules/vmrules"
)

// Large but honest input: a bound that refuses it is too narrow.
func ordinary() []attack {
	return []attack{
		{name: "ordinary/quickstart", ordinary: true, calls: func(p *probe) {
			template := file("template.json")
			rules, _ := p.rulesFor(file("vm.json"), template)
			report := p.validate(rules, file("vm.json"))
			p.render(report)
			p.own(template)
			p.limits(rules, template, vmrules.Partial())
			p.schema(rules, template)
		}},
		{name: "ordinary/quickstart rules, 10,000 VMs", ordinary: true, calls: func(p *probe) {
			rules, _ := p.rulesFor(file("vm.json"), file("template.json"))
			report := p.validate(rules, object(`{"kind":"List","items":[`+list(10_000,
				`{"spec":{"template":{"metadata":{"labels":{"licensed-cores":"8"}},"spec":{"domain":{"cpu":{"cores":4},"memory":{"guest":"8Gi"}}}}}}`)+`]}`))
			p.text("String", func() (int, error) { return len(report.String()), nil })
		}},
		{name: "ordinary/1,000 rules", ordinary: true, calls: func(p *probe) {
			text := annotation(1000, `"rule":"integer","path":"jsonpath::.spec.domain.cpu.cores","min":1,"max":%d,"justWarning":true`)
			rules, _ := p.parse(text)
			p.lint(text)
			vm := object(`{"spec":{"template":{"spec":{"domain":{"cpu":{"cores":4}}}}}}`)
			p.render(p.validate(rules, vm))
			p.limits(rules, vm)
			p.schema(rules, vm)
		}},
		{name: "ordinary/1,000 regexes", ordinary: true, calls: func(p *probe) {
			text := annotation(1000, `"rule":"regex","path":"jsonpath::.spec.hostname","regex":"^[a-z][a-z0-9-]{0,40}-?%d?$"`)
			p.judge(text, object(`{"spec":{"template":{"spec":{"hostname":"a-host-of-mine"}}}}`))
			p.lint(text)
			p.lint(beside(text, `{"name":"broken"}`))
		}},
		{name: "ordinary/enum of 10,000 values", ordinary: true, calls: func(p *probe) {
			text := annotation(1, `"rule":"enum","path":"jsonpath::.a[*]","values":[`+list(10_000, `"value-%d"`)+`]`)
			text = strings.Replace(text, `"name":"0"`, `"name":"enum"`, 1)
			vm := object(`{"a":[` + list(1000, `"value-%d"`) + `]}`)
			rules, _ := p.parse(text)
			p.lint(text)
			p.lint(beside(text, `{"name":"broken"}`))
			p.validate(rules, vm)
			p.limits(rules, vm)
			p.schema(rules, vm)
		}},
		{name: "ordinary/1,000 disks with regexes", ordinary: true, calls: func(p *probe) {
			p.judge(annotation(5, `"rule":"regex","path":"jsonpath::.spec.domain.devices.disks[*].name","regex":"^disk-(?!x)[0-9]{1,5}$"`),
				object(`{"spec":{"template":{"spec":{"domain":{"devices":{"disks":[`+list(1000, `{"name":"disk-%d","disk":{"bus":"virtio"}}`)+`]}}}}}}`))
		}},
		{name: "ordinary/1,000 disks with linear regexes, all wrong", ordinary: true, calls: func(p *probe) {
			p.render(p.judge(annotation(5, `"rule":"regex","path":"jsonpath::.spec.domain.devices.disks[*].name","regex":"^[a-z]+(-[a-z]+)*$"`),
				object(`{"spec":{"template":{"spec":{"domain":{"devices":{"disks":[`+list(1000, `{"name":"disk-%d","disk":{"bus":"virtio"}}`)+`]}}}}}}`)))
		}},
	}
}

// file reads a file of the quickstart.
func file(name string) map[string]any {
	text, err := os.ReadFile("../../testdata/quickstart/" + name)
	if err != nil {
		panic(err)
	}
	return object(string(text))
}
