package apiserver

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/vmrules/vmrules"
)

const (
	templateKind  = "VirtualMachineTemplate"
	templateGroup = "template.kubevirt.io"
	// templateDefinition is the file with the definition of these templates.
	templateDefinition = "testdata/virtualmachinetemplates.yaml"
	// definitionsVariable is an environment variable that names a file, in YAML and gzip, with the definitions
	// that virt-template deploys.
	definitionsVariable = "VMRULES_TEMPLATE_DEFINITIONS"
)

// The definition of KubeVirt's templates says nothing that is not in KubeVirt's own.
func TestTemplateDefinition(t *testing.T) {
	name := os.Getenv(definitionsVariable)
	if name == "" {
		t.Skip("no file with KubeVirt's definitions in " + definitionsVariable)
	}
	packed, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(unpacked); err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(templateDefinition)
	if err != nil {
		t.Fatal(err)
	}
	written := documents(t, own)[0]
	for _, o := range documents(t, text.Bytes()) {
		if o.GetName() == written.GetName() {
			within(t, "", written.Object, o.Object)
			return
		}
	}
	t.Error("there is no definition of " + written.GetName())
}

// within checks that all that a value has is in another one, and that their lists are the same, apart from
// what else the items have.
func within(t *testing.T, at string, part, whole any) {
	t.Helper()
	switch part := part.(type) {
	case map[string]any:
		object, _ := whole.(map[string]any)
		for key, v := range part {
			within(t, at+"."+key, v, object[key])
		}
	case []any:
		list, _ := whole.([]any)
		if len(list) != len(part) {
			t.Errorf("%s: %v, want %v", at, part, whole)
			return
		}
		for i, v := range part {
			within(t, fmt.Sprintf("%s[%d]", at, i), v, list[i])
		}
	default:
		if part != whole {
			t.Errorf("%s: %v, want %v", at, part, whole)
		}
	}
}

// converted returns an OpenShift Template as virtctl converts it: labels and annotations are kept.
func converted(template map[string]any) *unstructured.Unstructured {
	o := (&unstructured.Unstructured{Object: template}).DeepCopy()
	vms, _, _ := unstructured.NestedSlice(o.Object, "objects")
	spec := map[string]any{"virtualMachine": vms[0]}
	for _, key := range []string{"parameters", "message"} {
		if v := o.Object[key]; v != nil {
			spec[key] = v
		}
	}
	return object(templateGroup+"/v1beta1", templateKind, templateSpace, o.GetName(), map[string]any{
		"metadata": map[string]any{"labels": stringsIn(o.GetLabels()), "annotations": stringsIn(o.GetAnnotations())},
		"spec":     spec,
	})
}

func stringsIn(of map[string]string) map[string]any {
	all := map[string]any{}
	for k, v := range of {
		all[k] = v
	}
	return all
}

// What the command exports of templates of either kind judges the VMs that are made from them, which are the
// same: those of OpenShift's Templates have a label with the name, and those of KubeVirt's, made by the
// client, have no label. All differences from Validate have a reason.
func TestExport(t *testing.T) {
	d := deploy(t)
	command := build(t, "../../cmd/vmrules", ".")
	var templates []map[string]any
	for _, o := range realTemplates(t) {
		templates = append(templates, o.Object)
	}
	counts := map[string]map[string]int{}
	for _, kind := range []string{"Template", templateKind} {
		t.Run(kind, func(t *testing.T) {
			var trials []trial
			var exported []map[string]any
			for i, template := range templates {
				for _, c := range ofTemplate(t, template, i) {
					if (c.template == "") == (kind == templateKind) {
						trials = append(trials, c)
					}
				}
				if kind == templateKind {
					template = d.stored(t, converted(template)).Object
				}
				exported = append(exported, template)
			}
			of := map[string]int{}
			counts[kind] = of
			trials = d.accepted(t, trials, of)
			d.enforce(t, export(t, command, exported))
			for _, c := range trials {
				d.compare(t, c, of)
			}
			for _, what := range []string{"valid true: admitted", "valid false: " + string(refused)} {
				if of[what] < (len(templates)+1)/2 {
					t.Errorf("%s only %d times", what, of[what])
				}
			}
			if kind == templateKind {
				d.leave(t, trials)
			}
		})
	}
	twice := map[string]int{} // one half of the VMs with labels has its own rules, too
	for what, n := range counts[templateKind] {
		twice[what] = 2 * n
	}
	if diff := cmp.Diff(twice, counts["Template"]); diff != "" {
		t.Errorf("(-without labels +with labels):\n%s", diff)
	}
	t.Log(counts)
}

