package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A converter runs vmrules convert.
type converter struct {
	ruling
	to, from choice[func(*converter, manifest.Object) error]

	out              yamlStream
	stderr           io.Writer
	converted        int
	failed, unusable bool
}

func newConvert(b Build) *cobra.Command {
	c := &converter{ruling: newRuling(b)}
	c.to.options = map[string]func(*converter, manifest.Object) error{"preference": (*converter).toPreference}
	c.from.options = map[string]func(*converter, manifest.Object) error{"preference": (*converter).fromPreference}
	command := &cobra.Command{
		Use:   "convert --to|--from preference FILE|FOLDER|-...",
		Short: "Convert rules to a preference of KubeVirt, or back",
		Long: `Convert --to preference writes the rules of each template, or VM, as a
VirtualMachineClusterPreference in YAML. Least memory, least sockets, cores or threads, and
an architecture become its requirements. An enum of a bus, a model or a machine type becomes
what the preference prefers. That only fills in fields: it does not refuse other values.

Convert --from preference writes the requirements of each preference as the JSON of an
annotation.

The standard error says, rule by rule, what cannot be converted.
` + inputs + `
The exit status is 0, 1 if a preference can say none of the rules of an object, and 2 if a
file or its rules cannot be used.`,
		Example: `  vmrules convert --to preference windows.yaml > preference.yaml
  vmrules convert --from preference preference.yaml > rules.json`,
		Args: someFile,
		RunE: c.run,
	}
	c.parameters.flag(command)
	c.to.flag(command, "to", "", "what to convert rules to")
	c.from.flag(command, "from", "", "what to convert to rules")
	exclusive(command, "to", "from")
	return command
}

func (c *converter) run(command *cobra.Command, args []string) error {
	convert := c.to.value()
	if convert == nil {
		convert = c.from.value()
	}
	if convert == nil {
		return errors.New("give --to preference or --from preference")
	}
	if err := inputTwice(args); err != nil {
		return err
	}
	if err := c.read(command); err != nil {
		return err
	}
	c.out.w, c.stderr = command.OutOrStdout(), command.ErrOrStderr()
	for object, err := range c.with.objects(args, command.InOrStdin()) {
		if err == nil {
			err = convert(c, object.Loaded())
		}
		if err != nil {
			fmt.Fprintln(c.stderr, "vmrules:", oneLine(err.Error()))
			c.unusable = true
		}
	}
	if c.out.err != nil {
		return c.out.err
	}
	c.with.warn(c.stderr)
	if err := c.allDeclared(); err != nil {
		return err
	}
	if c.converted == 0 && !c.unusable {
		return errors.New(strings.Join(args, ", ") + ": nothing to convert")
	}
	return verdict(c.failed, c.unusable)
}

// A note says why something of an object is not converted.
type note struct {
	rule string // "" if the note is not about a rule
	text string
}

func (c *converter) note(o manifest.Object, notes []note) {
	for _, n := range notes {
		about := ""
		if n.rule != "" {
			about = fmt.Sprintf("rule %q: ", n.rule)
		}
		fmt.Fprintf(c.stderr, "vmrules: %s: %s\n", aboutObject(o), oneLine(about+n.text))
	}
}

// toPreference writes the rules of an object as a preference.
func (c *converter) toPreference(o manifest.Object) error {
	if !o.HoldsVM() {
		return nil
	}
	rules, _, err := c.rulesOf(o)
	if err != nil {
		return fmt.Errorf("%s: %w", aboutObject(o), err)
	}
	if rules.Len() == 0 {
		return nil
	}
	spec, notes := preferenceOf(rules)
	c.note(o, notes)
	c.converted++
	if len(spec) == 0 {
		c.note(o, []note{{"", "a preference can say none of the rules, so there is none"}})
		c.failed = true
		return nil
	}
	c.out.begin()
	c.out.document(yamlTree{}.node(map[string]any{
		"apiVersion": "instancetype.kubevirt.io/v1beta1",
		"kind":       "VirtualMachineClusterPreference",
		"metadata":   map[string]any{"name": o.Name},
		"spec":       spec,
	}, ""))
	return nil
}

// fromPreference writes the requirements of a preference as rules.
func (c *converter) fromPreference(o manifest.Object) error {
	content := o.Content()
	if !instancetypes.IsPreference(content) {
		return nil
	}
	made, notes, err := rulesFrom(content)
	if err != nil {
		return fmt.Errorf("%s: %w", aboutObject(o), err)
	}
	c.note(o, notes)
	c.converted++
	rules, err := vmrules.NewRules(made)
	if err != nil {
		return fmt.Errorf("%s: %w", aboutObject(o), err)
	}
	c.out.begin()
	c.out.rules(rules)
	return nil
}

// rules writes rules as the JSON of an annotation, one on each line.
func (s *yamlStream) rules(rules vmrules.Rules) {
	separator := "["
	for _, r := range rules.All() {
		text, err := r.MarshalJSON()
		if err != nil {
			s.err = err
			return
		}
		s.write(separator + string(text))
		separator = ",\n "
	}
	if rules.Len() == 0 {
		s.write(separator)
	}
	s.write("]\n")
	s.hasText = true
}
