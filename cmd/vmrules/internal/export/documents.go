package export

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/policy"
)

// exportDocuments returns policies as documents of YAML. Comments say where the rules are from, and
// what the policies do not enforce.
func exportDocuments(source string, s policy.Scope, policies []map[string]any, untranslated []policy.Untranslated) ([]byte, error) {
	var text bytes.Buffer
	comment := func(line string) { fmt.Fprintf(&text, "# %s\n", output.OneLine(line)) }
	comment(source + ", enforced for " + aboutScope(s) + ".")
	for _, u := range untranslated {
		comment("NOT ENFORCED: " + aboutUntranslated(u))
	}
	if len(policies) == 0 {
		return text.Bytes(), nil
	}
	selector, _ := manifest.Value(policies[0], "spec", "matchConstraints", "objectSelector")
	if !s.ByAnnotation && selector != nil {
		comment("NOT ENFORCED for VMs that name the template by annotations: --by-annotation adds policies about them.")
	}
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	for _, p := range policies {
		if err := encoder.Encode(p); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), encoder.Close()
}

func aboutScope(s policy.Scope) string {
	switch {
	case s.Template == "":
		return "all VMs"
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
