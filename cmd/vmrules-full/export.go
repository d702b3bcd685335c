package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules/cmd/vmrules/command"
	"github.com/vmrules/vmrules/kinds/crd/export"
)

// exportPolicies writes rules as ValidatingAdmissionPolicies with their bindings.
func exportPolicies(x command.Export) ([]byte, []command.Omission, error) {
	translated := export.Translate(x.Rules)
	policies, err := translated.Policies(x.Name, export.Scope{
		Template: x.Template, Namespace: x.Namespace, Annotation: x.Annotation, ByAnnotation: x.Policy.ByAnnotation, NoRatcheting: x.Policy.NoRatcheting,
	})
	if err != nil {
		return nil, nil, err
	}
	var d documents
	omitted := omissions(translated, export.FormPolicy)
	d.begin(x, "enforced for "+scopeOf(x), omitted)
	for i, p := range policies {
		if i == 0 && p.Policy.Spec.MatchConstraints.ObjectSelector != nil && !x.Policy.ByAnnotation {
			d.comment("NOT ENFORCED for VMs that name the template by annotations: --by-annotation adds policies about them.")
		}
		if i > 0 {
			d.text.WriteString("---\n")
		}
		d.object(p.Policy)
		d.text.WriteString("---\n")
		d.object(p.Binding)
	}
	return d.text.Bytes(), omitted, d.err
}

// exportSchema writes rules as a part of a CustomResourceDefinition.
func exportSchema(x command.Export) ([]byte, []command.Omission, error) {
	translated := export.Translate(x.Rules)
	var d documents
	omitted := omissions(translated, export.FormCRD)
	d.begin(x, `to be merged into spec.versions of a CustomResourceDefinition of VMs:
its x-kubernetes-validations, and the fields that they read with the bounds
that keep their cost low. They are about all VMs that it defines.
KubeVirt's operator resets changes of KubeVirt's own definition`, omitted)
	d.object(map[string]any{"schema": map[string]any{"openAPIV3Schema": translated.Schema}})
	return d.text.Bytes(), omitted, d.err
}

func scopeOf(x command.Export) string {
	switch {
	case x.Template == "":
		return "all VMs"
	case x.Namespace == "":
		return "VMs of the template " + x.Template + ", in any namespace"
	}
	return "VMs of the template " + x.Template + " in " + x.Namespace
}

// omissions returns the rules that are not translated to a form.
func omissions(translated export.Translation, form export.Form) []command.Omission {
	var all []command.Omission
	for _, u := range translated.Untranslated {
		if u.Form != form && u.Form != export.FormBoth {
			continue
		}
		why := u.Why
		if u.Key != "" {
			why = u.Key + ": " + why
		}
		all = append(all, command.Omission{Rule: u.Rule, Why: why})
	}
	return all
}

// documents builds documents of YAML.
type documents struct {
	text bytes.Buffer
	err  error
}

// begin writes comments about the source, and about the rules that are left out.
func (d *documents) begin(x command.Export, what string, omitted []command.Omission) {
	d.comment(x.Source + ", " + what + ".")
	for _, o := range omitted {
		d.comment(fmt.Sprintf("NOT ENFORCED: rule %q: %s", o.Rule, o.Why))
	}
}

// comment writes a comment, of which no part can become content.
func (d *documents) comment(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&d.text, "# %s\n", strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return unicode.ReplacementChar
			}
			return r
		}, line))
	}
}

// object writes an object without the empty status that a Go type has.
func (d *documents) object(object any) {
	text, err := yaml.Marshal(object)
	if err == nil {
		d.text.WriteString(strings.TrimSuffix(string(text), "status: {}\n"))
		return
	}
	d.err = err
}
