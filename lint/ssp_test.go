package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint"
)

// An sspTest is a rule, and all that Annotation finds in it under For(SSP): the severity, ID and
// key, and the suggestion if there is one. If the rule does not have them, it gets a name, a
// message, the kind integer and a path to a quantity.
type sspTest struct {
	name, rule string
	want       []string
}

var sspTests = []sspTest{
	{"whole bounds", `"min": 1, "max": 4294967296`, nil},
	{"whole bounds with a point or an exponent", `"min": 1.0, "max": 1e9`, nil},
	{"a bound that is null", `"min": null, "max": 2`, nil},
	{"a quantity", `"min": "4Gi"`, []string{"error ssp-bound min"}},
	{"a number in quotes", `"max": "1024"`, []string{"error ssp-bound max"}},
	{"a quantity in a rule of another kind", `"rule": "enum", "values": ["1"], "min": "1"`,
		[]string{"warning ssp-comparison path", "warning foreign-argument min", "error ssp-bound min"}},
	{"a fraction", `"min": 2.5`, []string{"warning ssp-rounding min"}},
	{"a number that is too long", `"max": 9007199254740993`, []string{"warning ssp-rounding max"}},
	{"a long number that is exact", `"max": 9007199254740992`, nil},
	{"a number that is too large", `"max": 1e30`, []string{"warning ssp-rounding max"}},
	{"a number that is nearly too large", `"max": 9223372036854775807, "min": -9223372036854775808`, []string{"warning ssp-rounding max"}},

	{"values", `"rule": "enum", "path": "jsonpath::.spec.hostname", "values": ["a", "jsonpath::.spec.subdomain"]`, nil},
	{"a number among values", `"rule": "enum", "path": "jsonpath::.spec.hostname", "values": ["1", 2, true]`,
		[]string{"error ssp-values values", "error ssp-values values"}},
	{"one path as values", `"rule": "enum", "path": "jsonpath::.spec.hostname", "values": "jsonpath::.spec.dnsConfig.searches"`,
		[]string{"error ssp-values values"}},
	{"enum without values", `"rule": "enum", "path": "jsonpath::.spec.hostname", "regex": "^a$"`,
		[]string{"warning ssp-no-argument rule", "error foreign-argument regex"}},

	{"a regex of RE2", `"rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "^(?i:win)[[:alpha:]]\\z"`, nil},
	{"lookahead", `"rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "^(?!win)"`, []string{"error ssp-regex regex"}},
	{"a back-reference", `"rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "^(a)\\1$"`, []string{"error ssp-regex regex"}},
	{"a possessive repeat", `"rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "^a++$"`, []string{"error ssp-regex regex"}},
	{"a regex beyond RE2 that is not used", `"path": "jsonpath::.spec.domain.resources.requests.cpu", "regex": "^(?!win)"`,
		[]string{"error foreign-argument regex"}},
	{"a regex from a path", `"rule": "regex", "path": "jsonpath::.spec.hostname", "regex": "jsonpath::.metadata.labels.name"`,
		[]string{"warning ssp-regex-path regex"}},
	{"regex without regex", `"rule": "regex", "path": "jsonpath::.spec.hostname", "minLength": 2`,
		[]string{"warning ssp-no-argument rule", "error foreign-argument minLength"}},

	{"a path without its dot", `"path": "jsonpath::spec.domain.resources.requests.cpu", "min": 1`,
		[]string{"error ssp-path path jsonpath::.spec.domain.resources.requests.cpu"}},
	{"a path that begins with brackets", `"path": "jsonpath::['spec'].domain.resources.requests.cpu", "min": 1`, nil},
	{"a path with its root", `"path": "jsonpath::$.spec.domain.resources.requests.cpu", "min": 1`, nil},
	{"a path in braces", `"path": "jsonpath::{.spec.domain.resources.requests.cpu}", "min": 1`,
		[]string{"error ssp-path path jsonpath::.spec.domain.resources.requests.cpu"}},
	{"a name in double quotes", `"path": "jsonpath::.spec[\"domain\"].resources.requests.cpu", "min": 1`,
		[]string{"error ssp-path path jsonpath::.spec.domain.resources.requests.cpu"}},
	{"a filter with double quotes",
		`"rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[?(@.name == \"a\")].name", "values": ["a"]`, nil},
	{"a name with a blank", `"rule": "string", "path": "jsonpath::.metadata.labels['a b']", "minLength": 1`, []string{"error ssp-path path"}},
	{"a name with a comma", `"rule": "string", "path": "jsonpath::.metadata.labels['a,b']", "minLength": 1`, []string{"error ssp-path path"}},
	{"blanks in brackets", `"rule": "string", "path": "jsonpath::.spec.domain.devices.disks[ 0 ].name", "minLength": 1`, []string{"error ssp-path path jsonpath::.spec.domain.devices.disks[0].name"}},
	{"a blank behind a comma", `"rule": "string", "path": "jsonpath::.spec.domain.devices.disks[0, 1].name", "minLength": 1`, nil},
	{"a valid without its dot", `"valid": "jsonpath::spec.domain", "min": 1`, []string{"error ssp-path valid jsonpath::.spec.domain"}},
	{"an argument in braces", `"min": "jsonpath::{.spec.domain.cpu.cores}"`, []string{"error ssp-path min jsonpath::.spec.domain.cpu.cores"}},
	{"an argument in braces that is not used", `"maxLength": "jsonpath::{.spec.domain.cpu.cores}"`,
		[]string{"error foreign-argument maxLength", "error ssp-path maxLength jsonpath::.spec.domain.cpu.cores"}},
	{"an argument without its dot that is not used", `"maxLength": "jsonpath::spec.domain.cpu.cores"`, []string{"error foreign-argument maxLength"}},
	{"a name with a blank in an argument that is not used", `"maxLength": "jsonpath::.metadata.labels['a b']"`,
		[]string{"error foreign-argument maxLength"}},
	{"a name with a comma in an argument that is not used", `"maxLength": "jsonpath::.metadata.labels['a,b']"`,
		[]string{"error foreign-argument maxLength", "error ssp-path maxLength"}},
	{"a value without its dot that is not used", `"values": ["jsonpath::spec.domain.cpu.cores"]`, []string{"error foreign-argument values"}},
	{"a regex from a path without its dot", `"rule": "regex", "path": "jsonpath::.metadata.labels.a", "regex": "jsonpath::spec.hostname"`,
		[]string{"warning ssp-regex-path regex"}},
	{"a regex from a path in braces, which is not used", `"regex": "jsonpath::{.spec.hostname}"`, []string{"error foreign-argument regex"}},
	{"a misspelt field", `"path": "jsonpath::.spec.domain.memory.guests", "min": 1`,
		[]string{"error misspelt-field path jsonpath::.spec.domain.memory.guest"}},
	{"a misspelt field in valid", `"valid": "jsonpath::.spec.domains", "min": 1`,
		[]string{"error misspelt-field valid jsonpath::.spec.domain"}},
	{"a misspelt field in an argument that is not used", `"minLength": "jsonpath::.spec.domain.cpu.core"`,
		[]string{"error foreign-argument minLength", "error misspelt-field minLength jsonpath::.spec.domain.cpu.cores"}},
	{"an unknown field", `"path": "jsonpath::.spec.colour", "min": 1`, []string{"warning unknown-field path"}},
	{"the spec", `"path": "jsonpath::.spec", "min": 1`, []string{"error not-a-scalar path"}},
	{"a field of a newer KubeVirt", `"rule": "string", "path": "jsonpath::.spec.serviceAccountName", "minLength": 1`,
		[]string{"error ssp-unknown-field path"}},
	{"an array of a newer KubeVirt", `"path": "jsonpath::.spec.domain.devices.interfaces[*].portRanges[*].start", "min": 1`,
		[]string{"error ssp-unknown-field path"}},
	{"an object of a newer KubeVirt", `"rule": "string", "path": "jsonpath::.spec.networks[*].resourceClaim.claimName", "minLength": 1`,
		[]string{"error ssp-unknown-field path"}},
	{"a field of a newer KubeVirt in a filter",
		`"rule": "string", "path": "jsonpath::.spec.networks[?(@.resourceClaim.claimName == 'a')].name", "minLength": 1`,
		[]string{"error ssp-unknown-field path"}},
	{"a field of a newer KubeVirt in valid", `"valid": "jsonpath::.spec.serviceAccountName", "min": 1`,
		[]string{"error ssp-unknown-field valid"}},
	{"a field of a newer KubeVirt in an argument",
		`"rule": "enum", "path": "jsonpath::.spec.hostname", "values": ["jsonpath::.spec.serviceAccountName"]`,
		[]string{"error ssp-unknown-field values"}},
	{"a field of a newer KubeVirt in an argument that is not used", `"maxLength": "jsonpath::.spec.serviceAccountName"`,
		[]string{"error foreign-argument maxLength"}},
	{"a field of a newer KubeVirt beside an older one",
		`"rule": "string", "path": "jsonpath::.spec['hostname','serviceAccountName']", "minLength": 1`, nil},
	{"a field that a newer KubeVirt has in another place, too",
		`"rule": "string", "path": "jsonpath::.spec.volumes[*].serviceAccount.serviceAccountName", "minLength": 1`, nil},
	{"a field of a newer KubeVirt in a rule with justWarning",
		`"rule": "string", "path": "jsonpath::.spec.serviceAccountName", "minLength": 1, "justWarning": true`,
		[]string{"error ssp-unknown-field path", "warning ssp-just-warning justWarning"}},
	{"a field of an embedded pointer, in which that validator does not search",
		`"rule": "regex", "path": "jsonpath::.spec.domain.devices.gpus[*].claimName", "regex": "^a$"`,
		[]string{"error ssp-unknown-field path"}},
	{"a field that may be unset, and a kind that is unknown", `"rule": "tree", "path": "jsonpath::.spec.hostname"`, []string{"error unknown-kind rule"}},
	{"an object", `"path": "jsonpath::.spec.domain.memory", "min": 1`, []string{"error not-a-scalar path"}},

	{"a number", `"path": "jsonpath::.spec.domain.cpu.sockets", "min": 1, "max": 2`, nil},
	{"a request", `"path": "jsonpath::.spec.domain.resources.requests.memory", "max": 2e9`, nil},
	{"a pointer to a number", `"path": "jsonpath::.spec.domain.devices.disks[0].bootOrder", "max": 2`, []string{"error ssp-field path"}},
	{"a label as a number", `"path": "jsonpath::.metadata.labels.cores", "max": 2`, []string{"error ssp-field path"}},
	{"a bus as a number", `"path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "max": 2`,
		[]string{"error wrong-kind rule", "error ssp-field path"}},
	{"a number, or what cannot be read as one", `"path": "jsonpath::.spec.domain.devices.disks[*]['bootOrder','name']", "max": 2`,
		[]string{"error ssp-field path"}},
	{"enum on a number", `"rule": "enum", "path": "jsonpath::.spec.domain.cpu.cores", "values": ["1", "2"]`,
		[]string{"warning ssp-comparison path"}},
	{"regex on a pointer to a string", `"rule": "regex", "path": "jsonpath::.spec.domain.ioThreadsPolicy", "regex": "^auto$"`,
		[]string{"warning ssp-comparison path"}},
	{"enum on a boolean", `"rule": "enum", "path": "jsonpath::.spec.domain.devices.disableHotplug", "values": ["true"]`,
		[]string{"warning ssp-comparison path"}},
	{"string on a type of its own", `"rule": "string", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "minLength": 4`, nil},
	{"a bound from a label", `"max": "jsonpath::.metadata.labels.cores"`, []string{"error ssp-field max"}},
	{"a bound from a number", `"max": "jsonpath::.spec.domain.cpu.cores"`, nil},
	{"a length from a string", `"rule": "string", "path": "jsonpath::.spec.hostname", "maxLength": "jsonpath::.metadata.labels.max"`,
		[]string{"error ssp-field maxLength"}},
	{"a value from a number", `"rule": "enum", "path": "jsonpath::.spec.hostname", "values": ["jsonpath::.spec.domain.cpu.cores"]`,
		[]string{"warning ssp-comparison values"}},
	{"an argument with several values", `"max": "jsonpath::.spec.domain.devices.interfaces[*].acpiIndex"`,
		[]string{"error ssp-argument max"}},
	{"an argument with one item", `"rule": "enum", "path": "jsonpath::.spec.hostname",
		"values": ["jsonpath::.spec.networks[0].name", "jsonpath::.spec.networks[?(@.name == 'a')].name"]`, nil},
	{"several values of an argument that is not used", `"maxLength": "jsonpath::.spec.domain.devices.interfaces[*].acpiIndex"`,
		[]string{"error foreign-argument maxLength"}},

	{"lengths of text for people", `"rule": "string", "path": "jsonpath::.metadata.annotations.note", "maxLength": 9`,
		[]string{"warning ssp-bytes path"}},
	{"text for people without lengths", `"rule": "regex", "path": "jsonpath::.metadata.annotations.note", "regex": "^.$"`, nil},
	{"lengths of the guest's text",
		`"rule": "string", "path": "jsonpath::.spec.volumes[*].cloudInitNoCloud.userData", "maxLength": 9`, []string{"warning ssp-bytes path"}},

	{"0 is allowed", `"path": "jsonpath::.spec.domain.cpu.cores", "max": 8`, []string{"warning ssp-unset path"}},
	{"0 is allowed where there is a valid", `"path": "jsonpath::.spec.domain.cpu.cores", "max": 8, "valid": "jsonpath::.spec.domain.cpu"`, nil},
	{"0 is not allowed", `"path": "jsonpath::.spec.domain.cpu.cores", "min": 1, "max": 8`, nil},
	{"0 is allowed by a bound from a path", `"path": "jsonpath::.spec.domain.cpu.cores", "max": "jsonpath::.spec.domain.cpu.sockets"`, nil},
	{"an argument that is not used forbids 0", `"path": "jsonpath::.spec.domain.cpu.cores", "max": 8, "values": ["1"]`,
		[]string{"warning ssp-unset path", "warning foreign-argument values"}},
	{"no text is allowed", `"rule": "string", "path": "jsonpath::.spec.hostname", "maxLength": 15`, []string{"warning ssp-unset path"}},
	{"no text is not allowed", `"rule": "string", "path": "jsonpath::.spec.hostname", "minLength": 1, "maxLength": 15`, nil},
	{"no text is among values", `"rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "values": ["virtio", ""]`,
		[]string{"warning ssp-unset path"}},
	{"no text is not among values", `"rule": "enum", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "values": ["virtio"]`, nil},
	{"no text matches the regex", `"rule": "regex", "path": "jsonpath::.spec.domain.machine.type", "regex": "^(?:q35)?$"`,
		[]string{"warning ssp-unset path"}},
	{"no text is allowed in items that have a default here, too",
		`"rule": "string", "path": "jsonpath::.spec.domain.devices.disks[*].serial", "maxLength": 9`, nil},
	{"no text is allowed as the name of an item, which it cannot be",
		`"rule": "string", "path": "jsonpath::.spec.domain.devices.disks[*].name", "maxLength": 9`, nil},
	{"no text is allowed as a label, which may be missing there, too", `"rule": "string", "path": "jsonpath::.metadata.labels.a", "maxLength": 9`, nil},
	{"no text is allowed in a part of items", `"rule": "string", "path": "jsonpath::.spec.volumes[*].containerDisk.image", "maxLength": 99`, nil},
	{"no text is allowed in an object that may be missing there, too",
		`"rule": "string", "path": "jsonpath::.spec.livenessProbe.httpGet.path", "maxLength": 99`, nil},
	{"no text is allowed anywhere", `"rule": "string", "path": "jsonpath::..hostname", "maxLength": 99`,
		[]string{"warning vague-path path jsonpath::.spec.hostname"}},
	{"0 is allowed as a quantity", `"path": "jsonpath::.spec.domain.memory.guest", "max": 8e9`, []string{"warning ssp-unset path"}},
	{"0 is allowed as a request, which may be missing there, too", `"path": "jsonpath::.spec.domain.resources.requests.cpu", "max": 8`, nil},
	{"0 is allowed behind a pointer, which may be missing there, too", `"path": "jsonpath::.spec.domain.devices.disks[*].bootOrder", "max": 8`,
		[]string{"error ssp-field path"}},

	{"an unknown kind", `"rule": "tree", "min": 1`, []string{"error unknown-kind rule"}},
	{"a misspelt kind", `"rule": "Integer", "min": 1`, []string{"error misspelt-kind rule integer"}},
	{"a kind of another build", `"rule": "most", "most": 1`, []string{"error ssp-kind rule"}},

	{"a key in another letter case", `"Max": 3, "min": 1`, []string{"error misspelt-key Max max", "warning ssp-key-case Max max"}},
	{"a bound in a key in another letter case", `"MAX": "3k", "min": 1`,
		[]string{"error misspelt-key MAX max", "warning ssp-key-case MAX max", "error ssp-bound MAX"}},
	{"values in a key in another letter case", `"rule": "enum", "path": "jsonpath::.spec.hostname",
		"Values": ["jsonpath::.spec.networks[*].name"], "regex": "^a$"`,
		[]string{"error misspelt-key Values values", "warning ssp-key-case Values values", "error ssp-argument Values",
			"error foreign-argument regex"}},

	{"justWarning", `"min": 1, "justWarning": true`, nil},
	{"justWarning on a rule that fails", `"path": "jsonpath::.metadata.labels.cores", "min": 1, "justWarning": true`,
		[]string{"error ssp-field path", "warning ssp-just-warning justWarning"}},
	{"justWarning on a rule with a misspelt valid", `"valid": "jsonpath::.spec.domains", "min": 1, "justWarning": true`,
		[]string{"error misspelt-field valid jsonpath::.spec.domain"}},
	{"justWarning on a rule with an unknown field in an argument that is not used",
		`"justWarning": true, "minLength": "jsonpath::.spec.domain.cpu.core"`,
		[]string{"error foreign-argument minLength", "error misspelt-field minLength jsonpath::.spec.domain.cpu.cores"}},
	{"justWarning on an unknown kind", `"rule": "tree", "min": 1, "justWarning": true`,
		[]string{"error unknown-kind rule", "warning ssp-just-warning justWarning"}},
	{"no message", `"message": "", "min": "1Gi"`, []string{"error missing-key message"}},
}

