package hostile

import (
	"strings"
)

// Attacks on the command, through its files.
func command() []attack {
	return []attack{
		check("parameters, 40,000 times a value of 40 KB", "t.yaml", func() string { return parameterized(strings.Repeat("${A}", 40_000), strings.Repeat("v", 40_000)) }),
		check("parameters, 2,000 strings with a value of 250 KB", "t.yaml", func() string { return parameterized(strings.Repeat(`${A}", "`, 2000), strings.Repeat("v", 250_000)) }),
		check("parameters that are not there, 100,000 times", "t.yaml", func() string { return parameterized(strings.Repeat("${B", 100_000), "v") }),
		check("parameters that hold each other", "t.yaml", func() string {
			return parameterized(strings.Repeat("${A}${{A}}", 10_000), strings.Repeat("${A}", 10_000))
		}),
		check("a generated value of many characters", "t.yaml", func() string {
			return "kind: Template\napiVersion: template.openshift.io/v1\nobjects: [{kind: VirtualMachine, spec: {template: {}}}]\nparameters:\n" +
				strings.ReplaceAll(list(5000, "- {name: A%d, generate: expression, from: '"+strings.Repeat("[a-z]{255}", 10)+"'}\n"), ",-", "-")
		}),

		check("YAML, items in items, 100,000 levels", "a.yaml", func() string { return strings.Repeat("- ", 100_000) + "x\n" }),
		check("YAML, brackets, 100,000 levels", "a.yaml", func() string { return strings.Repeat("[", 100_000) }),
		check("YAML, brackets, 100,000 levels below a key", "a.yaml", func() string { return "a: " + strings.Repeat("[", 100_000) }),
		check("YAML, brackets below a key, closed", "a.yaml", func() string { return "a: " + nested(50_000, "[", "", "]") + "\n" }),
		check("YAML, keys in keys, 100,000 levels", "a.yaml", func() string { return strings.Repeat("? ", 100_000) + "x\n" }),
		check("YAML, braces, 9,000 levels", "a.yaml", func() string { return strings.Repeat("{a: ", 9000) + strings.Repeat("}", 9000) }),
		check("YAML, 100,000 items on one line", "a.yaml", func() string { return "a: [" + list(100_000, "1") + "]\n" }),
		check("YAML, 100,000 keys on one line", "a.yaml", func() string { return "a: {" + list(100_000, "k%d: 1") + "}\n" }),
		check("YAML, 100,000 keys in a block", "a.yaml", func() string { return "a:\n" + strings.ReplaceAll(list(100_000, "  k%d: 1\n"), ",", "") }),
		check("YAML, aliases of aliases", "a.yaml", func() string { return laughs(9) }),
		check("YAML, aliases of a large list", "a.yaml", func() string { return "a: &a [" + list(10_000, "1") + "]\nb: [" + list(10_000, "*a") + "]\n" }),
		check("YAML, 100,000 anchors", "a.yaml", func() string { return "a: [" + list(50_000, "&a%d 1, *a%d") + "]\n" }),
		check("YAML, merges of merges", "a.yaml", func() string { return merges(2000) }),
		check("YAML, 100,000 documents", "a.yaml", func() string { return strings.Repeat("--- {}\n", 100_000) }),
		check("YAML, a long scalar with escapes", "a.yaml", func() string { return `a: "` + strings.Repeat(`\u0041`, 200_000) + `"` + "\n" }),
		check("JSON with a comma too many", "a.json", func() string { return `{"a":[` + list(100_000, "1") + `,]}` }),
		check("JSON, brackets, 100,000 levels", "a.json", func() string { return strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) }),
		check("JSON, 8,000 VMs", "a.json", func() string {
			return `{"kind":"List","items":[` +
				list(8000, `{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1","metadata":{"name":"vm-%d"},"spec":{"template":{"spec":{}}}}`) + `]}`
		}),
		check("JSON, 5,000 VMs with rules of their own", "a.json", func() string {
			return `{"kind":"List","items":[` +
				list(5000, annotated(annotation(1, `"rule":"integer","path":"jsonpath::.a"`))) + `]}`
		}),
		check("an annotation of 250 KB in each of 5 VMs", "a.json", func() string {
			return `{"kind":"List","items":[` +
				list(5, annotated(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(80_000, `{}`)+`]`))) + `]}`
		}),

		linted("40,000 findings on one line", "a.json", func() string { return annotated("[" + list(9999, `{}`) + "]") }),
		linted("unknown keys on one line of YAML", "a.yaml", func() string {
			return "[{name: a, rule: integer, path: 'jsonpath::.a', message: m, " + list(20_000, "k%d: 0") + "}]\n"
		}),
		linted("findings in a long string in quotes", "a.yaml", func() string {
			return "kind: VirtualMachine\nmetadata: {annotations: {vm.kubevirt.io/validations: " +
				quoted(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(60_000, `{}`)+`]`)) + "}}\n"
		}),
		linted("findings in a block of many lines", "a.yaml", func() string {
			return "kind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: |\n" +
				"      [\n" + strings.Repeat("      {},\n", 9000) + "      {}]\n"
		}),
		linted("kinds of another build", "a.json", func() string {
			return "[" + list(3500, `{"name":"n%d","rule":"cel","path":"jsonpath::.a","message":"m"}`) + "]"
		}),
		linted("as SARIF", "a.json", func() string { return annotated("[" + list(9999, `{}`) + "]") }, "-o", "sarif"),
		linted("fixes, as SARIF", "a.json", func() string {
			return annotated("[" + list(3000, `{"name":"n%d","rul":"integer","path":"jsonpath::.a","message":"m"}`) + "]")
		}, "-o", "sarif"),
		linted("fixes", "a.json", func() string {
			return annotated("[" + list(3000, `{"name":"n%d","rul":"integer","path":"jsonpath::.a","message":"m"}`) + "]")
		}, "--unsafe-fixes", "--diff"),
		linted("as JSON", "a.json", func() string { return annotated("[" + list(9999, `{}`) + "]") }, "-o", "json"),

		{name: "command/audit, 5,000 VMs", args: []string{"audit", "a.json"}, files: one("a.json", func() string {
			return `{"kind":"List","items":[` + list(5000, annotated(annotation(1, `"rule":"integer","path":"jsonpath::.a"`))) + `]}`
		})},
		{name: "command/audit, one VM of 1 MB of brackets", args: []string{"audit", "a.json"}, files: one("a.json", func() string {
			return `{"kind":"VirtualMachine","a":` + nested(500_000, "[", "", "]") + `}`
		})},
		{name: "command/audit, 10,000 VMs in YAML", args: []string{"audit", "a.yaml"}, files: one("a.yaml", func() string {
			return strings.Repeat("---\nkind: VirtualMachine\nmetadata: {annotations: {vm.kubevirt.io/validations: nonsense}}\n", 10_000)
		})},
		{name: "command/audit, aliases inside of each other", args: []string{"audit", "a.yaml"}, files: one("a.yaml", func() string {
			return "kind: VirtualMachine\n" + laughs(9)
		})},
		{name: "command/check --rules, 100,000 documents", args: []string{"check", "--rules", "r.yaml", "r.yaml"}, files: one("r.yaml", func() string {
			return strings.Repeat("--- []\n", 100_000)
		})},
		{name: "command/limits, many values", args: []string{"limits", "a.json"}, files: one("a.json", func() string {
			return annotated(annotation(1, `"rule":"enum","path":"jsonpath::.a","values":[`+list(25_000, `%de980`)+`]`))
		})},
		{name: "command/limits --parameters, parts of many texts", args: []string{"limits", "--parameters", "a.json"}, files: one("a.json", func() string {
			return template(`{"name":"B"}`, forAll(1000), "["+list(5000, `"x${A}y"`)+"]")
		})},
		{name: "command/limits --parameters -o text, many regexes", args: []string{"limits", "--parameters", "-o", "text", "a.json"}, files: one("a.json", func() string {
			return template(`{"name":"B"}`, annotation(1800, `"rule":"regex","path":"jsonpath::.a[*]","regex":"%d`+strings.Repeat("a", 50)+`"`), "["+list(12, `"x${A}y"`)+"]")
		})},
	}
}

func check(name, file string, text func() string) attack {
	return attack{name: "command/check, " + name, args: []string{"check", file}, files: one(file, text)}
}

func linted(name, file string, text func() string, flags ...string) attack {
	return attack{name: "command/lint, " + name, args: append([]string{"lint", file}, flags...), files: one(file, text)}
}

func one(file string, text func() string) func() map[string]string {
	return func() map[string]string { return map[string]string{file: text()} }
}

// parameterized is a template with a parameter A and its value, and a list with the text,
// which may be several strings with quotes and commas between them.
func parameterized(text, value string) string {
	return "kind: Template\napiVersion: template.openshift.io/v1\nparameters: [{name: A, value: " + quoted(value) + "}]\n" +
		`objects: [{kind: VirtualMachine, metadata: {annotations: {vm.kubevirt.io/validations: "[]"}}, spec: {template: {l: ["` + text + `"]}}}]` + "\n"
}

// laughs is a chain of n lists, each of which holds the one before it nine times.
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
