package admission_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission"
)

var (
	allowed    = answer{Allowed: true}
	overBudget = answer{Code: 422, Causes: []string{": the annotation is too costly to read from here on: the budget for time is used up"}}
	refused    = answer{Code: 422, Causes: []string{tooMany}}
	linux      = template("templates", "linux", coresRule, busRule)
	lookahead  = rule("ahead", "regex", "cpu.cores", "at most 8 cores", `"regex": "^(?!9)"`) // which backtracks
	noBudget   = admission.WithValidateOptions(vmrules.WithBudget(vmrules.Budget{Time: 1}))
)

func warned(warnings ...string) answer { return answer{Allowed: true, Warnings: warnings} }

type testCase struct {
	name    string
	opts    []admission.Option
	cluster []string
	req     ctrl.Request
	want    answer
}

func TestVM(t *testing.T) {
	both := `"cpu": {"cores": 12}, "devices": {"disks": [{"name": "a", "disk": {"bus": "sata"}}]}`
	sata := "spec.template.spec.domain.devices.disks[0].disk.bus: Unsupported value: \"sata\": virtio is faster (\"sata\" is not \"virtio\")"
	run(t, []testCase{
		{"valid", nil, []string{linux}, request("CREATE", vm(fromLinux, "", cores1), ""), allowed},
		{"not valid", nil, []string{linux}, request("CREATE", vm(fromLinux, "", cores12), ""), refused},
		{"a warning beside", nil, []string{linux}, request("CREATE", vm(fromLinux, "", both), ""), answer{Code: 422, Causes: refused.Causes, Warnings: []string{sata}}},
		{"a warning alone", nil, []string{linux}, request("CREATE", vm(fromLinux, "", strings.Replace(both, "12", "2", 1)), ""), warned(sata)},
		{"a rule of an unknown kind", nil, nil, request("CREATE", vm(withRules(rule("odd", "intager", "cpu.cores", "m", `"max": 1`), rule("none", "enum", "cpu.cores", "m", `"a": 1`)), "", cores12), ""),
			warned(`Not decided: m (the kind "intager" is not known)`, "Not decided: m (the kind enum without any argument enforces nothing)")},
		{"no rules", nil, []string{linux}, request("CREATE", vm("", "", cores12), ""), allowed},
		{"its own rules", nil, nil, request("CREATE", vm(withRules(coresRule), "", cores12), ""), refused},
		{"no rules of its own", nil, []string{linux}, request("CREATE", vm(fromLinux+withRules(), "", cores12), ""), allowed},
		{"a blank annotation of its own", nil, []string{linux}, request("CREATE", vm(fromLinux+`, "annotations": {"vm.kubevirt.io/validations": " "}`, "", cores12), ""), refused},
		{"exempt", nil, []string{linux}, request("CREATE", vm(fromLinux+exempt, "", cores12), ""), allowed},
		{"exempt by an empty annotation", nil, []string{linux}, request("CREATE", vm(fromLinux+strings.Replace(exempt, "true", "", 1), "", cores12), ""), allowed},
		{"deleted", nil, []string{linux}, request("DELETE", "", vm(fromLinux, "", cores12)), allowed},
		{"deleted without its object", nil, nil, request("DELETE", "", ""), allowed},
		{"being deleted", nil, []string{linux}, request("UPDATE", vm(fromLinux+`, "deletionTimestamp": "2026-01-01T00:00:00Z"`, "", cores99), vm(fromLinux, "", cores1)), allowed},
		{"created as if it were being deleted", nil, []string{linux}, request("CREATE", vm(fromLinux+`, "deletionTimestamp": "2026-01-01T00:00:00Z"`, "", cores12), ""), refused},
		{"connected to", nil, []string{linux}, request("CONNECT", "", ""), allowed},
		{"every digit counts", nil, nil, request("CREATE", vm(withRules(rule("n", "integer", "cpu.cores", "m", `"max": 9007199254740992`)), "", `"cpu": {"cores": 9007199254740993}`), ""),
			answer{Code: 422, Causes: []string{"spec.template.spec.domain.cpu.cores: m (9007199254740993 is more than max 9007199254740992)"}}},
	})
}

