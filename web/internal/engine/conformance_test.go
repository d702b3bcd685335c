package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/web/internal/engine"
)

// A vector is a conformance vector as the JavaScript tests read it: all that a call takes, and
// what the library itself returns, as JSON.
type vector struct {
	Name string `json:"name"`
	Call string `json:"call"`
	// Texts are the annotation and the objects, by the names that the engine gives them.
	Texts         map[string]string `json:"texts"`
	Instancetypes []string          `json:"instancetypes,omitempty"`
	Templates     []string          `json:"templates,omitzero"`
	Parse         map[string]any    `json:"parse"`    // the options of parseRules
	Validate      map[string]any    `json:"validate"` // the options of validate, without objects
	Report        string            `json:"report,omitempty"`
	Problems      []vmrules.Problem `json:"problems,omitempty"`
	opts          []vmrules.ParseOption
	judging       []vmrules.ValidateOption
}

// notHere says of vectors why the package has another answer, on purpose, or none.
func notHere(v conformance.Vector) string {
	switch {
	case v.Name == "no rules over a null object: no results":
		return "JavaScript has undefined where a program forgot the object: that is never valid"
	case v.Name == "a list in which a template is missing":
		return "a template that is named by half is found in any namespace"
	case v.Options.Lookup != "" || v.Options.WarnIfUndecided != nil || v.Options.WithoutInstancetypes:
		return "there is no function that finds templates, no WarnIfUndecided and no WithoutInstancetypes"
	}
	return ""
}