func (test sspTest) annotation() string {
	rule := test.rule
	for _, key := range []string{`"message": "m"`, `"path": "jsonpath::.spec.domain.resources.requests.cpu"`, `"rule": "integer"`, `"name": "r"`} {
		if name, _, _ := strings.Cut(key, " "); !strings.Contains(rule, name) {
			rule = key + ", " + rule
		}
	}
	return "[{" + rule + "}]"
}

// isOnlyForSSP reports whether Annotation has the finding only under For(SSP).
func isOnlyForSSP(f lint.Finding) bool { return f.ID == "ssp-unset" }

// TestSSP checks what Annotation says under For(SSP), and that without it the same is only an
// info.
func TestSSP(t *testing.T) {
	for _, test := range sspTests {
		t.Run(test.name, func(t *testing.T) {
			annotation := test.annotation()
			with := lint.Annotation(annotation, lint.For(lint.SSP), vmrules.WithKind("most", most))
			var got []string
			for _, f := range with {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", f.Severity, f.ID, f.Key, f.Suggestion)))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", annotation, diff)
			}
			without := lint.Annotation(annotation, vmrules.WithKind("most", most))
			with = slices.DeleteFunc(with, isOnlyForSSP)
			checkFindings(t, annotation, without, vmrules.WithKind("most", most))
			for i, f := range with {
				if strings.HasPrefix(f.ID, "ssp-") {
					f.Severity = lint.SeverityNote
				} else {
					f.Severity = without[i].Severity
				}
				f.Refuses = without[i].Refuses
				if diff := cmp.Diff(f, without[i]); diff != "" {
					t.Errorf("%s without For (-want +got):\n%s", annotation, diff)
				}
			}
		})
	}
}

