package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"

	"github.com/vmrules/vmrules/cmd/vmrules/command"
)

// TestSARIF compares what lint and check write with the JSON Schema of SARIF 2.1.0. The test
// is here, because a validator would be a new dependency of the small build.
func TestSARIF(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"broken.yaml":   "a: [",
		"spaces ü.yaml": vmWith(`[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "min": 2}]`),
		"warned.yaml":   vmWith(`[{"name": "é\u0001", "rule": "string", "path": "jsonpath::.spec.x", "message": "m", "justWarning": true}]`),
		"ignored.yaml":  vmWith(`[{"name": "", "rule": "enum", "path": "jsonpath::.spec.x", "message": "m"}]`),
		"unusable.yaml": vmWith(`[{"name": "cores"}]`),
		"fixable.yaml":  vmWith(`[{"nmae": "cores", "rule": "Integer", "path": ".spec.domain.cpu.core", "message": "m", "min": 1}]`),
		"none.yaml":     "{}",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	schema := schemaOfSARIF(t)
	for _, args := range [][]string{
		{"lint", "-o", "sarif", folder},
		{"check", "-o", "sarif", folder},
		{"lint", "-o", "sarif", filepath.Join(folder, "none.yaml")},
		{"check", "-o", "sarif", filepath.Join(folder, "none.yaml")},
	} {
		var stdout, stderr bytes.Buffer
		command.Main(args, nil, &stdout, &stderr, full)
		result, err := schema.Validate(gojsonschema.NewBytesLoader(stdout.Bytes()))
		if err != nil {
			t.Errorf("%s: %v; %s", args, err, stderr.String())
			continue
		}
		for _, wrong := range result.Errors() {
			t.Errorf("%s: %s", args, wrong)
		}
		checkDriver(t, stdout.Bytes())
	}
}

// checkDriver checks what the schema does not demand: the tool's version, and a link for each
// rule.
func checkDriver(t *testing.T, text []byte) {
	t.Helper()
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct{ ID, HelpURI string }
				}
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	driver := log.Runs[0].Tool.Driver
	if driver.Name != full.Name || driver.Version == "" || len(driver.Rules) == 0 {
		t.Errorf("the tool is %q, version %q, with %d rules", driver.Name, driver.Version, len(driver.Rules))
	}
	for _, rule := range driver.Rules {
		if !strings.HasPrefix(rule.HelpURI, "https://") {
			t.Errorf("%s has no help", rule.ID)
		}
	}
}

// schemaOfSARIF returns the schema that the module go-sarif has in a constant, which it does not
// export.
func schemaOfSARIF(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", reflect.TypeFor[sarif.Report]().PkgPath()).Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(folder)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if constant, ok := n.(*ast.BasicLit); ok && text == "" {
			text, err = strconv.Unquote(constant.Value)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// vmWith returns a VM with 1 core and an annotation.
func vmWith(annotation string) string {
	text, _ := json.Marshal(annotation) // of a string, so this cannot fail
	return `{"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": ` + string(text) + `}},
"spec": {"template": {"spec": {"domain": {"cpu": {"cores": 1}}}}}}`
}
