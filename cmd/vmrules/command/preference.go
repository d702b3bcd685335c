package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/instancetype"
)

// A requirement is a number that a preference may require of a field of VMs.
type requirement struct {
	path vmrules.Path
	name string // in spec.requirements, where its field guest has the number
	// topology is which of the CPU's fields a preference counts as vCPUs; "" for memory.
	topology string
}

var requirements = []requirement{
	{vmrules.MustParsePath("jsonpath::.spec.domain.memory.guest"), "memory", ""},
	{vmrules.MustParsePath("jsonpath::.spec.domain.cpu.cores"), "cpu", "cores"},
	{vmrules.MustParsePath("jsonpath::.spec.domain.cpu.sockets"), "cpu", "sockets"},
	{vmrules.MustParsePath("jsonpath::.spec.domain.cpu.threads"), "cpu", "threads"},
}

var architecturePath = vmrules.MustParsePath("jsonpath::.spec.architecture")

// A filling is a field that a preference fills in where a VM does not set it.
type filling struct {
	path    vmrules.Path
	section string
	field   string
}

var fillings = []filling{
	{vmrules.MustParsePath("jsonpath::.spec.domain.devices.disks[*].disk.bus"), "devices", "preferredDiskBus"},
	{vmrules.MustParsePath("jsonpath::.spec.domain.devices.disks[*].cdrom.bus"), "devices", "preferredCdromBus"},
	{vmrules.MustParsePath("jsonpath::.spec.domain.devices.disks[*].lun.bus"), "devices", "preferredLunBus"},
	{vmrules.MustParsePath("jsonpath::.spec.domain.devices.interfaces[*].model"), "devices", "preferredInterfaceModel"},
	{vmrules.MustParsePath("jsonpath::.spec.domain.devices.inputs[*].bus"), "devices", "preferredInputBus"},
	{vmrules.MustParsePath("jsonpath::.spec.domain.devices.inputs[*].type"), "devices", "preferredInputType"},
	{vmrules.MustParsePath("jsonpath::.spec.domain.machine.type"), "machine", "preferredMachineType"},
}

// preferenceOf returns the spec of a preference that says what it can of the rules, and notes
// about everything that it cannot say.
func preferenceOf(rules vmrules.Rules) (spec map[string]any, notes []note) {
	d := draft{rules: rules, spec: map[string]any{}, fills: map[string]string{}}
	for _, r := range rules.All() {
		d.add(r)
	}
	return d.spec, d.notes
}

// A draft is the spec of a preference that is being made.
type draft struct {
	rules    vmrules.Rules
	spec     map[string]any
	topology string            // whose count is required; "" if none is
	fills    map[string]string // what each filling fills in; "" for nothing
	notes    []note
}

func (d *draft) note(r vmrules.Rule, format string, args ...any) {
	d.notes = append(d.notes, note{r.Name, fmt.Sprintf(format, args...)})
}

func (d *draft) section(name string) map[string]any {
	if d.spec[name] == nil {
		d.spec[name] = map[string]any{}
	}
	return d.spec[name].(map[string]any)
}

func (d *draft) add(r vmrules.Rule) {
	for _, f := range fillings {
		if f.path.Equal(r.Path) {
			d.fill(r, f)
			return
		}
	}
	at := slices.IndexFunc(requirements, func(q requirement) bool { return q.path.Equal(r.Path) })
	switch {
	case at < 0 && !architecturePath.Equal(r.Path):
		d.note(r, "a preference cannot say anything about %s", r.Path)
	case r.JustWarning:
		d.note(r, "a preference cannot warn: what it requires, KubeVirt enforces")
	case !r.Valid.IsZero():
		d.note(r, "a preference requires the same of all VMs, also of those without %s", r.Valid)
	case at < 0:
		d.requireArchitecture(r)
	default:
		d.require(r, requirements[at])
	}
}

// require adds the least value of a rule to the requirements, unless they ask for more.
func (d *draft) require(r vmrules.Rule, q requirement) {
	least, ok := r.Min.Literal()
	switch {
	case r.Kind != vmrules.KindInteger || !ok:
		d.note(r, "a preference only requires a number that an integer rule has in min")
		return
	case q.topology != "" && d.topology != "" && d.topology != q.topology:
		d.note(r, "a preference requires only one of sockets, cores and threads, and another rule is about %s", d.topology)
		return
	}
	amount, err := q.amountOf(r, least)
	if err != nil {
		d.note(r, "a preference cannot require min %v: %v", least, err)
		return
	}
	required := d.requirements(q.name)
	if before, ok := required["guest"]; !ok || !isEnough(before, r) {
		required["guest"] = amount
	}
	if q.topology != "" {
		d.topology = q.topology
		d.section("cpu")["preferredCPUTopology"] = q.topology
	}
	for key := range r.Arguments() {
		if key != "min" {
			d.note(r, "min is required, but a preference cannot say %s", key)
		}
	}
}

// requirements returns the part of spec.requirements with a name.
func (d *draft) requirements(name string) map[string]any {
	all := d.section("requirements")
	if all[name] == nil {
		all[name] = map[string]any{}
	}
	return all[name].(map[string]any)
}