// TestSSPOldVersion checks that KubeVirt's template validator does not read the old version,
// except with the prefix of paths.
func TestSSPOldVersion(t *testing.T) {
	const annotation = `[{"name": "r", "rule": "enum", "path": "/spec.hostname", "message": "m", "included": ["a", "/spec.subdomain"]},
		{"name": "s", "rule": "enum", "path": "/spec.hostname", "message": "m", "values": ["a", "/spec.subdomain"]}]`
	var got []string
	for _, f := range lint.Annotation(annotation, vmrules.DetectVersion(), lint.For(lint.SSP)) {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", f.Severity, f.ID, f.Key, f.Suggestion)))
	}
	want := []string{
		"warning ssp-no-argument rule", "error ssp-path path jsonpath::.spec.hostname",
		"error ssp-path path jsonpath::.spec.hostname", "error ssp-path values jsonpath::.spec.subdomain",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUnknownProfile checks that a profile that does not exist is an error, and that ParseRules
// ignores profiles.
func TestUnknownProfile(t *testing.T) {
	findings := lint.Annotation("", lint.For("spp"))
	if len(findings) != 1 || findings[0].ID != "unknown-profile" || findings[0].Severity != lint.SeverityError {
		t.Errorf("%v", findings)
	}
	rules, err := vmrules.ParseRules(sspTests[0].annotation(), vmrules.Strict(), lint.For("spp"))
	if err != nil || rules.Len() != 1 {
		t.Errorf("%v, %v", rules, err)
	}
}
