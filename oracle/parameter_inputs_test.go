package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// The fields of a template that hold the parameters A and B: as a whole, as JSON, and beside
// other text.
const parameterDomain = `{"whole": "${A}", "memory": {"guest": "${A}"}, "cpu": {"cores": "${{B}}"}, "json": "${{B}}",
	"part": "x-${A}", "both": "${A}-${B}", "ends": "${B}Gi", "limit": 3, "most": "4Gi"}`

var parameterFields = []string{"whole", "memory.guest", "cpu.cores", "json", "part", "both", "ends"}

// parameterRules generates rules about the fields.
func parameterRules(g *rand.Rand) string {
	pick := func(from ...string) string { return from[g.IntN(len(from))] }
	var all []string
	for i := range 1 + g.IntN(3) {
		members := map[string]string{
			"name": fmt.Sprintf(`"r%d"`, i), "message": `"m"`, "rule": pick(`"integer"`, `"string"`, `"enum"`, `"regex"`),
			"path": `"jsonpath::.spec.domain.` + parameterFields[g.IntN(len(parameterFields))] + `"`,
		}
		for range g.IntN(4) {
			switch g.IntN(7) {
			case 0:
				members["min"] = pick("0", "1", `"1Ki"`, `"jsonpath::.spec.domain.limit"`)
			case 1:
				members["max"] = pick("4", "0", `"2Gi"`, `"jsonpath::.spec.domain.most"`)
			case 2:
				members["minLength"] = pick("0", "1", "3", "4")
			case 3:
				members["maxLength"] = pick("1", "3", "6")
			case 4:
				members["values"] = pick(`["a", "x-a", "x-ab", 1, "1.50", true]`, `["1Gi", "2Gi", "x-1", "4", 4]`, `["0", "1", "2"]`, `[]`, `["null", "a"]`)
			case 5:
				members["regex"] = pick(`"^[a-z]"`, `"^[0-9]+$"`, `"-"`, `"Gi$"`)
			case 6:
				members["valid"] = pick(`"jsonpath::.spec.domain.limit"`, `"jsonpath::.spec.domain.nothing"`, `"jsonpath::.spec.domain.json"`)
			}
		}
		if g.IntN(8) == 0 {
			members["justWarning"] = "true"
		}
		var text []string
		for _, key := range slices.Sorted(maps.Keys(members)) {
			text = append(text, fmt.Sprintf("%q: %s", key, members[key]))
		}
		all = append(all, "{"+strings.Join(text, ", ")+"}")
	}
	return "[" + strings.Join(all, ", ") + "]"
}

var parameterValues = []any{
	nil, "", "a", "ab", "1", "4", "0", "1Gi", "2Gi", "500m", "1.50", "true", "null", "[1]", `"a"`, "x", "abcdef", "-1", json.Number("0"),
	json.Number("1"), json.Number("4"), json.Number("2.5"), true, false,
}

// TestParameterInputs compares the schema of a template's parameters with Validate of the
// template that is filled in.
func TestParameterInputs(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for seed := range uint64(500 * factor(t)) {
		g := rand.New(rand.NewPCG(7, seed))
		annotation := parameterRules(g)
		quoted, _ := json.Marshal(annotation)
		more := []string{``, `, "value": "a"`, `, "value": "1"`, `, "required": true`}[g.IntN(4)]
		template, err := vmrules.ParseObject([]byte(`{"kind": "Template", "parameters": [{"name": "A"` + more + `}, {"name": "B", "value": "1"}],
			"objects": [{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": ` + string(quoted) + `}},
			"spec": {"template": {"spec": {"domain": ` + parameterDomain + `}}}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		in, err := form.ParameterInputs(template)
		if err != nil {
			t.Fatalf("%s: %v", annotation, err)
		}
		ready := inputsOf(t, in)
		for range 60 {
			values := map[string]any{}
			for _, name := range []string{"A", "B"} {
				if v := parameterValues[g.IntN(len(parameterValues))]; v != nil {
					values[name] = v
				}
			}
			filled, err := form.Fill(template, values)
			if err != nil {
				t.Fatal(err)
			}
			report, err := vmrules.ValidateOwn(filled)
			if err != nil {
				t.Fatal(err)
			}
			rejection := ready.compiled.Validate(throughJSON(t, values))
			failed := ""
			switch {
			case rejection == nil && report.Valid():
				counts["accepted by both"]++
			case rejection != nil && !report.Valid():
				counts["rejected by both"]++
			case rejection != nil:
				counts["rejected, as it is narrower"]++
				// A text that is read as JSON may become a value that the text does not look like, or
				// no value at all. A 0 counts as 1 for cores. A required parameter needs a value even if no rule asks for it.
				text, _ := values["B"].(string)
				isMissing := strings.Contains(more, "required") && (values["A"] == nil || values["A"] == "")
				if !json.Valid([]byte(text)) && fmt.Sprint(values["B"]) != "0" && !isMissing && !isNarrower(rejection, throughJSON(t, values), false) {
					failed = "the schema rejects what Validate accepts"
				}
			case isListed(report, in.Unexpressed):
				counts["rejected by Validate alone, as listed"]++
			default:
				failed = "the schema accepts what Validate rejects, and does not list it"
			}
			if failed != "" {
				schema, _ := json.MarshalIndent(in, "", " ")
				text, _ := json.Marshal(values)
				t.Fatalf("seed %d: %s\n%s\n%s %s\n%s\n%v\n%s", seed, failed, annotation, more, text, schema, rejection, report)
			}
		}
	}
	for _, about := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d  %s", counts[about], about)
	}
	for about, least := range map[string]int{"accepted by both": 3000, "rejected by both": 15_000, "rejected, as it is narrower": 3000} {
		if counts[about] < least {
			t.Errorf("%q only %d times, want %d", about, counts[about], least)
		}
	}
}

// isListed reports whether the rules that fail are listed, or that B is read as JSON.
func isListed(report *vmrules.Report, listed []form.Unexpressed) bool {
	return !slices.ContainsFunc(report.Violations(), func(v vmrules.Violation) bool {
		return !slices.ContainsFunc(listed, func(u form.Unexpressed) bool {
			return u.Rule == v.Rule && (u.Argument == "" || u.Argument == v.Argument) ||
				u.Parameter == "B" && u.Type == "string" && (strings.HasSuffix(v.Field, ".cores") || strings.HasSuffix(v.Field, ".json"))
		})
	})
}
