package apiserver

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/seeds"
	"github.com/vmrules/vmrules/policy"
)

var (
	all     = flag.Bool("all", false, "run all conformance vectors, and not only those of usual")
	mutants = flag.Int("mutants", 150, "how many changed VMs of the quickstart's template to write")
)

// usual has the files of conformance vectors that are run without -all.
var usual = []string{"kinds", "outcomes", "spec-201902-2", "updates"}

// A trial is a VM that the server judges by the policy of a template, and vmrules by its rules. It is
// new, or an update of an old VM.
type trial struct {
	name     string
	template string // the name of the policy and of the template
	space    string // the namespace of the template; "" if the VM does not name it
	text     string // the rules in JSON, of vectors
	own      string // rules of the VM itself; "" for none
	rules    vmrules.Rules
	object   map[string]any
	old      map[string]any             // nil for a new VM
	stored   *unstructured.Unstructured // the old VM in the server
}

// labelled returns a VM with a name and the label of a template alone, as an API server decodes it.
func labelled(object map[string]any, name, template string) map[string]any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	var vm map[string]any
	if err := utiljson.Unmarshal(text, &vm); err != nil {
		return nil
	}
	metadata := map[string]any{"name": name, "namespace": "default"}
	if template != "" {
		metadata["labels"] = map[string]any{vmrules.TemplateLabel: template}
	}
	vm["metadata"] = metadata
	return vm
}

// vm returns an object of the trial with a name, the labels of its template, and its rules.
func (c trial) vm(object map[string]any, name string) map[string]any {
	vm := labelled(object, name, c.template)
	if c.space != "" {
		_ = unstructured.SetNestedField(vm, c.space, "metadata", "labels", vmrules.TemplateNamespaceLabel)
	}
	if c.own != "" {
		_ = unstructured.SetNestedField(vm, c.own, "metadata", "annotations", vmrules.Annotation)
	}
	return vm
}

// whole adds to a VM what KubeVirt's definition requires and no rule is about.
func whole(vm map[string]any) map[string]any {
	if spec, _, _ := unstructured.NestedMap(vm, "spec", "template", "spec"); spec != nil {
		if devices, _, _ := unstructured.NestedFieldNoCopy(vm, "spec", "template", "spec", "domain", "devices"); devices == nil {
			_ = unstructured.SetNestedMap(vm, map[string]any{}, "spec", "template", "spec", "domain", "devices") // domain may be a scalar
		}
	}
	return vm
}

// vectorTrials returns the conformance vectors that a server can judge: VMs with rules, if they are
// usable, and no option that changes them.
func vectorTrials(t *testing.T, isUsable func(template string, rules vmrules.Rules) bool) []trial {
	var trials []trial
	files := conformance.Read(t, "../../testdata/conformance")
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !*all && !slices.Contains(usual, file) {
			continue
		}
		for i, v := range files[file] {
			var object, old map[string]any
			if json.Unmarshal(v.Object, &object) != nil || object["kind"] != "VirtualMachine" || v.Old != nil && json.Unmarshal(v.Old, &old) != nil {
				continue
			}
			if v.Call != "" || v.Version != "" || v.Options.Root != "" || v.Options.Partial || v.Options.Defaults != nil || old != nil && old["kind"] != "VirtualMachine" {
				continue
			}
			rules, err := vmrules.ParseRules(v.Text())
			template := fmt.Sprintf("%s-%d", file, i)
			if err != nil || rules.Len() == 0 || !isUsable(template, rules) {
				continue
			}
			c := trial{name: file + ": " + v.Name, template: template, text: v.Text(), rules: rules, object: object}
			trials = append(trials, c)
			if old != nil && v.Options.Ratcheting {
				c.name += " (update)"
				c.old = old
				trials = append(trials, c)
			}
		}
	}
	return trials
}

// translated returns a function that keeps the rules of templates. It returns false for rules that are
// not all translated.
func translated(templates map[string]vmrules.Rules) func(template string, rules vmrules.Rules) bool {
	return func(template string, rules vmrules.Rules) bool {
		if _, _, err := policy.Of(rules, policy.Scope{Name: "vmrules." + template}); err != nil {
			return false
		}
		templates[template] = rules
		return true
	}
}

