// Controller validates VMs by the rules of the templates that they name, as a controller or a webhook does: templates
// and VMs come as typed objects, and each answer says what to do. Run it at the root of the repository:
//
//	go run ./examples/controller
package main

import (
	"fmt"
	"log"
	"maps"
	"sync"

	"github.com/vmrules/vmrules"
)

// A store has the templates of a cluster, which an informer adds.
type store struct {
	mu   sync.RWMutex
	all  map[string]map[string]any
	keep vmrules.ValidateOption // keeps the rules that were read, by their text
}

func newStore() *store {
	return &store{all: map[string]map[string]any{}, keep: vmrules.KeepRules()}
}

// add adds a template, of any Go type.
func (s *store) add(namespace, name string, template any) error {
	object, err := vmrules.ToObject(template)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[namespace+"/"+name] = object
	return nil
}

// find returns the template that a VM names; nil if there is none. An error would make the VM Undecided.
func (s *store) find(ref vmrules.TemplateRef) (*vmrules.Template, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	object, isThere := s.all[ref.Namespace+"/"+ref.Name]
	if !isThere {
		return nil, nil
	}
	return &vmrules.Template{Object: object}, nil
}

// review says whether a VM, of any Go type, may be created.
func (s *store) review(vm any) (answer string, err error) {
	object, err := vmrules.ToObject(vm)
	if err != nil {
		return "", err
	}
	report := vmrules.ValidateOwn(object, s.keep, vmrules.WithTemplates(s.find))
	if err := report.Err(); err != nil {
		return "denied: " + err.Error(), nil
	}
	if !report.Passed() {
		return fmt.Sprintf("allowed, but no rule was applied: %s", report.Targets()[0].Coverage), nil
	}
	return "allowed", nil
}

// A VM is as a typed client returns it.
type VM struct {
	Kind     string   `json:"kind"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Template struct {
			Spec struct {
				Domain struct {
					CPU struct {
						Cores int `json:"cores"`
					} `json:"cpu"`
				} `json:"domain"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

type Metadata struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// vm returns a VM with cores that has some labels.
func vm(cores int, labels map[string]string) VM {
	vm := VM{Kind: "VirtualMachine", Metadata: Metadata{Labels: maps.Clone(labels)}}
	vm.Spec.Template.Spec.Domain.CPU.Cores = cores
	return vm
}

func main() {
	templates := newStore()
	inside := vm(2, nil)
	inside.Metadata.Annotations = map[string]string{vmrules.Annotation: `[{"name": "cores", "rule": "integer", "max": 8,
		"path": "jsonpath::.spec.domain.cpu.cores", "message": "at most 8 cores"}]`}
	small := map[string]any{"kind": "Template", "objects": []any{inside}}
	if err := templates.add("openshift", "small", small); err != nil {
		log.Fatal(err)
	}
	named := map[string]string{vmrules.TemplateLabel: "small", vmrules.TemplateNamespaceLabel: "openshift"}
	gone := map[string]string{vmrules.TemplateLabel: "gone", vmrules.TemplateNamespaceLabel: "openshift"}
	for _, vm := range []VM{vm(4, named), vm(12, named), vm(4, gone), vm(4, nil)} {
		answer, err := templates.review(vm)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer)
	}
}
