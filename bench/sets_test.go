package bench

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
)

// A rule is a rule of the format as encoding/json reads and writes it.
type rule struct {
	Name        string `json:"name"`
	Kind        string `json:"rule"`
	Path        string `json:"path"`
	Valid       string `json:"valid,omitempty"`
	Message     string `json:"message"`
	Min         any    `json:"min,omitempty"`
	Max         any    `json:"max,omitempty"`
	MinLength   any    `json:"minLength,omitempty"`
	MaxLength   any    `json:"maxLength,omitempty"`
	Regex       string `json:"regex,omitempty"`
	Values      []any  `json:"values,omitempty"`
	JustWarning bool   `json:"justWarning,omitempty"`

	cel string // the rule in CEL, if it cannot be generated
}

// steps are the names on the rule's path, and "*" for each item of a list.
func (r rule) steps() []string {
	path := strings.TrimPrefix(r.Path, "jsonpath::.")
	return strings.Split(strings.ReplaceAll(path, "[*]", ".*"), ".")
}

// A ruleSet is given to all peers.
type ruleSet struct {
	name  string
	rules []rule
	own   []vm // instead of the usual

	validate func(vmrules.Rules, *vm) *vmrules.Report // nil: Validate without options
	forgives bool                                     // what the old object has too
}

// vms returns the VMs that are judged by the set.
func (s ruleSet) vms() []vm {
	if s.own != nil {
		return s.own
	}
	return usualVMs
}

