package admission_test

import (
	"context"
	"encoding/json"
	"log"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrl "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules/admission"
)

// A VirtualMachine is a Go type of VMs, with the few fields that the tests need.
type VirtualMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Template struct {
			Spec struct {
				Domain struct {
					CPU *struct {
						Cores uint32 `json:"cores,omitempty"`
					} `json:"cpu,omitempty"`
				} `json:"domain"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

func (vm *VirtualMachine) DeepCopyObject() runtime.Object {
	c := *vm
	vm.DeepCopyInto(&c.ObjectMeta)
	return &c
}

type VirtualMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VirtualMachine `json:"items"`
}

func (list *VirtualMachineList) DeepCopyObject() runtime.Object {
	c := *list
	c.Items = nil
	for i := range list.Items {
		c.Items = append(c.Items, *list.Items[i].DeepCopyObject().(*VirtualMachine))
	}
	return &c
}

func ExampleNewValidator() {
	var m manager.Manager // as in the example of the package
	reviewer, err := admission.New(m.GetClient())
	if err != nil {
		log.Fatal(err)
	}
	err = builder.WebhookManagedBy(m, &VirtualMachine{}).
		WithValidator(admission.NewValidator[*VirtualMachine](reviewer)).
		Complete()
	if err != nil {
		log.Fatal(err)
	}
}

func TestValidator(t *testing.T) {
	r := reviewer(t, cluster(t, linux))
	webhooks := map[string]*ctrl.Webhook{
		"typed":        ctrl.WithValidator(scheme(), admission.NewValidator[*VirtualMachine](r)),
		"unstructured": ctrl.WithValidator(scheme(), admission.NewValidator[*unstructured.Unstructured](r)),
	}
	for name, webhook := range webhooks {
		for _, test := range []struct {
			name string
			req  ctrl.Request
			want answer
		}{
			{"valid", request("CREATE", vm(fromLinux, "", cores1), ""), answer{Allowed: true, Code: 200}},
			{"not valid", request("CREATE", vm(fromLinux, "", cores12), ""), refused},
			{"made wrong", request("UPDATE", vm(fromLinux, "", cores12), vm(fromLinux, "", cores1)), refused},
			{"wrong already", request("UPDATE", vm(fromLinux, "", cores12), vm(fromLinux, "", cores12)), answer{Allowed: true, Code: 200, Warnings: []string{alreadyTooMany}}},
			{"deleted", request("DELETE", "", vm(fromLinux, "", cores12)), answer{Allowed: true, Code: 200}},
		} {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				got := answerOf(webhook.Handle(t.Context(), test.req))
				if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Outside of a webhook, an object says itself what it is.
func TestValidatorWithoutRequest(t *testing.T) {
	v := admission.NewValidator[*VirtualMachine](reviewer(t, cluster(t, linux)))
	var typed, unknown VirtualMachine
	if err := json.Unmarshal([]byte(vm(fromLinux, "", cores12)), &typed); err != nil {
		t.Fatal(err)
	}
	unknown.ObjectMeta, unknown.Spec = typed.ObjectMeta, typed.Spec
	for _, test := range []struct {
		name   string
		object *VirtualMachine
		want   string
	}{
		{"typed", &typed, "the object is not valid: spec.template.spec.domain.cpu.cores: Invalid value: 12: at most 8 cores (12 is more than max 8)"},
		{"of no kind", &unknown, "the request does not say of which kind its object is"},
		{"nil", nil, "there is no object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := v.ValidateCreate(context.Background(), test.object)
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A Validator does not change its objects.
func TestValidatorChangesNothing(t *testing.T) {
	v := admission.NewValidator[*unstructured.Unstructured](reviewer(t, cluster(t, linux)))
	req := request("CREATE", vm(fromLinux, "", cores12), "")
	o := object(t, string(req.Object.Raw))
	delete(o.Object, "kind")
	before := o.DeepCopy()
	if _, err := v.ValidateCreate(ctrl.NewContextWithRequest(t.Context(), req), o); err == nil {
		t.Error("the VM is valid")
	}
	if diff := cmp.Diff(before, o); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}