func TestUpdate(t *testing.T) {
	whole := []admission.Option{admission.WithoutRatcheting()}
	labelled := strings.Replace(fromLinux, `"labels": {`, `"labels": {"a": "b", `, 1)
	broken := `, "annotations": {"vm.kubevirt.io/validations": "["}`
	unusable := answer{Code: 422, Causes: []string{": VM: line 1, column 2: \"]\" is missing: the array that begins at line 1 is not closed"}}
	run(t, []testCase{
		{"wrong already", nil, []string{linux}, request("UPDATE", vm(labelled, "", cores12), vm(fromLinux, "", cores12)), warned(alreadyTooMany)},
		{"wrong already, judged like a creation", whole, []string{linux}, request("UPDATE", vm(labelled, "", cores12), vm(fromLinux, "", cores12)), refused},
		{"made wrong", nil, []string{linux}, request("UPDATE", vm(fromLinux, "", cores12), vm(fromLinux, "", cores1)), refused},
		{"wrong in another way", nil, []string{linux}, request("UPDATE", vm(fromLinux, "", cores12), vm(fromLinux, "", cores99)), refused},
		{"wrong by rules that were not its own", nil, []string{linux}, request("UPDATE", vm(fromLinux, "", cores12), vm("", "", cores12)), refused},
		{"not exempt any more", nil, []string{linux}, request("UPDATE", vm(fromLinux, "", cores12), vm(fromLinux+exempt, "", cores12)), refused},
		{"the name of a template that its own rules replace", nil, nil, request("UPDATE", vm(withRules(coresRule)+`, "labels": {"vm.kubevirt.io/template": "a", "vm.kubevirt.io/template.namespace": "b"}`, "", cores12), vm(withRules(coresRule), "", cores12)), warned(alreadyTooMany)},
		{"its own rules are changed", nil, nil, request("UPDATE", vm(withRules(coresRule), "", cores12), vm(withRules(busRule), "", cores12)), refused},
		{"broken already", nil, nil, request("UPDATE", vm(broken+`, "labels": {"a": "b"}`, "", cores1), vm(broken, "", cores1)), warned(
			`Not decided: the validation rules cannot be used: VM: line 1, column 2: "]" is missing: the array that begins at line 1 is not closed`)},
		{"broken already, and the spec changes", nil, nil, request("UPDATE", vm(broken, "", cores12), vm(broken, "", cores1)), unusable},
		{"broken by the update", nil, nil, request("UPDATE", vm(broken, "", cores1), vm("", "", cores1)), unusable},
		{"without the old object", nil, nil, request("UPDATE", vm("", "", cores1), ""), answer{Code: 400, Message: "the request has no oldObject"}},
		{"a bound was exceeded already", []admission.Option{noBudget}, nil, request("UPDATE", vm(withRules(lookahead), "", cores1), vm(withRules(lookahead), "", cores1)), overBudget},
	})
}