// edits change a VM of the quickstart's template: fields below spec.template.spec, and their values.
var edits = []struct {
	path   []string
	values []any
}{
	{[]string{"domain", "cpu", "cores"}, []any{nil, 0, 1, 8, 9, 64}},
	{[]string{"domain", "cpu", "dedicatedCpuPlacement"}, []any{nil, true, false}},
	{[]string{"domain", "memory", "guest"}, []any{nil, "4Gi", "4194303Ki", "1Gi", "8Ei", "6000000000000m", "1.5Gi"}},
	{[]string{"domain", "memory", "maxGuest"}, []any{nil, "2Gi", "64Gi"}},
	{[]string{"hostname"}, []any{nil, "accounting", "under_score", "a-name-of-more-than-fifteen"}},
	{[]string{"domain", "devices", "disks"}, []any{
		nil, []any{},
		[]any{map[string]any{"name": "a", "disk": map[string]any{"bus": "usb"}}},
		[]any{map[string]any{"name": "b", "disk": map[string]any{"bus": "usb"}}},
		[]any{map[string]any{"name": "a", "disk": map[string]any{"bus": "sata"}}, map[string]any{"name": "b", "cdrom": map[string]any{}}},
		[]any{map[string]any{"name": "a", "cdrom": map[string]any{"bus": "scsi"}}, map[string]any{"name": "b", "lun": map[string]any{}}},
	}},
}

func edit(r *rand.Rand, vm map[string]any) map[string]any {
	vm = labelled(vm, "", "")
	for range 1 + r.IntN(3) {
		e := edits[r.IntN(len(edits))]
		if value := e.values[r.IntN(len(e.values))]; value != nil {
			_ = unstructured.SetNestedField(vm, labelled(map[string]any{"v": value}, "", "")["v"], append([]string{"spec", "template", "spec"}, e.path...)...)
		} else {
			unstructured.RemoveNestedField(vm, append([]string{"spec", "template", "spec"}, e.path...)...)
		}
	}
	switch r.IntN(10) {
	case 0:
		_ = unstructured.SetNestedField(vm, "u1.medium", "spec", "instancetype", "name")
	case 1:
		_ = unstructured.SetNestedField(vm, "windows.11", "spec", "preference", "name")
	case 2:
		_ = unstructured.SetNestedField(vm, "Always", "spec", "runStrategy")
	}
	return vm
}

// mutantTrials returns VMs of the quickstart that are changed, and updates of them.
func mutantTrials(t *testing.T) []trial {
	return mutantsOf(trial{name: "quickstart", template: "windows-desktop", rules: quickstart(t), object: validVM(t)}, *mutants, 0)
}

// mutantsOf returns trials of a VM that is changed, and updates of them, which depend only on the seed.
func mutantsOf(c trial, n int, of uint64) (trials []trial) {
	r := rand.New(rand.NewPCG(seeds.Of(20190202), of))
	for i := range n {
		mutant := c
		mutant.name = fmt.Sprint(c.name, ", mutant ", i)
		old := edit(r, c.object)
		mutant.object = edit(r, old)
		update := mutant
		update.name += " (update)"
		update.old = old
		trials = append(trials, mutant, update)
	}
	return trials
}

// validVM returns a VM of the quickstart's template.
func validVM(t testing.TB) map[string]any {
	text, err := os.ReadFile("../../testdata/quickstart/vm-valid.json")
	if err != nil {
		t.Fatal(err)
	}
	var vm map[string]any
	if err := json.Unmarshal(text, &vm); err != nil {
		t.Fatal(err)
	}
	return vm
}

