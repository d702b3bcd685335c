package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

// The schema for inputs makes the same promises as the schema of rules, but it is narrower:
// a field has one type. These tests check them on the same rules and VMs. Where the schema
// rejects what Validate accepts, each of its errors must come from that.

// inputsOf compiles the schema for inputs, with its formats.
func inputsOf(t *testing.T, in form.InputSchema) *schemaReady {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.UseRegexpEngine(ecmaRegexp)
	compiler.AssertFormat()
	doc := throughJSON(t, in.Schema)
	for _, name := range formatsIn(doc) {
		format, err := form.ParseFormat(name)
		if err != nil {
			t.Fatal(err)
		}
		compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, isString := v.(string); isString && !format.Allows(s) {
				return errors.New("not allowed")
			}
			return nil
		}})
	}
	if err := compiler.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		text, _ := json.Marshal(in.Schema)
		t.Fatalf("%s\n%v", text, err)
	}
	var listed []schemaGap
	for _, u := range in.Unexpressed {
		listed = append(listed, schemaGap{Rule: u.Rule, Argument: u.Argument, Type: u.Type, Reason: u.Reason})
	}
	return &schemaReady{compiled, listed}
}

// formatsIn returns the formats in a schema.
func formatsIn(schema any) []string {
	var all []string
	switch schema := schema.(type) {
	case map[string]any:
		if name, ok := schema["format"].(string); ok {
			all = append(all, name)
		}
		for _, below := range schema {
			all = append(all, formatsIn(below)...)
		}
	case []any:
		for _, below := range schema {
			all = append(all, formatsIn(below)...)
		}
	}
	return all
}

// isNarrower reports whether all errors of a schema for inputs come from its being narrower
// than Validate: at the place of each error, or above it, a value has another type, is
// null, a 0 or an empty string that counts as missing, or is an array of another length.
func isNarrower(err error, object any, partial bool) bool {
	var all []*jsonschema.ValidationError
	var collect func(*jsonschema.ValidationError)
	collect = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			all = append(all, e)
		}
		for _, cause := range e.Causes {
			collect(cause)
		}
	}
	collect(err.(*jsonschema.ValidationError))
	narrow := map[string]bool{}
	for _, e := range all {
		at := strings.Join(e.InstanceLocation, "/")
		v := valueAt(object, e.InstanceLocation)
		switch k := e.ErrorKind.(type) {
		case *kind.Type:
			narrow[at] = true
		case *kind.MinItems:
			narrow[at] = narrow[at] || k.Want > 0
		case *kind.MaxItems:
			narrow[at] = true
		}
		isDefaulted := strings.HasSuffix(at, "/cores") || strings.HasSuffix(at, "/sockets") || strings.HasSuffix(at, "/threads")
		narrow[at] = narrow[at] || v == nil || isDefaulted && fmt.Sprint(v) == "0" || partial && v == ""
	}
	return !slices.ContainsFunc(all, func(e *jsonschema.ValidationError) bool {
		for i := range len(e.InstanceLocation) + 1 {
			if narrow[strings.Join(e.InstanceLocation[:i], "/")] {
				return false
			}
		}
		return true
	})
}

func valueAt(v any, at []string) any {
	for _, name := range at {
		switch of := v.(type) {
		case map[string]any:
			v = of[name]
		case []any:
			var i int
			_, _ = fmt.Sscan(name, &i)
			v = of[i]
		}
	}
	return v
}