func TestTemplate(t *testing.T) {
	bare := `, "labels": {"vm.kubevirt.io/template": "linux"}`
	inAnnotations := strings.Replace(fromLinux, "labels", "annotations", 1)
	create := func(metadata string) ctrl.Request { return request("CREATE", vm(metadata, "", cores12), "") }
	missing := "the template templates/linux, which the VM names, is not there"
	half := warned("Not decided: the template linux, which the VM names without its namespace, is not found")
	problem := `template: line 1, column 2: rules[0]: a rule must be an object: { "name": …, "rule": …, "path": …, "message": … }`
	broken := template("templates", "linux", "7")
	refuseMissing, inTwo := admission.WithUndecided(vmrules.DoubtTemplate, admission.Refuse), admission.WithTemplateNamespaces("first", "templates")
	run(t, []testCase{
		{"by annotations", nil, []string{linux}, create(inAnnotations), refused},
		{"by the old label", nil, []string{linux}, create(strings.Replace(fromLinux, "template.namespace", "template-namespace", 1)), refused},
		{"of KubeVirt", nil, []string{kubeVirtTemplate("v1beta1", "templates", "linux", coresRule)}, create(fromLinux), refused},
		{"of both kinds", nil, []string{kubeVirtTemplate("v1beta1", "templates", "linux"), linux}, create(fromLinux), refused},
		{"in another namespace", nil, []string{template("office", "linux", coresRule)}, create(fromLinux), warned("Not decided: " + missing)},
		{"missing", nil, nil, create(fromLinux), warned("Not decided: " + missing)},
		{"missing, and refused", []admission.Option{refuseMissing}, nil, create(fromLinux), answer{Code: 422, Causes: []string{": " + missing}}},
		{"missing, and refused, whatever else warns", []admission.Option{refuseMissing, admission.WithValidateOptions(vmrules.WarnIfUndecided(vmrules.DoubtTemplate))}, nil, create(fromLinux), answer{Code: 422, Causes: []string{": " + missing}}},
		{"missing already", []admission.Option{refuseMissing}, nil, request("UPDATE", vm(fromLinux, "", cores1), vm(fromLinux, "", cores1)), warned("Not decided: " + missing)},
		{"missing, but not needed", []admission.Option{refuseMissing}, nil, create(fromLinux + exempt), allowed},
		{"without a namespace", nil, []string{template("office", "linux", coresRule)}, create(bare), half},
		{"in the VM's namespace", []admission.Option{admission.WithNamespaceFallback()}, []string{template("office", "linux", coresRule)}, create(bare), refused},
		{"in the VM's namespace, by an annotation", []admission.Option{admission.WithNamespaceFallback()}, []string{template("office", "linux", coresRule)}, create(strings.Replace(bare, "labels", "annotations", 1)), refused},
		{"a namespace before the fallback", []admission.Option{admission.WithNamespaceFallback()}, []string{template("office", "linux", coresRule), template("templates", "linux")}, create(fromLinux), allowed},
		{"by half, in no namespace", []admission.Option{inTwo, admission.WithNamespaceFallback(), refuseMissing}, []string{template("elsewhere", "linux", coresRule)}, create(bare), half},
		{"by half, in the second namespace", []admission.Option{inTwo}, []string{linux}, create(bare), refused},
		{"by half, in the first namespace", []admission.Option{inTwo}, []string{linux, template("first", "linux")}, create(bare), allowed},
		{"by half, in the VM's namespace first", []admission.Option{inTwo, admission.WithNamespaceFallback()}, []string{template("office", "linux"), linux}, create(bare), allowed},
		{"by half, but not by a fallback", []admission.Option{inTwo, admission.WithNamespaceFallback()}, []string{linux}, create(bare), refused},
		{"in full, but not there", []admission.Option{inTwo}, []string{template("first", "linux", coresRule)}, create(fromLinux), warned("Not decided: " + missing)},
		{"by half in a broken template", []admission.Option{inTwo}, []string{broken}, create(bare), answer{Code: 422, Causes: []string{"[0]: " + problem}}},
		{"by half, wrong already", []admission.Option{inTwo}, []string{linux}, request("UPDATE", vm(bare, "", cores12), vm(bare, "", cores12)), warned(alreadyTooMany)},
		{"a name that cannot exist", nil, nil, create(strings.Replace(inAnnotations, `"linux"`, `"../secrets/x"`, 1)), warned(strings.Replace("Not decided: "+missing, "linux", "../secrets/x", 1))},
		{"broken", nil, []string{broken}, create(fromLinux), answer{Code: 422, Causes: []string{"[0]: " + problem}}},
		{"broken, with a warning", []admission.Option{admission.WithBrokenTemplate(admission.Warn)}, []string{broken}, create(fromLinux), warned("the validation rules cannot be used: " + problem)},
	})
}