// quickstart returns the rules of the quickstart's template.
func quickstart(t testing.TB) vmrules.Rules {
	text, err := os.ReadFile("../../testdata/quickstart/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template map[string]any
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	rules, err := vmrules.RulesFor(nil, template)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// A difference is a reason for which a server says something else than vmrules.
type difference struct {
	why  string
	is   func(c trial, want *vmrules.Report, got verdict) bool
	rare bool // it occurs with -all
}

// differences has all reasons, each of which must occur.
var differences = []difference{
	{why: "the VM names an instance type or a preference, which a policy cannot look up", is: func(c trial, want *vmrules.Report, got verdict) bool {
		return got == refused && (at(c.object, "instancetype") != nil || at(c.object, "preference") != nil)
	}},
	{why: "an update that a policy does not forgive, and vmrules.Ratcheting does", is: func(c trial, want *vmrules.Report, got verdict) bool {
		return got == refused && c.old != nil && len(want.Warnings()) > 0
	}},
	{why: "a quantity of more than 18 digits", is: func(c trial, want *vmrules.Report, got verdict) bool {
		return got == refused && at(c.object, "template", "spec", "domain", "memory", "guest") == "8Ei"
	}},
	{why: "a rule that takes a field for another type than KubeVirt's, and is violated", is: func(c trial, want *vmrules.Report, got verdict) bool {
		return got == failed && !want.Valid()
	}, rare: true},
}

func at(vm map[string]any, path ...string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(vm, append([]string{"spec"}, path...)...)
	return v
}

// The server, with a policy for each template, admits a VM and an update exactly if vmrules finds it
// valid. All differences have a reason in the list, and each reason occurs.
func TestPolicies(t *testing.T) {
	s := start(t)
	templates := map[string]vmrules.Rules{"windows-desktop": quickstart(t)}
	trials := append(vectorTrials(t, translated(templates)), mutantTrials(t)...)
	counts := map[string]int{}
	trials = s.accepted(t, trials, counts)
	s.install(t, templates, policy.Scope{})

	occurred := map[string]int{}
	for _, c := range trials {
		opts := []vmrules.ValidateOption{}
		if c.old != nil {
			opts = append(opts, vmrules.WithOldObject(c.old), vmrules.Ratcheting())
		}
		want := vmrules.Validate(c.rules, c.object, opts...)
		err := s.judge(c)
		got := verdictOf(err)
		counts[fmt.Sprintf("valid %t: %s", want.Valid(), got)]++
		if want.Valid() == (got == admitted) && got != failed {
			continue
		}
		i := slices.IndexFunc(differences, func(d difference) bool { return d.is(c, want, got) })
		if i < 0 {
			t.Errorf("%s (%s): %s\n%v\nvmrules: %s", c.name, c.template, got, err, want)
			continue
		}
		occurred[differences[i].why]++
	}
	for _, d := range differences {
		if occurred[d.why] == 0 && (*all || !d.rare) {
			t.Errorf("never occurred: %s", d.why)
		}
	}
	t.Log(counts, occurred)
	for what, least := range map[string]int{"valid true: admitted": 100, "valid false: " + string(refused): 100} {
		if counts[what] < least {
			t.Errorf("%s only %d times", what, counts[what])
		}
	}
}

// All policies compile with the types of KubeVirt's definition, as kube-controller-manager checks them.
func TestTypes(t *testing.T) {
	s := start(t)
	checker := validating.TypeChecker{
		SchemaResolver: &resolver.ClientDiscoveryResolver{Discovery: s.typed.Discovery()},
		RestMapper:     restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(s.typed.Discovery())),
	}
	warnings := func(rules vmrules.Rules, scope policy.Scope) (all []string) {
		scope.Name = "vmrules"
		documents, _, err := policy.Of(rules, scope)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range documents {
			if d["kind"] != "ValidatingAdmissionPolicy" {
				continue
			}
			var p admissionv1.ValidatingAdmissionPolicy
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(d, &p); err != nil {
				t.Fatal(err)
			}
			for _, w := range checker.Check(&p) {
				all = append(all, p.Name+" "+w.FieldRef+": "+w.Warning)
			}
		}
		return all
	}
	for _, scope := range []policy.Scope{{Template: "windows-desktop", Namespace: "default"}, {Annotation: "[]"}, {SkipInstancetypes: true}} {
		for _, w := range warnings(quickstart(t), scope) {
			t.Error(w)
		}
	}
	typo, err := vmrules.ParseRules(`[{"name": "r", "rule": "string", "path": "jsonpath::.spec.hostnaem", "message": "m"}]`)
	if err != nil {
		t.Fatal(err)
	}
	if got := warnings(typo, policy.Scope{}); !slices.ContainsFunc(got, func(w string) bool { return strings.Contains(w, "undefined field 'hostnaem'") }) {
		t.Errorf("the type checker finds no typo: %q", got)
	}
}

// A policy of a template is about the VMs with its label.
func TestScopes(t *testing.T) {
	s := start(t)
	template := map[string]vmrules.Rules{"windows-desktop": quickstart(t)}
	vm := func(labels, annotations map[string]any) map[string]any {
		vm := smallVM("") // it has no memory
		vm["metadata"].(map[string]any)["labels"] = labels
		vm["metadata"].(map[string]any)["annotations"] = annotations
		return vm
	}
	names := func(template string) map[string]any {
		return map[string]any{vmrules.TemplateLabel: template, vmrules.TemplateNamespaceLabel: "templates"}
	}
	for _, scope := range []policy.Scope{{}, {WithoutRatcheting: true}} {
		t.Run(fmt.Sprintf("%+v", scope), func(t *testing.T) {
			var old *unstructured.Unstructured
			s.wait(t, func() (err error) { // for the end of earlier policies
				old, err = s.vms.Create(context.Background(), &unstructured.Unstructured{Object: vm(names("windows-desktop"), nil)}, metav1.CreateOptions{})
				return err
			})
			defer func() { _ = s.vms.Delete(context.Background(), old.GetName(), metav1.DeleteOptions{}) }()
			s.install(t, template, scope)
			changed := admitted
			if scope.WithoutRatcheting {
				changed = refused
			}
			for _, c := range []struct {
				name                string
				labels, annotations map[string]any
				want                verdict
			}{
				{"labels", names("windows-desktop"), nil, refused},
				{"the label alone", map[string]any{vmrules.TemplateLabel: "windows-desktop"}, nil, refused},
				{"annotations", nil, names("windows-desktop"), admitted},
				{"annotations, and the label alone", map[string]any{vmrules.TemplateLabel: "windows-desktop"}, names("windows-desktop"), refused},
				{"labels of another template", names("linux"), names("windows-desktop"), admitted},
				{"exempt", names("windows-desktop"), map[string]any{vmrules.SkipAnnotation: ""}, admitted},
				{"no template", nil, nil, admitted},
			} {
				object := vm(c.labels, c.annotations)
				object["metadata"].(map[string]any)["name"] = "new"
				if _, err := s.create(object); verdictOf(err) != c.want {
					t.Errorf("%s: %v, want %s", c.name, err, c.want)
				}
			}
			// What controllers do to a VM that violates a rule.
			next := old.DeepCopy()
			next.SetFinalizers([]string{"kubevirt.io/virtualMachineControllerFinalize"})
			next.SetLabels(map[string]string{vmrules.TemplateLabel: "windows-desktop", vmrules.TemplateNamespaceLabel: "templates", "a": "b"})
			_ = unstructured.SetNestedField(next.Object, "Always", "spec", "runStrategy")
			if got := verdictOf(s.update(next)); got != changed {
				t.Errorf("it is started: %s, want %s", got, changed)
			}
			_ = unstructured.SetNestedField(next.Object, "1Gi", "spec", "template", "spec", "domain", "memory", "guest")
			if got := verdictOf(s.update(next)); got != refused {
				t.Errorf("memory raised halfway: %s", got)
			}
		})
	}
}

// No VM leaves a policy about all by its annotations. One that names what may set a field of a rule is
// refused, or left alone.
func TestScopeOfAll(t *testing.T) {
	s := start(t)
	rules, err := vmrules.ParseRules(`[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": 2, "message": "at most 2 cores"}]`)
	if err != nil {
		t.Fatal(err)
	}
	vm := func(cores int, annotation, setter string) map[string]any {
		vm := smallVM("")
		_ = unstructured.SetNestedField(vm, int64(cores), "spec", "template", "spec", "domain", "cpu", "cores")
		if annotation != "" {
			_ = unstructured.SetNestedField(vm, "[]", "metadata", "annotations", annotation)
		}
		if setter != "" {
			_ = unstructured.SetNestedField(vm, "any", "spec", setter, "name")
		}
		return vm
	}
	for _, scope := range []policy.Scope{{Name: "all"}, {Name: "all-but-instancetypes", SkipInstancetypes: true}} {
		t.Run(scope.Name, func(t *testing.T) {
			documents, _, err := policy.Of(rules, scope)
			if err != nil {
				t.Fatal(err)
			}
			s.enforce(t, documents)
			byInstancetype := refused
			if scope.SkipInstancetypes {
				byInstancetype = admitted
			}
			for _, c := range []struct {
				name string
				vm   map[string]any
				want verdict
			}{
				{"valid", vm(2, "", ""), admitted},
				{"not valid", vm(3, "", ""), refused},
				{"with rules of its own", vm(3, vmrules.Annotation, ""), refused},
				{"exempt", vm(3, vmrules.SkipAnnotation, ""), refused},
				{"valid, with an instance type", vm(2, "", "instancetype"), byInstancetype},
				{"not valid, with an instance type", vm(3, "", "instancetype"), byInstancetype},
				{"not valid, with a preference, which sets no cores", vm(3, "", "preference"), refused},
			} {
				if _, err := s.create(c.vm); verdictOf(err) != c.want {
					t.Errorf("%s: %v, want %s", c.name, err, c.want)
				}
			}
		})
	}
}

// accepted returns the trials whose VMs the definition accepts, as the server makes them. Old VMs are
// in the server then.
func (s *server) accepted(t *testing.T, trials []trial, counts map[string]int) []trial {
	var kept []trial
	for i, c := range trials {
		name := fmt.Sprint("vm-", i)
		object := whole(c.vm(c.object, name))
		made, err := s.create(object)
		if err != nil {
			counts[string(verdictOf(err))]++
			continue
		}
		c.object = made.Object
		if c.old != nil {
			old := &unstructured.Unstructured{Object: whole(c.vm(c.old, name))}
			if c.stored, err = s.vms.Create(context.Background(), old, metav1.CreateOptions{}); err != nil {
				counts[string(verdictOf(err))]++
				continue
			}
			t.Cleanup(func() { _ = s.vms.Delete(context.Background(), name, metav1.DeleteOptions{}) })
			c.old = c.stored.Object
		}
		kept = append(kept, c)
	}
	return kept
}

// judge returns what the server says to the VM of a trial; nil if it admits it.
func (s *server) judge(c trial) error {
	if c.old == nil {
		_, err := s.create(c.vm(c.object, "new"))
		return err
	}
	next := c.stored.DeepCopy()
	next.Object["spec"] = c.object["spec"]
	return s.update(next)
}

// install creates the policies of templates in a scope, and waits until the server judges by them.
func (s *server) install(t testing.TB, templates map[string]vmrules.Rules, scope policy.Scope) {
	t.Helper()
	var all []map[string]any
	for _, template := range slices.Sorted(maps.Keys(templates)) {
		scope.Name, scope.Template = "vmrules."+template, template
		documents, _, err := policy.Of(templates[template], scope)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, documents...)
	}
	s.enforce(t, all)
}