// TestInputs checks the promises on generated rules and VMs.
func TestInputs(t *testing.T) {
	t.Parallel()
	seed := generatorSeed(t, schemaSeedVariable, schemaDefaultSeed)
	counts := map[string]int{}
	for n := range uint64(schemaRuleSets * factor(t)) {
		g := newCELGen(seed, n)
		generated := g.rules()
		rules, err := vmrules.ParseRules(celAnnotation(generated))
		if err != nil {
			t.Fatal(err)
		}
		opts := []vmrules.ValidateOption{withTime}
		isPartial := g.chance(15)
		if isPartial {
			opts = append(opts, vmrules.Partial())
		}
		given := g.vm(generated)
		ready := inputsOf(t, form.Inputs(rules, given.object(), opts...))
		for i := range schemaVMsForSet {
			c := schemaCase{celCase: given, given: given}
			if i > 0 {
				c.celCase = g.vm(generated)
				c.form = given.form
			}
			if !c.readsTheSame(rules) {
				continue
			}
			object := throughJSON(t, c.object())
			rejection := ready.compiled.Validate(object)
			valid := vmrules.Validate(rules, c.object(), opts...).Valid()
			failed := ""
			switch {
			case rejection == nil && valid:
				counts["accepted by both"]++
			case rejection != nil && !valid:
				counts["rejected by both"]++
			case rejection != nil:
				counts["rejected, as it is narrower"]++
				if !isNarrower(rejection, object, isPartial) {
					failed = "the schema rejects what Validate accepts"
				}
			case c.promised(rules, ready.listed):
				failed = "the schema accepts what Validate rejects, and does not list it"
			default:
				counts["rejected by Validate alone, as listed"]++
			}
			if failed != "" {
				schema, _ := json.MarshalIndent(form.Inputs(rules, given.object(), opts...), "", " ")
				text, _ := json.Marshal(c.object())
				t.Fatalf("%s=%d, rule set %d, VM %d: %s\n%s\n%s\n%s\n%v\n%s", schemaSeedVariable, seed, n, i, failed,
					celAnnotation(generated), text, schema, rejection, vmrules.Validate(rules, c.object(), opts...))
			}
		}
	}
	for _, about := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d  %s", counts[about], about)
	}
	for about, least := range map[string]int{"accepted by both": 600, "rejected by both": 1200, "rejected, as it is narrower": 40} {
		if counts[about] < least {
			t.Errorf("%q only %d times, want %d", about, counts[about], least)
		}
	}
}

// TestInputsVectors checks the promises on the objects of the conformance vectors.
func TestInputsVectors(t *testing.T) {
	files, err := filepath.Glob("../testdata/conformance/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	compared, accepted := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var of struct {
			Vectors []struct {
				Name               string
				Annotation, Object json.RawMessage
				Version            vmrules.Version
			}
		}
		if err := json.Unmarshal(text, &of); err != nil {
			t.Fatal(err)
		}
		for _, v := range of.Vectors {
			annotation := string(v.Annotation)
			_ = json.Unmarshal(v.Annotation, &annotation) // it may be a string already
			var opts []vmrules.ParseOption
			if v.Version != "" {
				opts = append(opts, vmrules.WithVersion(v.Version))
			}
			rules, err := vmrules.ParseRules(annotation, opts...)
			object, isObject := schemaObject(v.Object)
			if err != nil || !isObject {
				continue
			}
			for _, isPartial := range []bool{false, true} {
				opts := []vmrules.ValidateOption{withTime}
				if isPartial {
					opts = append(opts, vmrules.Partial())
				}
				ready := inputsOf(t, form.Inputs(rules, object, opts...))
				plain := throughJSON(t, object)
				rejection := ready.compiled.Validate(plain)
				report := vmrules.Validate(rules, object, opts...)
				compared++
				if rejection == nil && report.Valid() {
					accepted++
				}
				switch {
				case rejection != nil && report.Valid() && !isNarrower(rejection, plain, isPartial):
					t.Errorf("%s, %s: the schema rejects: %v\n%s\n%.2000s", file, v.Name, rejection, annotation, v.Object)
				case rejection == nil && !report.Valid() && len(ready.listed) == 0 && !schemaKnowsNoBounds(report):
					t.Errorf("%s, %s: the schema accepts; Validate: %s\n%s\n%.2000s", file, v.Name, report, annotation, v.Object)
				}
			}
		}
	}
	if compared < 500 || accepted < 100 {
		t.Errorf("%d compared, %d accepted", compared, accepted)
	}
}