func TestKinds(t *testing.T) {
	inner := func(metadata string) string {
		return `{"metadata": {"name": "x"` + metadata + `}, "spec": {"template": {"spec": {"domain": {` + cores12 + `}}}}}`
	}
	pool := `{"apiVersion": "pool.kubevirt.io/v1beta1", "kind": "VirtualMachinePool", "metadata": {"name": "p"}, "spec": {"virtualMachineTemplate": ` + inner(fromLinux) + `}}`
	instance := `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": {"name": "i"` + fromLinux + `}, "spec": {"domain": {` + cores12 + `}}}`
	replicas := `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstanceReplicaSet", "metadata": {"name": "r"}, "spec": {"template": {"metadata": {"name": "x"` + fromLinux + `}, "spec": {"domain": {` + cores12 + `}}}}}`
	at := func(field string) answer {
		return answer{Code: 422, Causes: []string{field + ": at most 8 cores (12 is more than max 8)"}}
	}
	create := func(object string) ctrl.Request { return request("CREATE", object, "") }
	dataVolume := `{"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", "metadata": {"name": "d"}}`
	sub := create(vm(fromLinux, "", cores12))
	sub.SubResource = "status"
	run(t, []testCase{
		{"a pool", nil, []string{linux}, ofKind(create(pool), "pool.kubevirt.io/v1beta1", "VirtualMachinePool"), at("spec.virtualMachineTemplate.spec.template.spec.domain.cpu.cores")},
		{"an instance", nil, []string{linux}, ofKind(create(instance), "kubevirt.io/v1", "VirtualMachineInstance"), at("spec.domain.cpu.cores")},
		{"a replica set", nil, []string{linux}, ofKind(create(replicas), "kubevirt.io/v1", "VirtualMachineInstanceReplicaSet"), at("spec.template.spec.domain.cpu.cores")},
		{"a data volume", nil, []string{linux}, ofKind(create(dataVolume), "cdi.kubevirt.io/v1beta1", "DataVolume"),
			warned("vmrules does not review the kind DataVolume.cdi.kubevirt.io: remove it from the rules of the webhook")},
		{"a VirtualMachine of another group", nil, []string{linux}, ofKind(create(vm(fromLinux, "", cores12)), "example.com/v1", "VirtualMachine"),
			warned("vmrules does not review the kind VirtualMachine.example.com: remove it from the rules of the webhook")},
		{"a subresource", nil, []string{linux}, sub, allowed},
		{"an object of another kind than the request", nil, []string{linux}, create(instance),
			answer{Code: 400, Message: `the object cannot be read: the object has the kind "VirtualMachineInstance", but the request is about "VirtualMachine"`}},
		{"an object that does not say its kind", nil, []string{linux}, create(strings.NewReplacer(`"apiVersion": "kubevirt.io/v1",`, "", `"kind": "VirtualMachine",`, "").Replace(vm(fromLinux, "", cores12))), refused},
		{"no kind", nil, nil, ofKind(create("{}"), "", ""), answer{Code: 400, Message: "the request does not say of which kind its object is"}},
		{"an empty pool", nil, []string{linux}, ofKind(create(`{"spec": {"virtualMachineTemplate": 7}}`), "pool.kubevirt.io/v1", "VirtualMachinePool"), allowed},
		{"an unknown operation", nil, nil, request("PATCH", "{}", ""), answer{Code: 400, Message: `the operation is "PATCH": it must be CREATE, UPDATE, DELETE or CONNECT`}},
		{"no object", nil, nil, request("CREATE", "", ""), answer{Code: 400, Message: "the request has no object"}},
		{"half an object", nil, nil, request("CREATE", `{"kind": "Virt`, ""), answer{Code: 400, Message: "the object cannot be read: the text cannot be used as an object: line 1, column 10: the string that begins here is never closed"}},
		{"a key twice", nil, nil, request("CREATE", `{"kind": "VirtualMachine", "spec": {}, "spec": {}}`, ""), answer{Code: 400, Message: `the object cannot be read: the text cannot be used as an object: line 1, column 40: the key "spec" is given twice in one object: keep one of them`}},
	})
}