// annotation returns the set as the annotation of a template.
func (s ruleSet) annotation() string {
	text, err := json.MarshalIndent(s.rules, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// without returns the set without the rules for which drop returns true.
func (s ruleSet) without(what string, drop func(rule) bool) ruleSet {
	s.name += "-without-" + what
	s.rules = slices.DeleteFunc(slices.Clone(s.rules), drop)
	return s
}

// needsOnlyRE2 returns an error if Go's regexp cannot express a pattern of the set.
func (s ruleSet) needsOnlyRE2() error {
	for _, r := range s.rules {
		if _, err := regexp.Compile(r.Regex); err != nil {
			return fmt.Errorf("rule %s: RE2 has no lookahead", r.Name)
		}
	}
	return nil
}

const (
	memoryPath   = "jsonpath::.spec.domain.memory.guest"
	coresPath    = "jsonpath::.spec.domain.cpu.cores"
	hostnamePath = "jsonpath::.spec.hostname"
	diskBusPath  = "jsonpath::.spec.domain.devices.disks[*].disk.bus"
	cdromBusPath = "jsonpath::.spec.domain.devices.disks[*].cdrom.bus"
)

// fastSets are those that vmrules judges in one walk through the VM.
var fastSets = []ruleSet{
	windows,
	{name: "integer", rules: []rule{windowsCores}},
	{name: "string", rules: []rule{{
		Name: "hostname-length", Kind: "string", Path: hostnamePath,
		Message: "a computer name has 1 to 15 characters", MinLength: 1, MaxLength: 15,
	}}},
	{name: "regex", rules: []rule{{
		Name: "hostname-label", Kind: "regex", Path: hostnamePath,
		Message: "a host name is a label as in RFC 1123", Regex: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
	}}},
	{name: "regex-lookahead", rules: []rule{{
		Name: "computer-name", Kind: "regex", Path: hostnamePath,
		Message: "a computer name has letters, digits and hyphens, and not digits alone", Regex: `^(?!\d+$)[A-Za-z0-9-]{1,15}$`,
	}}},
	{name: "enum", rules: []rule{windowsDiskBus}},
	hundred,
	hundredWithoutRegex,
}

// windows has the rules of KubeVirt's common templates for a Windows desktop.
var windows = ruleSet{name: "windows", rules: []rule{
	{
		Name: "windows-memory", Kind: "integer", Path: memoryPath,
		Message: "Windows needs 2 GiB of memory", Min: 2147483648,
	},
	windowsCores,
	{
		Name: "windows-virtio-bus", Kind: "enum", Path: diskBusPath, Valid: diskBusPath,
		Message: "virtio disks are faster", Values: []any{"virtio"}, JustWarning: true,
	},
	windowsDiskBus,
	{
		Name: "windows-cd-bus", Kind: "enum", Path: cdromBusPath, Valid: cdromBusPath,
		Message: "a CD-ROM drive has to be on sata", Values: []any{"sata"},
	},
}}

var windowsCores = rule{
	Name: "windows-cores", Kind: "integer", Path: coresPath,
	Message: "Windows runs on 1 to 8 cores", Min: 1, Max: 8,
}

var windowsDiskBus = rule{
	Name: "windows-disk-bus", Kind: "enum", Path: diskBusPath, Valid: diskBusPath,
	Message: "disks have to be on virtio, sata or scsi", Values: []any{"virtio", "sata", "scsi"},
}

var hundred = ruleSet{name: "hundred", rules: mixedRules(5)}

var hundredWithoutRegex = hundred.without("regex", func(r rule) bool { return r.Kind == "regex" })

// mixedRules returns 20 rules of all kinds about the whole VM, each in several variants.
// The limit increases by one from variant to variant.
func mixedRules(variants int) []rule {
	var rules []rule
	for n := range variants {
		for _, f := range mixedFields {
			rules = append(rules, f.rule(n))
		}
	}
	return rules
}

// A mixedField is a field that mixedRules has rules about.
type mixedField struct {
	name, kind, path string
	limit            int // of the value or its length; an enum has values instead
	values           []any
}

var mixedFields = []mixedField{
	{"cores", "integer", ".spec.domain.cpu.cores", 8, nil},
	{"sockets", "integer", ".spec.domain.cpu.sockets", 4, nil},
	{"threads", "integer", ".spec.domain.cpu.threads", 2, nil},
	{"spinlocks", "integer", ".spec.domain.features.hyperv.spinlocks.spinlocks", 8191, nil},
	{"grace-period", "integer", ".spec.terminationGracePeriodSeconds", 3600, nil},
	{"cpu-model", "string", ".spec.domain.cpu.model", 32, nil},
	{"firmware-uuid", "string", ".spec.domain.firmware.uuid", 36, nil},
	{"computer-name", "string", ".spec.hostname", 15, nil},
	{"architecture", "string", ".spec.architecture", 8, nil},
	{"volume-name", "string", ".spec.volumes[*].name", 63, nil},
	{"hostname", "regex", ".spec.hostname", 15, nil},
	{"subdomain", "regex", ".spec.subdomain", 63, nil},
	{"priority-class", "regex", ".spec.priorityClassName", 63, nil},
	{"network-name", "regex", ".spec.networks[*].name", 63, nil},
	{"disk-name", "regex", ".spec.domain.devices.disks[*].name", 63, nil},
	{"machine", "enum", ".spec.domain.machine.type", 0, []any{"q35", "pc-q35-rhel9.4.0", "pc-q35-rhel9.6.0"}},
	{"eviction", "enum", ".spec.evictionStrategy", 0, []any{"None", "LiveMigrate", "LiveMigrateIfPossible", "External"}},
	{"disk-bus", "enum", ".spec.domain.devices.disks[*].disk.bus", 0, []any{"virtio", "sata", "scsi"}},
	{"nic-model", "enum", ".spec.domain.devices.interfaces[*].model", 0, []any{"e1000e", "virtio"}},
	{"input-bus", "enum", ".spec.domain.devices.inputs[*].bus", 0, []any{"virtio", "usb"}},
}

// rule returns variant n of the rule about the field.
func (f mixedField) rule(n int) rule {
	r := rule{Name: fmt.Sprintf("%s-%d", f.name, n), Kind: f.kind, Path: "jsonpath::" + f.path, Message: mixedMessage}
	if slices.Contains(r.steps(), "*") {
		r.Valid = r.Path
	}
	switch f.kind {
	case "integer":
		r.Min, r.Max = 1, f.limit+n
	case "string":
		r.MinLength, r.MaxLength = 1, f.limit+n
	case "regex":
		r.Regex = labelPattern(f.limit + n)
	case "enum":
		r.Values = slices.Clone(f.values)
		for i := range n {
			r.Values = append(r.Values, fmt.Sprintf("other-%d", i))
		}
	}
	return r
}

const mixedMessage = "the cluster's administrators allow no other value"

// labelPattern matches a label as in RFC 1123, of at most that many characters.
func labelPattern(characters int) string {
	return fmt.Sprintf("^[a-z0-9]([-a-z0-9]{0,%d}[a-z0-9])?$", characters-2)
}
