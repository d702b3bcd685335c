package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/vmrulestest"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/openreports"
)

// judgesNot says why a command or a function has no edge.
var judgesNot = map[string]string{
	"lint":    "is about rules; TestScript has what it says of the VM of a template",
	"export":  "is about rules",
	"explain": "reads no object",

	"openreports.LostRules": "judges nothing",

	"vmrulestest.AllowWarnings":    "is an option",
	"vmrulestest.ForSSP":           "is an option",
	"vmrulestest.WithParameters":   "is an option",
	"vmrulestest.WithParseOptions": "is an option",
	"vmrulestest.WithoutRules":     "is an option",
}

// edges are all ways in which the command and its packages judge an object. Flags are behind the
// name of a command.
var edges = map[string]conformance.Edge{
	"check":                              commandEdge("check", "FILES"),
	"check --strict":                     commandEdge("check", "--strict", "--template", "TEMPLATES", "OBJECT"),
	"check --warn-if-undecided template": commandEdge("check", "--warn-if-undecided", "template", "FILES"),
	"check --for ssp":                    commandEdge("check", "--for", "ssp", "--template", "TEMPLATES", "OBJECT"),
	"audit":                              commandEdge("audit", "--template", "TEMPLATES", "OBJECT"),
	"audit --strict":                     commandEdge("audit", "--strict", "--template", "TEMPLATES", "OBJECT"),
	"audit -o report":                    auditReportEdge,
	"test":                               commandEdge("test", "TESTS"),
	"test --strict":                      commandEdge("test", "--strict", "TESTS"),
	"diff":                               commandEdge("diff", "TEMPLATES", "STRICTER", "--vms", "OBJECT"),
	"limits":                             commandEdge("limits", "-o", "text", "--template", "TEMPLATES", "OBJECT"),
	"vmrulestest.Templates":              templatesEdge,
	"openreports.New":                    reportEdge,
}

// TestEdges tries every command and function that judges objects with all that can become of them.
func TestEdges(t *testing.T) {
	known := map[string]bool{}
	for name := range edges {
		first, _, _ := strings.Cut(name, " ")
		known[first] = true
	}
	for _, name := range waysIn(t) {
		if !known[name] && judgesNot[name] == "" {
			t.Errorf("%s has no edge here: add one, or say in judgesNot why it judges no object", name)
		}
	}
	conformance.RunEdges(t, "../../../testdata", "command.json", edges)
}

// waysIn returns all commands, and the functions of packages that judge.
func waysIn(t *testing.T) []string {
	var all []string
	for _, c := range New(build.Build{Name: "vmrules"}).Commands() {
		all = append(all, c.Name())
	}
	for name, folder := range map[string]string{"vmrulestest": "../vmrulestest", "openreports": "../../../openreports"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || files == nil {
			t.Fatal(folder, err)
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && !strings.HasSuffix(file, "_test.go") {
					all = append(all, name+"."+f.Name.Name)
				}
			}
		}
	}
	return all
}

// listOf writes objects as a List, each in a line of its own.
func listOf(t *testing.T, objects []json.RawMessage) string {
	lines := make([]string, 0, len(objects))
	for _, o := range objects {
		var line bytes.Buffer
		if err := json.Compact(&line, o); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line.String())
	}
	return "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n" + strings.Join(lines, ",\n") + "]}\n"
}

// itemsOf returns the items of a List, or the object itself.
func itemsOf(t *testing.T, object json.RawMessage) []json.RawMessage {
	var list struct {
		Kind  string
		Items []json.RawMessage
	}
	if object == nil {
		return []json.RawMessage{json.RawMessage("null")}
	}
	if err := json.Unmarshal(object, &list); err != nil {
		t.Fatal(err)
	}
	if list.Kind == "List" {
		return list.Items
	}
	return []json.RawMessage{object}
}

