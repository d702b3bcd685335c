package form_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/internal/value"
)

// openShift returns a template with a VM that has this domain and these rules.
func openShift(parameters, domain, rules string) string {
	return fmt.Sprintf(`{"kind": "Template", "apiVersion": "template.openshift.io/v1", "parameters": [%s], "objects": [
		{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": %s}},
		"spec": {"template": {"spec": {"domain": %s}}}}]}`,
		parameters, mustJSON("["+rules+"]"), domain)
}

// twoVMs returns a template with two VMs that have these domains and the same rules.
func twoVMs(parameters, first, second, rules string) string {
	vm := func(domain string) string {
		return fmt.Sprintf(`{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": %s}},
			"spec": {"template": {"spec": {"domain": %s}}}}`, mustJSON("["+rules+"]"), domain)
	}
	return fmt.Sprintf(`{"kind": "Template", "parameters": [%s], "objects": [%s, %s]}`, parameters, vm(first), vm(second))
}

const atDomain = `objects[0].spec.template.spec.domain`

func TestParameters(t *testing.T) {
	rule := func(path, more string) string {
		return fmt.Sprintf(`{"name": "r", "message": "m", "path": "jsonpath::.spec.domain.%s", %s}`, path, more)
	}
	named := func(name, path, regex string) string {
		return strings.Replace(rule(path, fmt.Sprintf(`"rule": "regex", "regex": %q`, regex)), `"r"`, strconv.Quote(name), 1)
	}
	for _, test := range []struct {
		name, template string
		want           string // members that are not here are not compared
	}{
		{"what is declared",
			openShift(`{"name": "A", "displayName": "a", "description": "d", "value": 1, "required": true},
				{"name": "B", "generate": "expression", "from": "[a-z]{8}"}`,
				`{}`, ``),
			`[{"name": "A", "displayName": "a", "description": "d", "value": "1", "required": true, "uses": [], "must": null},
				{"name": "B", "generate": "expression", "from": "[a-z]{8}"}]`},
		{"the whole value", openShift(`{"name": "CORES", "value": "2"}`, `{"cores": "${CORES}"}`,
			rule("cores", `"rule": "integer", "min": 1, "max": 8`)),
			`[{"name": "CORES",
				"uses": [{"field": "` + atDomain + `.cores", "pointer": "/objects/0/spec/template/spec/domain/cores", "as": "whole"}],
			"must": {"type": "integer", "min": 1, "max": 8, "required": true, "rules": [{"rule": "r", "message": "m"}]}}]`},
		{"as JSON", openShift(`{"name": "CORES"}`, `{"cores": "${{CORES}}"}`, rule("cores", `"rule": "integer", "max": 8`)),
			`[{"uses": [{"field": "` + atDomain + `.cores", "as": "json"}], "must": {"max": 8}}]`},
		{"in part", openShift(`{"name": "A"}, {"name": "B"}`, `{"s": "x-${A}-${B}-${A}", "t": "${A}${{B}}"}`,
			rule("s", `"rule": "string", "maxLength": 8`)),
			`[{"uses": [{"field": "` + atDomain + `.s", "as": "part"}, {"field": "` + atDomain + `.t", "as": "part"}], "must": null},
				{"uses": [{"as": "part"}], "must": null}]`},
		{"in a key", openShift(`{"name": "A"}`, `{"x": {"${A}": 1}}`, ``),
			`[{"uses": [{"field": "` + atDomain + `.x", "as": "key"}], "must": null}]`},
		{"several fields", openShift(`{"name": "A"}`, `{"s": "${A}", "l": [{"t": "${A}"}, {"t": "x"}]}`,
			rule("s",
				`"rule": "enum", "values": ["a", "b", "c"]`)+`,`+strings.Replace(rule("l[*].t",
				`"rule": "enum", "values": ["c", "d", "a"]`),
				`"r"`, `"q"`, 1)),
			`[{"uses": [{"field": "` + atDomain + `.l[0].t", "as": "whole"}, {"field": "` + atDomain + `.s", "as": "whole"}],
				"must": {"values": ["a", "c"]}}]`},
		{"rules that warn, and rules that are off", openShift(`{"name": "A"}`, `{"s": "${A}"}`,
			rule("s",
				`"rule": "string", "minLength": 3, "justWarning": true`)+`,`+strings.Replace(rule("s",
				`"rule": "string", "valid": "jsonpath::.spec.domain.none", "maxLength": 1`),
				`"r"`, `"q"`, 1)),
			`[{"must": null, "should": {"type": "string", "minLength": 3, "maxLength": null}}]`},
		{"in the rules, by what is declared", openShift(`{"name": "MAX", "value": "4", "required": true}, {"name": "A"}`, `{"n": "${A}"}`,
			rule("n", `"rule": "integer", "max": ${MAX}`)),
			`[{"name": "MAX", "uses": [{"field": "objects[0].metadata.annotations.vm\\.kubevirt\\.io/validations", "as": "rules"}],
				"must": null}, {"name": "A", "must": {"max": 4}}]`},
		{"an argument with another parameter", openShift(`{"name": "A"}, {"name": "B"}`, `{"n": "${A}", "m": "${B}"}`,
			rule("n", `"rule": "integer", "min": 1, "max": "jsonpath::.spec.domain.m"`)),
			`[{"must": {"min": 1, "undecided": [{"rule": "r", "message": "m", "argument": "max",
			"note": "max cannot be read from jsonpath::.spec.domain.m: the template's parameter ${B} is not filled in"}]}},
				{"name": "B", "must": null}]`},
		{"the same in one VM, not in the other", twoVMs(`{"name": "A"}, {"name": "B"}, {"name": "C"}`, `{"l": ["${A}", "", "${B}", "${C}"]}`, `{"l": ["${B}", "${C}"]}`,
			named("w", "l[*]", "w")+`,`+named("x", "l[*]", "x")+`,`+named("y", "l[0]", ".")+`,`+named("z", "l[1]", ".")),
			`[{"name": "A", "must": {"patterns": ["w", "x", "."], "rules": [{"rule": "w"}, {"rule": "x"}, {"rule": "y"}]}},
				{"name": "B", "must": {"patterns": ["w", "x", "."], "rules": [{"rule": "w"}, {"rule": "x"}, {"rule": "w"}, {"rule": "x"}, {"rule": "y"}]}},
				{"name": "C", "must": {"patterns": ["w", "x", "."], "rules": [{"rule": "w"}, {"rule": "x"}, {"rule": "w"}, {"rule": "x"}, {"rule": "z"}]}}]`},
		{"outside of any VM",
			`{"kind": "Template", "parameters": [{"name": "A"}], "objects": [{"kind": "Service", "spec": {"name": "${A}"}}]}`,
			`[{"uses": [{"field": "objects[0].spec.name", "as": "whole"}], "must": null}]`},
		{"undeclared, without a name, and declared twice",
			openShift(`{"value": "x"}, {"name": "A", "value": "1"}, {"name": "A", "value": "2"}, null`, `{"s": "${B}"}`, ``),
			`[{"name": "A", "value": "1", "uses": []}]`},
		{"KubeVirt's own template",
			`{"kind": "VirtualMachineTemplate", "apiVersion": "template.kubevirt.io/v1alpha1", "spec": {"parameters": [{"name": "A"}],
				"virtualMachine": {
			"metadata": {"annotations": {"vm.kubevirt.io/validations": ` + string(mustJSON("["+rule("n",
				`"rule": "integer", "max": 4`)+"]")) + `}}, "spec": {"template": {"spec": {"domain": {"n": "${A}"}}}}}}}`,
			`[{"name": "A", "uses": [{"field": "spec.virtualMachine.spec.template.spec.domain.n", "as": "whole"}], "must": {"max": 4}}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			template := decodeExactly(json.RawMessage(test.template))
			got, err := form.Parameters(template)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := value.ThroughJSON(got)
			if err != nil {
				t.Fatal(err)
			}
			want := decodeAny(test.want)
			if diff := cmp.Diff(want, narrowed(decoded, want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !reflect.DeepEqual(template, decodeExactly(json.RawMessage(test.template))) {
				t.Error("the template has changed")
			}
			odd, err := form.Parameters(decodeOddly(json.RawMessage(test.template)))
			if diff := cmp.Diff(got, odd); diff != "" || err != nil {
				t.Errorf("the parameters depend on the decoder (-exact +odd):\n%s%v", diff, err)
			}
		})
	}
}

// TestParametersErrors checks that an error loses no parameters.
func TestParametersErrors(t *testing.T) {
	whole := vmrules.Budget{}
	for _, test := range []struct {
		name, template string
		budget         vmrules.Budget
		names          int
		want           string
	}{
		{"not a template", `{"kind": "VirtualMachine"}`, whole, 0, "only a Template or a VirtualMachineTemplate has parameters"},
		{"another group", `{"kind": "Template", "apiVersion": "other.io/v1"}`, whole, 0,
			"only a Template or a VirtualMachineTemplate has parameters"},
		{"rules that cannot be read", openShift(`{"name": "A"}`, `{"n": "${A}"}`, `{"name": "n"}`), whole, 1,
			"the validation rules cannot be used"},
		{"rules with a parameter without a value",
			openShift(`{"name": "A", "required": true}`, `{}`,
				`{"name": "n", "rule": "integer", "path": "jsonpath::.a", "message": "m", "max": ${A}}`),
			whole, 1, "the validation rules cannot be used"},
		{"too little budget", openShift(`{"name": "A"}`, `{"n": "${A}"}`, ``), vmrules.Budget{Time: time.Microsecond}, 0,
			"the budget for time is used up"},
		{"too little budget for what the rules ask", openShift(`{"name": "A"}`, `{"n": "${A}"}`,
			`{"name": "n", "rule": "string", "path": "jsonpath::.spec.domain.n", "message": "`+strings.Repeat("m", 20_000)+`"}`),
			vmrules.Budget{Memory: 150_000}, 1, "the constraints of the parameters are too large"},
	} {
		all, err := form.Parameters(decodeExactly(json.RawMessage(test.template)), vmrules.WithBudget(test.budget))
		if err == nil || !strings.Contains(err.Error(), test.want) || len(all) != test.names {
			t.Errorf("%s: %d parameters, %v", test.name, len(all), err)
		}
		for _, p := range all {
			if p.Must.Type != "" {
				t.Errorf("%s: %+v", test.name, p)
			}
		}
	}
}

// TestParametersAgreeWithValidate checks that a value of a parameter satisfies Must if and only
// if Validate then accepts the object. The parameter is the whole value of every field that the
// rules judge.
func TestParametersAgreeWithValidate(t *testing.T) {
	racetest.SkipLong(t)
	const domain = `{"x": 1, "y": 2, "some": ["a", "ab", 1], "p": "^a", "a": "${A}", "cpu": {"cores": "${A}"}, "b": {"c": "${A}"},
		"list": [{"d": "${A}"}, {"d": "${A}"}]}`
	satisfied, not := 0, 0
	for n := range uint64(300) {
		g := limitGen{rand.New(rand.NewPCG(seeds.Of(2), n))}
		rules := limitRules(t, withoutDuplicates(t, g.rules(1+g.IntN(3))))
		template := openShift(`{"name": "A"}`, domain, strings.Trim(rules.String(), "[]"))
		parameters, err := form.Parameters(decodeExactly(json.RawMessage(template)))
		if err != nil {
			t.Fatal(err)
		}
		must := parameters[0].Must
		for _, given := range []string{"", "0", "1", "2", "1.5", "-1", "a", "ab", "abc", "1Ki", "500m", "true"} {
			filled := decodeExactly(json.RawMessage(strings.ReplaceAll(template, "${A}", given)))
			report := vmrules.Validate(rules, filled, withTime)
			want := must.Undecided == nil && satisfies(must, given)
			if report.Valid() != want {
				t.Fatalf("case %d: %s\n%q: Must says %t: %s\n%s", n, rules, given, want, mustJSON(must), report)
			}
			if want && must.Type != "" {
				satisfied++
			} else {
				not++
			}
		}
	}
	if satisfied < 300 || not < 1000 {
		t.Errorf("%d values satisfy Must, %d do not", satisfied, not)
	}
}