func TestInstancetype(t *testing.T) {
	named := `"instancetype": {"name": "u1"}, `
	create := func(spec string) ctrl.Request {
		return request("CREATE", vm(withRules(memoryRule), spec, `"devices": {}`), "")
	}
	refuse := []admission.Option{admission.WithUndecided(vmrules.DoubtInstancetype, admission.Refuse)}
	tooSmall := answer{Code: 422, Causes: []string{`spec.template.spec.domain.memory.guest: at least 1 GiB (512 MiB, from instance type u1, is less than min 1 GiB)`}}
	open := func(why string) string {
		return "at least 1 GiB (spec.template.spec.domain.memory.guest may be set by the instance type: " + why + ")"
	}
	lacking := open("the VirtualMachineClusterInstancetype u1 was not found")
	small, large := instanceType("u1", 1, "512Mi"), instanceType("u1", 1, "2Gi")
	old := `"instancetype": {"name": "u1", "revisionName": "old"}, `
	encoded := base64.StdEncoding.EncodeToString([]byte(`{"cpu": {"guest": 1}, "memory": {"guest": "512Mi"}}`))
	status := strings.Replace(vm(withRules(memoryRule), named, `"devices": {}`), `"spec"`, `"status": {"instancetypeRef": {"controllerRevisionRef": {"name": "old"}}}, "spec"`, 1)
	run(t, []testCase{
		{"large", nil, []string{large}, create(named), allowed},
		{"small", nil, []string{small}, create(named), tooSmall},
		{"missing", nil, nil, create(named), warned("Not decided: " + lacking)},
		{"missing, and refused", refuse, nil, create(named), answer{Code: 422, Causes: []string{": " + lacking}}},
		{"of an unknown kind", nil, nil, create(`"instancetype": {"name": "u1", "kind": "Secret"}, `), warned("Not decided: " + open("Secret is not a kind of instance types or preferences"))},
		{"in a volume", nil, nil, create(`"instancetype": {"inferFromVolume": "root"}, `), warned("Not decided: " + open("the name of the VirtualMachineClusterInstancetype is in a volume, which is not read"))},
		{"in the namespace", nil, []string{strings.NewReplacer("Cluster", "", `"name"`, `"namespace": "office", "name"`).Replace(small)},
			create(`"instancetype": {"name": "u1", "kind": "virtualmachineinstancetype"}, `), tooSmall},
		{"in another namespace", refuse, []string{strings.NewReplacer("Cluster", "", `"name"`, `"namespace": "other", "name"`).Replace(small)},
			create(`"instancetype": {"name": "u1", "kind": "virtualmachineinstancetype"}, `), answer{Code: 422, Causes: []string{": " + open("the VirtualMachineInstancetype office/u1 was not found")}}},
		{"in conflict", nil, []string{large}, request("CREATE", vm(withRules(memoryRule), named, cores1), ""), answer{Code: 422, Causes: []string{": at least 1 GiB (KubeVirt refuses the VM: spec.template.spec.domain.cpu.cores: instancetype u1 sets spec.cpu.guest, " +
			"so the VM must not set this field: remove it, or use another instance type)"}}},
		{"as it was", nil, []string{large, revision("old", "", small)}, create(old), tooSmall},
		{"as it was, under another name", nil, []string{large, revision("old", "", instanceType("u2", 1, "512Mi"))}, create(old), tooSmall},
		{"as it was in v1alpha1", nil, []string{large, revision("old", "", `{"apiVersion": "", "spec": "`+encoded+`"}`)}, create(old), tooSmall},
		{"as it was, but lost", nil, []string{large}, create(old), warned("Not decided: " + open("the ControllerRevision old of the VirtualMachineClusterInstancetype u1 was not found in the namespace office"))},
		{"a revision of something else", nil, []string{large, revision("old", "", `{"kind": "VirtualMachinePreference", "spec": {}}`)}, create(old), answer{Code: 422, Causes: []string{": " + open("the VM names the VirtualMachineClusterInstancetype u1, and the VirtualMachinePreference u1 is given")}}},
		{"a revision of nothing", nil, []string{large, revision("old", "", `7`)}, create(old), answer{Code: 422, Causes: []string{": " + open("instancetype u1: spec.cpu.guest is missing")}}},
		{"as it was, by the status", nil, []string{large, revision("old", `"instancetype.kubevirt.io/object-name": "u1"`, small)}, request("UPDATE", status, vm("", "", "")), tooSmall},
		{"as a status says that a user wrote", nil, []string{small, revision("old", `"instancetype.kubevirt.io/object-name": "u1"`, large)}, request("CREATE", status, ""), tooSmall},
		{"as another one was, by the status", nil, []string{large, revision("old", `"instancetype.kubevirt.io/object-name": "u0"`, small)}, request("UPDATE", status, vm("", "", "")), allowed},
		{"another one by an update", nil, []string{large, instanceType("u2", 1, "512Mi")},
			request("UPDATE", vm(withRules(memoryRule), strings.Replace(named, "u1", "u2", 1), ""), vm(withRules(memoryRule), named, "")), answer{Code: 422, Causes: []string{strings.Replace(tooSmall.Causes[0], "u1", "u2", 1)}}},
		{"the same small one after an update", nil, []string{small},
			request("UPDATE", vm(withRules(memoryRule), named, `"devices": {}`), vm(withRules(memoryRule), named, "")), warned(strings.Replace(tooSmall.Causes[0], "guest: ", `guest: Invalid value: "512Mi": `, 1))},
		{"an instance type, but not its preference", nil, []string{large}, request("CREATE", vm(withRules(rule("m", "enum", "machine.type", "m", `"values": ["pc"]`)), named+`"preference": {"name": "p", "kind": "VirtualMachinePreference"}, `, ""), ""),
			warned("Not decided: m (spec.template.spec.domain.machine.type may be set by the preference: the VirtualMachinePreference office/p was not found)")},
		{"neither", nil, nil, request("CREATE", vm(withRules(rule("m", "enum", "machine.type", "m", `"values": ["pc"]`)), named+`"preference": {"name": "p", "kind": "VirtualMachinePreference"}, `, ""), ""),
			warned("Not decided: m (spec.template.spec.domain.machine.type may be set by the preference: " +
				"the VirtualMachineClusterInstancetype u1 was not found, and the VirtualMachinePreference office/p was not found)")},
		{"a preference", nil, []string{`{"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineClusterPreference", "metadata": {"name": "p"}, "spec": {"machine": {"preferredMachineType": "q35"}}}`},
			request("CREATE", vm(withRules(rule("m", "enum", "machine.type", "m", `"values": ["pc"]`)), `"preference": {"name": "p"}, `, ""), ""),
			answer{Code: 422, Causes: []string{`spec.template.spec.domain.machine.type: m ("q35", from preference p, is not "pc")`}}},
	})
}