// isEnough reports whether an amount satisfies the min of a rule.
func isEnough(amount any, r vmrules.Rule) bool {
	checker, err := form.NewValueChecker(vmrules.Rule{Kind: r.Kind, Name: r.Name, Message: r.Message, Path: r.Path, Min: r.Min})
	return err == nil && len(checker.Check(amount)) == 0
}

// amountOf returns the min of a rule as a preference writes it: a number of vCPUs, or a quantity.
func (q requirement) amountOf(r vmrules.Rule, least any) (any, error) {
	amount := least
	number, isNumber := roundedUp(fmt.Sprint(least))
	switch {
	case q.topology == "" && isEnough("0", r):
		return nil, errors.New("it would require nothing, not even that a VM sets its memory")
	case q.topology == "" && isNumber:
		amount = binaryQuantity(number)
	case q.topology != "" && !isNumber:
		return nil, errors.New("it requires a whole number of vCPUs")
	case q.topology != "":
		amount = json.Number(number.String())
	}
	_, err := instancetype.Expand(instancetypes.PlainVM, nil, map[string]any{
		"spec": map[string]any{"requirements": map[string]any{q.name: map[string]any{"guest": amount}}},
	})
	return amount, err
}

// roundedUp returns the least whole number that is not less than a number, because the values of
// integer rules are whole; false for a quantity with a unit.
func roundedUp(number string) (*big.Int, bool) {
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return nil, false
	}
	n := new(big.Int).Add(r.Num(), r.Denom())
	return n.Sub(n, big.NewInt(1)).Div(n, r.Denom()), true
}

// binaryQuantity writes a number of bytes with the largest unit of which it is a multiple.
func binaryQuantity(n *big.Int) string {
	units := []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	n = new(big.Int).Set(n)
	unit := 0
	for unit+1 < len(units) && n.TrailingZeroBits() >= 10 {
		n.Rsh(n, 10)
		unit++
	}
	return n.String() + units[unit]
}

func (d *draft) requireArchitecture(r vmrules.Rule) {
	only, ok := onlyValue(r)
	if !ok {
		d.note(r, "a preference requires one architecture, so the rule must be an enum of one value")
		return
	}
	required := d.section("requirements")
	if before, ok := required["architecture"]; ok && before != only {
		d.note(r, "a preference requires only one architecture, and another rule is about %s", before)
		return
	}
	required["architecture"] = only
}

// onlyValue returns the value of an enum that has just one, and nothing but that.
func onlyValue(r vmrules.Rule) (string, bool) {
	n := 0
	for range r.Arguments() {
		n++
	}
	if r.Kind != vmrules.KindEnum || n != 1 || len(r.Values) != 1 {
		return "", false
	}
	literal, _ := r.Values[0].Literal()
	text, ok := literal.(string)
	return text, ok
}

// fill prefers a value for the field of a rule.
func (d *draft) fill(r vmrules.Rule, f filling) {
	value, isKnown := d.fills[f.field]
	if !isKnown {
		value = d.preferred(f)
		d.fills[f.field] = value
	}
	if value == "" {
		d.note(r, "a preference does not refuse values, and the rules name no value to prefer")
		return
	}
	d.section(f.section)[f.field] = value
	d.note(r, "spec.%s.%s fills in %s where a VM sets nothing, but does not refuse other values", f.section, f.field, value)
}

// preferred returns the first value of the enums about a field that satisfies all rules about
// the field; or else, all but those that only warn. It returns "" if there is none.
func (d *draft) preferred(f filling) string {
	var enforced, warnings []*form.ValueChecker
	var candidates, lesser []string
	for _, r := range d.rules.All() {
		if !f.path.Equal(r.Path) {
			continue
		}
		checker, err := form.NewValueChecker(r)
		if err != nil {
			return ""
		}
		if r.JustWarning {
			warnings = append(warnings, checker)
			lesser = append(lesser, valuesOf(r)...)
		} else {
			enforced = append(enforced, checker)
			candidates = append(candidates, valuesOf(r)...)
		}
	}
	candidates = append(candidates, lesser...)
	candidates = candidates[:min(len(candidates), maxCandidates)]
	for _, all := range [][]*form.ValueChecker{slices.Concat(enforced, warnings), enforced} {
		for _, value := range candidates {
			if !slices.ContainsFunc(all, func(c *form.ValueChecker) bool { return len(c.Check(value)) > 0 }) {
				return value
			}
		}
	}
	return ""
}

// maxCandidates is how many values are tried. Rules about a bus name a few.
const maxCandidates = 100

// valuesOf returns the texts among the values of a rule. It returns nil for a rule with a
// condition, unless that is that the field, or what it is in, is there.
func valuesOf(r vmrules.Rule) []string {
	steps := fieldpath.Steps(r.Path)
	for i, step := range fieldpath.Steps(r.Valid) {
		if i == len(steps) || step.String() != steps[i].String() {
			return nil
		}
	}
	var all []string
	for _, v := range r.Values {
		literal, _ := v.Literal()
		if text, ok := literal.(string); ok {
			all = append(all, text)
		}
	}
	return all
}