// VMRULES_VECTORS names the file for the JavaScript tests.
func TestConformance(t *testing.T) {
	var all []*vector
	e := engine.New()
	for file, vectors := range conformance.Read(t, "../../../testdata/conformance") {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				if why := notHere(v); why != "" {
					t.Skip(why)
				}
				one := vectorOf(t, file+"/"+v.Name, v)
				report, err := one.callLibrary(t)
				v.Compare(t, report, err)
				one.want(t, report, err)
				compareEngine(t, e, one)
				all = append(all, one)
			})
		}
	}
	if name := os.Getenv("VMRULES_VECTORS"); name != "" {
		if err := os.WriteFile(name, marshal(t, all), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func vectorOf(t *testing.T, name string, v conformance.Vector) *vector {
	one := &vector{
		Name: name, Call: v.Call, Texts: map[string]string{"annotation": v.Text()},
		Parse: map[string]any{}, Validate: map[string]any{},
	}
	if v.Call == "" {
		one.Call = "validate"
	}
	for name, text := range map[string]json.RawMessage{
		"object": v.Object, "template": v.Template, "oldObject": v.Old,
		"instancetype": v.Instancetype, "preference": v.Preference,
	} {
		if len(text) > 0 && string(text) != "null" {
			one.Texts[name] = string(text)
		}
	}
	for _, text := range v.Cluster {
		one.Instancetypes = append(one.Instancetypes, string(text))
	}
	if v.Templates != nil {
		one.Templates = []string{}
	}
	for _, text := range v.Templates {
		one.Templates = append(one.Templates, string(text))
	}
	one.addParseOptions(v)
	one.addValidateOptions(t, v)
	return one
}

func (one *vector) addParseOptions(v conformance.Vector) {
	if v.Version != "" {
		one.Parse["version"] = v.Version
	}
	if v.IsOld() {
		one.opts = append(one.opts, vmrules.V201901())
	}
	if v.Options.Strict {
		one.Parse["strict"] = true
		one.opts = append(one.opts, vmrules.Strict())
	}
	if v.Options.Root != "" {
		one.Parse["root"] = v.Options.Root
		one.opts = append(one.opts, vmrules.WholeObjects())
	}
}

func (one *vector) addValidateOptions(t *testing.T, v conformance.Vector) {
	add := func(name string, value any, opt vmrules.ValidateOption) {
		one.Validate[name] = value
		one.judging = append(one.judging, opt)
	}
	if v.Options.Partial {
		add("partial", true, vmrules.Partial())
	}
	if v.Options.Ratcheting {
		add("ratcheting", true, vmrules.Ratcheting())
	}
	for path, value := range v.Options.Defaults {
		d, err := vmrules.NewDefault(vmrules.MustParsePath(path), value)
		if err != nil {
			t.Fatal(err)
		}
		one.judging = append(one.judging, vmrules.WithDefaults(d))
		one.Validate["defaults"] = v.Options.Defaults
	}
	if text := one.Texts["oldObject"]; text != "" {
		one.judging = append(one.judging, vmrules.WithOldObject(object(t, text)))
	}
	if one.Texts["instancetype"]+one.Texts["preference"] != "" {
		one.judging = append(one.judging,
			vmrules.WithInstancetype(object(t, one.Texts["instancetype"]), object(t, one.Texts["preference"])))
	}
	if v.Templates != nil {
		one.judging = append(one.judging, vmrules.WithTemplates(func(ref vmrules.TemplateRef) (*vmrules.Template, error) {
			namespace := ref.Namespace
			if namespace == "" {
				namespace = ref.VMNamespace
			}
			template := v.FindTemplate(namespace, ref.Name)
			if template == nil {
				return nil, nil
			}
			rules, err := vmrules.RulesFor(nil, template)
			return &vmrules.Template{Namespace: namespace, Rules: rules}, err
		}))
	}
	if v.Cluster != nil {
		one.judging = append(one.judging, vmrules.WithInstancetypes(
			v.Find(func(text json.RawMessage) map[string]any { return object(t, string(text)) })))
	}
}

func object(t *testing.T, text string) map[string]any {
	if text == "" {
		return nil
	}
	o, err := vmrules.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (one *vector) callLibrary(t *testing.T) (*vmrules.Report, error) {
	vm := object(t, one.Texts["object"])
	var rules vmrules.Rules
	var err error
	switch one.Call {
	case "validate":
		rules, err = vmrules.ParseRules(one.Texts["annotation"], one.opts...)
	case "rulesFor":
		rules, err = vmrules.RulesFor(vm, object(t, one.Texts["template"]), one.opts...)
	case "validateOwn":
		return vmrules.ValidateOwn(vm, append(one.judging, vmrules.WithParseOptions(one.opts...))...), nil
	}
	if err != nil {
		return nil, err
	}
	return vmrules.Validate(rules, vm, one.judging...), nil
}

func (one *vector) want(t *testing.T, report *vmrules.Report, err error) {
	if report != nil {
		one.Report = string(marshal(t, report))
	}
	var parse *vmrules.ParseError
	if errors.As(err, &parse) {
		one.Problems = parse.Problems
	}
}

// compareEngine checks that the engine answers what the library does.
func compareEngine(t *testing.T, e *engine.Engine, one *vector) {
	operation, texts := one.Call, maps.Clone(one.Texts)
	names := []string{"object", "oldObject", "instancetype", "preference"}
	switch one.Call {
	case "validate":
		names = append(names, "annotation")
	case "rulesFor":
		operation, texts["vm"] = "validate", texts["object"]
		names = append(names, "vm", "template")
	}
	settings := with(one.Validate, "lookUp", one.Templates != nil)
	maps.Copy(settings, one.Parse)
	lists := map[string][]string{"instancetypes": one.Instancetypes, "templates": one.Templates}
	result, failure := ask(t, e, operation, settings, texts, lists, names...)
	if diff := cmp.Diff(one.Report, result); diff != "" {
		t.Errorf("the report of the engine (-library +engine):\n%s", diff)
	}
	var f engine.Failure
	if failure != "" {
		unmarshal(t, failure, &f)
	}
	if diff := cmp.Diff(one.Problems, f.Problems); diff != "" {
		t.Errorf("the problems of the engine (-library +engine):\n%s%s", diff, failure)
	}
}

func with(settings map[string]any, name string, value any) map[string]any {
	all := map[string]any{name: value}
	for name, value := range settings {
		if _, ok := all[name]; !ok {
			all[name] = value
		}
	}
	return all
}

// ask calls the engine with those texts of the names that there are.
func ask(t testing.TB, e *engine.Engine, operation string, settings map[string]any, texts map[string]string, lists map[string][]string, names ...string) (result, failure string) {
	t.Helper()
	var header, all strings.Builder
	header.WriteString(operation)
	add := func(name, content string) {
		fmt.Fprintf(&header, "\n%s %d", name, len(content))
		all.WriteString(content)
	}
	for name, value := range settings {
		text, isString := value.(string)
		if !isString {
			text = string(marshal(t, value))
		}
		add(name, text)
	}
	for _, name := range names {
		if content, ok := texts[name]; ok && (content != "" || name == "annotation") {
			add(name, content)
		}
	}
	for name, list := range lists {
		for _, content := range list {
			add(name, content)
		}
	}
	return e.Call(header.String(), all.String())
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func unmarshal(t *testing.T, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
