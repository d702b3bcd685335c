package export

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/policy"
)

// write writes policies as YAML, with comments on where the rules are from and what is left out.
func (e *exporter) write(source string, s policy.Scope, policies []map[string]any, untranslated []policy.Untranslated) error {
	if e.out.Len() > 0 {
		e.out.WriteString("---\n")
	}
	comment := func(line string) { fmt.Fprintf(&e.out, "# %s\n", output.OneLine(line)) }
	about := ", enforced for " + aboutScope(s) + "."
	if len(policies) == 0 {
		about = ": no rule is enforced."
	}
	comment(source + about)
	for _, u := range untranslated {
		comment("NOT ENFORCED: " + aboutUntranslated(u))
	}
	if len(policies) == 0 {
		return nil
	}
	for _, of := range leftOut(s, policies[0]) {
		comment("NOT ENFORCED for VMs " + of + ".")
	}
	encoder := yaml.NewEncoder(&e.out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	for _, p := range policies {
		if err := encoder.Encode(p); err != nil {
			return err
		}
	}
	return encoder.Close()
}

// leftOut returns what VMs may have so that a policy does not validate them.
func leftOut(s policy.Scope, p map[string]any) (all []string) {
	selector, _ := manifest.Value(p, "spec", "matchConstraints", "objectSelector")
	switch {
	case selector != nil:
		all = append(all, "that name the template by annotations alone")
	case s.Template == "" && s.Annotation != "":
		all = append(all, "whose annotation "+vmrules.Annotation+" is removed or changed")
	}
	if s.SkipInstancetypes {
		all = append(all, "that name an instance type or a preference which may set what a rule is about")
	}
	return all
}

func aboutScope(s policy.Scope) string {
	switch {
	case s.Template == "" && s.Annotation == "":
		return "all VMs"
	case s.Template == "":
		return "VMs with a copy of its rules"
	case s.Namespace == "":
		return "VMs of the template " + s.Template + ", in any namespace"
	}
	return "VMs of the template " + s.Template + " in " + s.Namespace
}

func aboutUntranslated(u policy.Untranslated) string {
	why := u.Why
	if u.Key != "" {
		why = u.Key + ": " + why
	}
	return fmt.Sprintf("rule %q: %s", output.Short(u.Rule), why)
}