// enforce creates policies and their bindings, and waits until the server judges by them, which it sees in
// their order, and no longer by earlier ones.
func (s *server) enforce(t testing.TB, documents []map[string]any) {
	t.Helper()
	rules, err := vmrules.ParseRules(`[{"name": "r", "rule": "string", "path": "jsonpath::.spec.hostname", "message": "m"}]`)
	if err != nil {
		t.Fatal(err)
	}
	last, _, err := policy.Of(rules, policy.Scope{Name: "vmrules.the-last", Template: "the-last"})
	if err != nil {
		t.Fatal(err)
	}
	probe := labelled(smallVM(""), "probe", "the-last")
	judges := func(want verdict) func() error {
		return func() error {
			if _, err := s.create(probe); verdictOf(err) != want {
				return fmt.Errorf("by the last policy: %v, want %s", err, want)
			}
			return nil
		}
	}
	s.wait(t, judges(admitted))
	var remove []func()
	t.Cleanup(func() { // in this order, too
		for _, f := range remove {
			f()
		}
	})
	for _, d := range slices.Concat(documents, last) {
		resource := map[any]string{"ValidatingAdmissionPolicy": "validatingadmissionpolicies", "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings"}[d["kind"]]
		api := s.any.Resource(schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: resource})
		made, err := api.Create(context.Background(), &unstructured.Unstructured{Object: d}, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		if err != nil {
			t.Fatal(err)
		}
		remove = append(remove, func() { _ = api.Delete(context.Background(), made.GetName(), metav1.DeleteOptions{}) })
	}
	s.wait(t, judges(refused))
}

func smallVM(template string) map[string]any {
	return labelled(map[string]any{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": map[string]any{
		"runStrategy": "Halted", "template": map[string]any{"spec": map[string]any{"domain": map[string]any{"devices": map[string]any{}}}},
	}}, "small", template)
}

// wait waits until there is no error.
func (s *server) wait(t testing.TB, ready func() error) {
	t.Helper()
	var err error
	for range 600 {
		if err = ready(); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal(err)
}