// realTemplates returns the OpenShift Templates of the quickstart and of -templates, in templateSpace.
func realTemplates(t *testing.T) (all []*unstructured.Unstructured) {
	t.Helper()
	files := []string{"../../testdata/quickstart/template.yaml"}
	if *moreTemplates != "" {
		more, err := filepath.Glob(*moreTemplates)
		if err != nil || len(more) == 0 {
			t.Fatal(err, *moreTemplates)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range documents(t, text) {
			o.SetNamespace(templateSpace)
			all = append(all, o)
		}
	}
	return all
}

// stored returns an object as the server keeps it until the test ends.
func (d *deployment) stored(t *testing.T, o *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	d.add(t, o)
	if err := d.client.Get(context.Background(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatal(err)
	}
	return o
}

// export returns what the command exports of templates.
func export(t *testing.T, command string, templates []map[string]any) (all []map[string]any) {
	t.Helper()
	folder := t.TempDir()
	for i, template := range templates {
		text, err := json.Marshal(template)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%03d.json", i)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command(command, "export", folder)
	var said bytes.Buffer
	run.Stderr = &said
	text, err := run.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("%v\n%s", err, said.String())
	}
	for _, o := range documents(t, text) {
		all = append(all, o.Object)
	}
	t.Logf("%d templates, %d documents", len(templates), len(all))
	return all
}

// compare counts what the policies in the server say to the VM of a trial, and the reasons for which Validate
// says something else.
func (d *deployment) compare(t *testing.T, c trial, counts map[string]int) {
	t.Helper()
	opts := []vmrules.ValidateOption{}
	if c.old != nil {
		opts = append(opts, vmrules.WithOldObject(c.old), vmrules.Ratcheting())
	}
	want := vmrules.Validate(c.rules, c.object, opts...)
	err := d.judge(c)
	got := verdictOf(err)
	counts[fmt.Sprintf("valid %t: %s", want.Valid(), got)]++
	if want.Valid() == (got == admitted) && got != failed {
		return
	}
	i := slices.IndexFunc(differences, func(d difference) bool { return d.is(c, want, got) })
	if i < 0 {
		t.Errorf("%s: %s\n%v\nvmrules: %s", c.name, got, err, want)
		return
	}
	counts[differences[i].why]++
}

// leave checks how VMs leave a policy that selects them by their annotation: a VM that is refused is
// admitted with another annotation or without one, and if it is exempt.
func (d *deployment) leave(t *testing.T, trials []trial) {
	t.Helper()
	i := slices.IndexFunc(trials, func(c trial) bool { return c.old == nil && verdictOf(d.judge(c)) == refused })
	if i < 0 {
		t.Fatal("no VM is refused")
	}
	for _, leaving := range []struct {
		name, key, value string
		want             verdict
	}{
		{"the same with blanks around it", vmrules.Annotation, " " + trials[i].own + "\n", refused},
		{"other rules", vmrules.Annotation, "[]", admitted},
		{"no rules", vmrules.Annotation, "", admitted},
		{"exempt", vmrules.SkipAnnotation, "", admitted},
	} {
		vm := trials[i].vm(trials[i].object, "new")
		_ = unstructured.SetNestedField(vm, leaving.value, "metadata", "annotations", leaving.key)
		if _, err := d.create(vm); verdictOf(err) != leaving.want {
			t.Errorf("%s: %v, want %s", leaving.name, err, leaving.want)
		}
	}
}