func TestUndecided(t *testing.T) {
	argument := rule("cores", "integer", "cpu.cores", "m", `"max": "jsonpath::.spec.domain.cpu.maxSockets"`)
	unread := "m (max cannot be read: jsonpath::.spec.domain.cpu.maxSockets is not there)"
	create := request("CREATE", vm(withRules(argument), "", cores1), "")
	run(t, []testCase{
		{"an argument", nil, nil, create, answer{Code: 422, Causes: []string{": " + unread}}},
		{"nothing to judge", nil, nil, request("CREATE", `{"metadata": {"name": "a"`+withRules(coresRule)+`}}`, ""), answer{Code: 422, Causes: []string{": at most 8 cores (nothing to validate: the object has no spec.template)"}}},
		{"a bound, whatever else warns", []admission.Option{noBudget, admission.WithUndecided(vmrules.DoubtParameter, admission.Warn)}, nil, request("CREATE", vm(withRules(lookahead, argument), "", cores1), ""), overBudget},
	})
}

// run compares the answers to requests.
func run(t *testing.T, tests []testCase) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := answerOf(reviewer(t, cluster(t, test.cluster...), test.opts...).Handle(t.Context(), test.req))
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What cannot be asked is not decided. A kind that is missing, or that may not be read while another kind of
// templates may, is a missing object.
func TestReaderFails(t *testing.T) {
	down := errors.New("the API server is down")
	noMatch := &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "template.openshift.io", Kind: "Template"}}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "example.com", Resource: "things"}, "x", errors.New("there is no right"))
	const openShift, kubeVirt, it = "Template", "VirtualMachineTemplate", "VirtualMachineClusterInstancetype"
	toLinux, toNothing := request("CREATE", vm(fromLinux, "", cores12), ""), request("CREATE", vm(strings.Replace(fromLinux, "linux", "nothing", 1), "", cores12), "")
	named := func(rule, domain string) ctrl.Request {
		return request("CREATE", vm(withRules(rule), `"instancetype": {"name": "u1"}, `, domain), "")
	}
	missing := warned("Not decided: the template templates/nothing, which the VM names, is not there")
	failed := func(why string) answer {
		return answer{Code: 500, Message: "vmrules cannot validate the request: " + why}
	}
	unreadable := failed(`reading the Template templates/linux: things.example.com "x" is forbidden: there is no right`)
	for _, test := range []struct {
		name string
		errs map[string]error
		req  ctrl.Request
		want answer
	}{
		{"a template", map[string]error{openShift: down}, toLinux, failed("reading the Template templates/linux: the API server is down")},
		{"a kind of templates that is not installed", map[string]error{openShift: noMatch}, toLinux, refused},
		{"a kind of templates that is forbidden", map[string]error{openShift: forbidden}, toLinux, refused},
		{"the same, and no template of the other", map[string]error{openShift: forbidden}, toNothing, missing},
		{"the other kind is forbidden, and no template", map[string]error{kubeVirt: forbidden}, toNothing, missing},
		{"the other kind is down, and no template", map[string]error{kubeVirt: down}, toNothing, failed("reading the VirtualMachineTemplate templates/nothing: the API server is down")},
		{"no kind of templates is installed", map[string]error{openShift: noMatch, kubeVirt: noMatch}, toNothing, missing},
		{"all kinds of templates are forbidden", map[string]error{openShift: forbidden, kubeVirt: forbidden}, toLinux, unreadable},
		{"one is forbidden, the other not installed", map[string]error{openShift: forbidden, kubeVirt: noMatch}, toLinux, unreadable},
		{"an instance type", map[string]error{it: down}, named(memoryRule, ""), failed("reading the VirtualMachineClusterInstancetype u1: the API server is down")},
		{"an instance type that no rule needs", map[string]error{it: down}, named(coresRule, cores12), refused},
		{"an instance type that is forbidden", map[string]error{it: forbidden}, named(memoryRule, ""),
			warned("Not decided: at least 1 GiB (spec.template.spec.domain.memory.guest may be set by the instance type: the VirtualMachineClusterInstancetype u1 was not found)")},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := cluster(t, kubeVirtTemplate("v1beta1", "templates", "linux", coresRule))
			got := answerOf(reviewer(t, failing(c, test.errs)).Handle(t.Context(), test.req))
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