// Templates are only beside an object that names one, so that nothing else is judged. They satisfy
// their own rules.
func folderOf(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
	folder := t.TempDir()
	if object == nil {
		object = json.RawMessage("null")
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	of := strings.ReplaceAll(listOf(t, templates), `"cores":4`, `"cores":8`)
	write("object.json", string(object))
	write("stricter", strings.ReplaceAll(of, `\"min\": 2`, `\"min\": 8`))
	write("templates", of)
	if bytes.Contains(object, []byte(vmrules.TemplateLabel)) {
		write("templates.json", of)
	}
	cases := []string{}
	for i, item := range itemsOf(t, object) {
		write(fmt.Sprintf("item-%d", i), string(item))
		cases = append(cases, fmt.Sprintf(`{"name": "case %d", "vm": "item-%d", "expect": "valid"}`, i, i))
	}
	write("tests", `{"cases": [`+strings.Join(cases, ", ")+`]}`)
	return folder
}

// auditReportEdge returns the exit status, and the results of the Reports.
func auditReportEdge(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
	folder := folderOf(t, object, templates)
	var out, stderr bytes.Buffer
	t.Chdir(folder)
	status := Main([]string{"audit", "-o", "report", "--template", "templates", "object.json"}, strings.NewReader(""), &out, &stderr, build.Build{Name: "vmrules"})
	all := []string{fmt.Sprintf("exit %d", status)}
	reader := yaml.NewDecoder(&out)
	for {
		var made struct {
			Results []struct{ Result, Message string }
		}
		if err := reader.Decode(&made); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, r := range made.Results {
			all = append(all, r.Result+": "+r.Message)
		}
	}
	all = append(all, strings.TrimSpace(stderr.String()))
	return strings.TrimSpace(strings.Join(all, "\n"))
}

// commandEdge returns the exit status of a command, and the lines that say something of the object.
func commandEdge(args ...string) conformance.Edge {
	return func(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
		folder := folderOf(t, object, templates)
		var filled []string
		for _, arg := range args {
			name, isFile := map[string]string{"FILES": ".", "OBJECT": "object.json", "TEMPLATES": "templates", "STRICTER": "stricter", "TESTS": "tests"}[arg]
			if isFile {
				arg = filepath.Join(folder, name)
			}
			filled = append(filled, arg)
		}
		var out bytes.Buffer
		status := Main(filled, strings.NewReader(""), &out, &out, build.Build{Name: "vmrules"})
		text := strings.ReplaceAll(out.String(), folder+string(filepath.Separator), "")
		if args[0] == "test" {
			return said(status, text, ofTests)
		}
		return said(status, text, decisive)
	}
}

// decisive matches the lines that say what became of an object.
var (
	decisive = regexp.MustCompile(`^(vmrules: |object\.json|tests:|\d+ (objects?|VMs?|cases?): |(INVALID|NOT VALIDATED|UNREADABLE)  |  (KubeVirt|must be|should be))`)
	ofTests  = regexp.MustCompile(`^(vmrules: |tests:|\d+ cases?: |  \S)`)
	ofLint   = regexp.MustCompile(`^around\.json:.*\((.*)\)\n`)
	blanks   = regexp.MustCompile(`  +`)
)

func said(status int, out string, matches *regexp.Regexp) string {
	all := []string{fmt.Sprintf("exit %d", status)}
	for line := range strings.Lines(out) {
		if matches.MatchString(line) {
			all = append(all, blanks.ReplaceAllString(strings.TrimSpace(line), " "))
		}
	}
	return strings.Join(all, "\n")
}

// templatesEdge returns what go test says of a template that has the object inside.
func templatesEdge(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
	folder := folderOf(t, object, templates)
	items := itemsOf(t, object)
	inside, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	text := `{"apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "around"}, "objects": ` + string(inside) + `}`
	if err := os.WriteFile(filepath.Join(folder, "around.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "object.json")); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0], "-test.run", "^TestTemplatesEdge$", "-test.v")
	command.Env = append(os.Environ(), templatesFolder+"="+folder)
	out, err := command.CombinedOutput()
	status := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	all := []string{fmt.Sprintf("exit %d", status)}
	_, ofAround, _ := strings.Cut(string(out), "/around.json/around\n")
	ofAround, _, _ = strings.Cut(ofAround, "=== ")
	for line := range strings.Lines(ofAround) {
		_, text, ok := strings.Cut(line, ".go:")
		_, text, _ = strings.Cut(text, ": ")
		switch found := ofLint.FindStringSubmatch(text); {
		case !ok, strings.Contains(text, ": note: "):
		case found != nil:
			all = append(all, found[1])
		default:
			all = append(all, strings.TrimSpace(text))
		}
	}
	return strings.Join(all, "\n")
}

// templatesFolder names the variable with the folder for TestTemplatesEdge.
const templatesFolder = "VMRULES_TEMPLATES"

func TestTemplatesEdge(t *testing.T) {
	folder := os.Getenv(templatesFolder)
	if folder == "" {
		t.Skip("TestEdges runs this in a process of its own, because it may fail")
	}
	vmrulestest.Templates(t, os.DirFS(folder), vmrulestest.WithoutRules("bare"))
}

// reportEdge returns the results of a Report.
func reportEdge(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
	var all []string
	for _, item := range itemsOf(t, object) {
		var o map[string]any
		if err := json.Unmarshal(item, &o); err != nil {
			t.Fatal(err)
		}
		report := vmrules.ValidateOwn(o, vmrules.WithTemplates(findIn(templates)))
		made := openreports.New(o, openreports.Validation{Policy: openreports.OwnPolicy, Report: report})
		if made == nil {
			all = append(all, "no Report")
			continue
		}
		for _, r := range made["results"].([]any) {
			all = append(all, fmt.Sprintf("%v: %v", r.(map[string]any)["result"], r.(map[string]any)["message"]))
		}
	}
	return strings.Join(all, "\n")
}

func findIn(templates []json.RawMessage) func(vmrules.TemplateRef) (*vmrules.Template, error) {
	return func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
		if ref.Name == "unclear" {
			return nil, errors.New("there are two")
		}
		for _, text := range templates {
			template, err := vmrules.ParseObject(text)
			if err != nil {
				return nil, err
			}
			if template["metadata"].(map[string]any)["name"] == ref.Name {
				rules, err := vmrules.RulesFor(nil, template)
				return &vmrules.Template{Rules: rules}, err
			}
		}
		return nil, nil
	}
}
