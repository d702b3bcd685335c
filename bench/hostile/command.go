package main

import (
	"strings"
)

// Files for the command.
func command() []attack {
	return []attack{
		check("parameters, 40,000 times a value of 40 KB", map[string]string{"t.yaml": parameterized(strings.Repeat("${A}", 40_000), strings.Repeat("v", 40_000))}),
		check("parameters, 2,000 strings with a value of 250 KB", map[string]string{"t.yaml": parameterized("x", strings.Repeat("v", 250_000)) +
			"objects:\n- kind: VirtualMachine\n  spec: {template: {l: [" + list(2000, `"${A}"`) + "]}}\n"}),
		check("parameters that are not there, 100,000 times", map[string]string{"t.yaml": parameterized(strings.Repeat("${B", 100_000), "v")}),
		check("parameters that hold each other", map[string]string{"t.yaml": parameterized(strings.Repeat("${A}${{A}}", 10_000), strings.Repeat("${A}", 10_000))}),
		check("a generated value of many characters", map[string]string{"t.yaml": "kind: Template\napiVersion: template.openshift.io/v1\nobjects: []\nparameters:\n" +
			strings.Repeat("- {name: A, generate: expression, from: '[a-z]{255}[a-z]{255}[a-z]{255}[a-z]{99999999}'}\n", 1000)}),

		check("YAML, items in items, 100,000 levels", map[string]string{"a.yaml": strings.Repeat("- ", 100_000) + "x\n"}),
		check("YAML, brackets, 100,000 levels", map[string]string{"a.yaml": strings.Repeat("[", 100_000)}),
		check("YAML, braces, 9,000 levels", map[string]string{"a.yaml": strings.Repeat("{a: ", 9000) + strings.Repeat("}", 9000)}),
		check("YAML, 100,000 items on one line", map[string]string{"a.yaml": "a: [" + list(100_000, "1") + "]\n"}),
		check("YAML, 100,000 keys on one line", map[string]string{"a.yaml": "a: {" + list(100_000, "k%d: 1") + "}\n"}),
		check("YAML, 100,000 keys in a block", map[string]string{"a.yaml": "a:\n" + strings.ReplaceAll(list(100_000, "  k%d: 1\n"), ",", "")}),
		check("YAML, aliases of aliases", map[string]string{"a.yaml": laughs(9)}),
		check("YAML, aliases of a large list", map[string]string{"a.yaml": "a: &a [" + list(10_000, "1") + "]\nb: [" + list(10_000, "*a") + "]\n"}),
		check("YAML, 100,000 anchors", map[string]string{"a.yaml": "a: [" + list(50_000, "&a%d 1, *a%d") + "]\n"}),
		check("YAML, merges of merges", map[string]string{"a.yaml": merges(2000)}),
		check("YAML, 100,000 documents", map[string]string{"a.yaml": strings.Repeat("--- {}\n", 100_000)}),
		check("YAML, a long scalar with escapes", map[string]string{"a.yaml": `a: "` + strings.Repeat(`\u0041`, 200_000) + `"` + "\n"}),
		check("JSON with a comma too many", map[string]string{"a.json": `{"a":[` + list(100_000, "1") + `,]}`}),
		check("JSON, brackets, 100,000 levels", map[string]string{"a.json": strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)}),
		check("JSON, 8,000 VMs", map[string]string{"a.json": `{"kind":"List","items":[` + list(8000, annotated(annotation(1, `"rule":"integer","path":"jsonpath::.a"`))[:100]+
			`"}},"spec":{"template":{}}}`) + `]}`}),
		check("JSON, 5,000 VMs with rules of their own", map[string]string{"a.json": `{"kind":"List","items":[` +
			list(5000, annotated(annotation(1, `"rule":"integer","path":"jsonpath::.a"`))) + `]}`}),
		check("an annotation of 250 KB in each of 5 VMs", map[string]string{"a.json": `{"kind":"List","items":[` +
			list(5, annotated(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(80_000, `{}`)+`]`))) + `]}`}),

		lint("40,000 findings on one line", map[string]string{"a.json": annotated("[" + list(9999, `{}`) + "]")}),
		lint("unknown keys on one line of YAML", map[string]string{"a.yaml": "[{name: a, rule: integer, path: 'jsonpath::.a', message: m, " + list(20_000, "k%d: 0") + "}]\n"}),
		lint("findings in a long string in quotes", map[string]string{"a.yaml": "kind: VirtualMachine\nmetadata: {annotations: {vm.kubevirt.io/validations: " +
			quoted(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(60_000, `{}`)+`]`)) + "}}\n"}),
		lint("findings in a block of many lines", map[string]string{"a.yaml": "kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: |\n" +
			"      [\n" + strings.Repeat("      {},\n", 9000) + "      {}]\n"}),
		lint("as SARIF", map[string]string{"a.json": annotated("[" + list(9999, `{}`) + "]")}, "-o", "sarif"),
		lint("as JSON", map[string]string{"a.json": annotated("[" + list(9999, `{}`) + "]")}, "-o", "json"),

		{name: "command/audit, 8,000 VMs", args: []string{"audit", "a.json"}, files: give(map[string]string{"a.json": `{"kind":"List","items":[` +
			list(5000, annotated(annotation(1, `"rule":"integer","path":"jsonpath::.a"`))) + `]}`})},
		{name: "command/audit, one VM of 1 MB of brackets", args: []string{"audit", "a.json"}, files: give(map[string]string{"a.json": `{"kind":"VirtualMachine","a":` +
			nested(500_000, "[", "", "]") + `}`})},
		{name: "command/check --rules, 100,000 documents", args: []string{"check", "--rules", "r.yaml", "a.json"}, files: give(map[string]string{
			"r.yaml": strings.Repeat("--- []\n", 100_000), "a.json": `{"spec":{"template":{"spec":{}}}}`})},
		{name: "command/limits, a template and many values", args: []string{"limits", "a.json"}, files: give(map[string]string{
			"a.json": annotated(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(25_000, `%de980`)+`]`))})},
	}
}

func check(name string, files map[string]string) attack {
	return attack{name: "command/check, " + name, args: append([]string{"check"}, names(files)...), files: give(files)}
}

func lint(name string, files map[string]string, flags ...string) attack {
	return attack{name: "command/lint, " + name, args: append(append([]string{"lint"}, flags...), names(files)...), files: give(files)}
}

func names(files map[string]string) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	return names
}

func give(files map[string]string) func() map[string]string {
	return func() map[string]string { return files }
}

// parameterized is a template with a text and the value of its parameter A.
func parameterized(text, value string) string {
	return "kind: Template\napiVersion: template.openshift.io/v1\nparameters: [{name: A, value: " + quoted(value) + "}]\n" +
		"metadata: {annotations: {a: " + quoted(text) + "}}\n" +
		"objects:\n- kind: VirtualMachine\n  metadata: {annotations: {vm.kubevirt.io/validations: '[]', a: " + quoted(text) + "}}\n  spec: {template: {}}\n"
}

// laughs are lists of nine of the list before.
func laughs(n int) string {
	text := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := range n {
		text += strings.NewReplacer("P", string(rune('0'+i)), "N", string(rune('1'+i))).Replace("aN: &aN [*aP,*aP,*aP,*aP,*aP,*aP,*aP,*aP,*aP]\n")
	}
	return text
}

func merges(n int) string {
	return "a: &a0 {k: 1}\nl:\n" + strings.ReplaceAll(list(n, "- &b%d {<<: *a0, k%d: 1}\n"), ",-", "-")
}
