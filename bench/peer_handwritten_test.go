package bench

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"k8s.io/apimachinery/pkg/api/resource"
)

// handWritten is the yardstick: what a careful programmer would write for these rules
// only. It looks up once what several rules share, and allocates nothing for a VM that
// satisfies them.
type handWritten struct {
	set   ruleSet
	check func(vm *vm) violations
	found violations
}

func prepareHandWritten(set ruleSet) (judge, error) {
	check, ok := handWrittenChecks[set.name]
	if !ok {
		check, ok = generalChecks[set.name]
	}
	if !ok {
		return nil, errors.New("there are no hand-written checks")
	}
	return &handWritten{set: set, check: check}, nil
}

func (j *handWritten) judge(vm *vm) { j.found = j.check(vm) }

func (j *handWritten) violated() []string {
	var names []string
	for _, v := range j.found {
		if !v.Warning || !j.set.forgives {
			names = append(names, v.Rule)
		}
	}
	return names
}

// violations are nil if all rules are satisfied.
type violations []violation

// A violation is one value that breaks a rule, or the absence of a value.
type violation struct {
	Rule, Field, Pointer, Message, Detail, Text string
	Value, Limit                                any
	Warning                                     bool

	index int // of the item of a list
}

// about is what a violation says of its rule. The * in a field stands for an index.
type about struct{ rule, field, message string }

// add records a wrong value. A nil value means that the field is not set.
func (found *violations) add(a about, index int, v any, wrong string) {
	field := "spec.template." + strings.Replace(a.field, "*", strconv.Itoa(index), 1)
	detail := "the field is not set"
	if v != nil {
		detail = fmt.Sprintf("%v %s", v, wrong)
	}
	*found = append(*found, violation{
		Rule: a.rule, Field: field, Pointer: pointerTo(field), Message: a.message, Detail: detail, Value: v, index: index,
	})
}

// pointerTo returns a field as a JSON Pointer.
func pointerTo(field string) string {
	pointer := append(make([]byte, 0, 128), '/')
	for i := range len(field) {
		switch c := field[i]; c {
		case '.', '[':
			pointer = append(pointer, '/')
		case ']':
		default:
			pointer = append(pointer, c)
		}
	}
	return string(pointer)
}

var handWrittenChecks = map[string]func(vm *vm) violations{
	"windows": func(vm *vm) (found violations) {
		domain := object(specOf(vm.object), "domain")
		found.memory(member(object(domain, "memory"), "guest"))
		found.cores(countOf(object(domain, "cpu"), "cores"))
		for i, disk := range disksOf(domain) {
			found.disk(i, member(object(disk, "disk"), "bus"), member(object(disk, "cdrom"), "bus"))
		}
		return found
	},
	"integer": func(vm *vm) (found violations) {
		found.cores(countOf(object(object(specOf(vm.object), "domain"), "cpu"), "cores"))
		return found
	},
	"string": func(vm *vm) (found violations) {
		if hostname := specOf(vm.object)["hostname"]; !lengthBetween(hostname, 1, 15) {
			found.add(hostnameLength, 0, hostname, "is not a string of 1 to 15 characters")
		}
		return found
	},
	"regex": func(vm *vm) (found violations) {
		hostname := specOf(vm.object)["hostname"]
		if s, ok := rendered(hostname); !ok || !label.MatchString(s) {
			found.add(hostnameLabel, 0, hostname, "does not match "+label.String())
		}
		return found
	},
	"regex-lookahead": func(vm *vm) (found violations) {
		hostname := specOf(vm.object)["hostname"]
		if s, ok := rendered(hostname); !ok || !matches(notDigitsAlone, s) {
			found.add(computerName, 0, hostname, "does not match "+notDigitsAlone.String())
		}
		return found
	},
	"enum": func(vm *vm) (found violations) {
		for i, disk := range disksOf(object(specOf(vm.object), "domain")) {
			found.diskBus(i, member(object(disk, "disk"), "bus"))
		}
		return found
	},
	"hundred": func(vm *vm) (found violations) {
		spec := specOf(vm.object)
		found.mixed(spec)
		found.mixedLabels(spec)
		return found
	},
	"hundred-without-regex": func(vm *vm) (found violations) {
		found.mixed(specOf(vm.object))
		return found
	},
}

var (
	windowsMemoryText    = about{"windows-memory", "spec.domain.memory.guest", "Windows needs 2 GiB of memory"}
	windowsCoresText     = about{"windows-cores", "spec.domain.cpu.cores", "Windows runs on 1 to 8 cores"}
	windowsVirtioBusText = about{"windows-virtio-bus", "spec.domain.devices.disks[*].disk.bus", "virtio disks are faster"}
	windowsDiskBusText   = about{"windows-disk-bus", "spec.domain.devices.disks[*].disk.bus", "disks have to be on virtio, sata or scsi"}
	windowsCDBusText     = about{"windows-cd-bus", "spec.domain.devices.disks[*].cdrom.bus", "a CD-ROM drive has to be on sata"}

	hostnameLength = about{"hostname-length", "spec.hostname", "a computer name has 1 to 15 characters"}
	hostnameLabel  = about{"hostname-label", "spec.hostname", "a host name is a label as in RFC 1123"}
	computerName   = about{"computer-name", "spec.hostname", "a computer name has letters, digits and hyphens, and not digits alone"}
)

func (found *violations) memory(guest any) {
	if !between(guest, 2147483648, math.MaxInt64) {
		found.add(windowsMemoryText, 0, guest, "is not an integer of at least 2147483648")
	}
}

func (found *violations) cores(cores any) {
	if !between(cores, 1, 8) {
		found.add(windowsCoresText, 0, cores, "is not an integer from 1 to 8")
	}
}

// disk checks the buses of a disk. A nil bus is missing.
func (found *violations) disk(i int, bus, cdromBus any) {
	if bus != nil && !oneOf(bus, "virtio") {
		found.add(windowsVirtioBusText, i, bus, "is not virtio")
		(*found)[len(*found)-1].Warning = true
	}
	found.diskBus(i, bus)
	found.cdBus(i, cdromBus)
}

func (found *violations) diskBus(i int, bus any) {
	if bus != nil && !oneOf(bus, "virtio", "sata", "scsi") {
		found.add(windowsDiskBusText, i, bus, "is not virtio, sata or scsi")
	}
}

func (found *violations) cdBus(i int, bus any) {
	if bus != nil && !oneOf(bus, "sata") {
		found.add(windowsCDBusText, i, bus, "is not sata")
	}
}

// mixed checks the hundred rules without those that have a regex. Each has five variants,
// whose limits increase by one.
func (found *violations) mixed(spec map[string]any) {
	domain := object(spec, "domain")
	cpu, devices := object(domain, "cpu"), object(domain, "devices")
	spinlocks := object(object(object(domain, "features"), "hyperv"), "spinlocks")
	found.integers("cores", "spec.domain.cpu.cores", countOf(cpu, "cores"), 8)
	found.integers("sockets", "spec.domain.cpu.sockets", countOf(cpu, "sockets"), 4)
	found.integers("threads", "spec.domain.cpu.threads", countOf(cpu, "threads"), 2)
	found.integers("spinlocks", "spec.domain.features.hyperv.spinlocks.spinlocks", spinlocks["spinlocks"], 8191)
	found.integers("grace-period", "spec.terminationGracePeriodSeconds", spec["terminationGracePeriodSeconds"], 3600)
	found.strings("cpu-model", "spec.domain.cpu.model", 0, cpu["model"], 32)
	found.strings("firmware-uuid", "spec.domain.firmware.uuid", 0, member(object(domain, "firmware"), "uuid"), 36)
	found.strings("computer-name", "spec.hostname", 0, spec["hostname"], 15)
	found.strings("architecture", "spec.architecture", 0, spec["architecture"], 8)
	for i, volume := range list(spec, "volumes") {
		if name := member(volume, "name"); name != nil {
			found.strings("volume-name", "spec.volumes[*].name", i, name, 63)
		}
	}
	found.enums("machine", "spec.domain.machine.type", 0, textOf(object(domain, "machine"), "type"), machines)
	found.enums("eviction", "spec.evictionStrategy", 0, spec["evictionStrategy"], evictions)
	for i, disk := range list(devices, "disks") {
		if bus := member(object(disk, "disk"), "bus"); bus != nil {
			found.enums("disk-bus", "spec.domain.devices.disks[*].disk.bus", i, bus, diskBuses)
		}
	}
	for i, nic := range list(devices, "interfaces") {
		if model := textOf(nic, "model"); model != nil {
			found.enums("nic-model", "spec.domain.devices.interfaces[*].model", i, model, nicModels)
		}
	}
	for i, input := range list(devices, "inputs") {
		if bus := member(input, "bus"); bus != nil {
			found.enums("input-bus", "spec.domain.devices.inputs[*].bus", i, bus, inputBuses)
		}
	}
}

// mixedLabels checks those of the hundred rules that have a regex.
func (found *violations) mixedLabels(spec map[string]any) {
	found.labels("hostname", "spec.hostname", 0, spec["hostname"], labels15)
	found.labels("subdomain", "spec.subdomain", 0, spec["subdomain"], labels63)
	found.labels("priority-class", "spec.priorityClassName", 0, spec["priorityClassName"], labels63)
	for i, network := range list(spec, "networks") {
		if name := member(network, "name"); name != nil {
			found.labels("network-name", "spec.networks[*].name", i, name, labels63)
		}
	}
	for i, disk := range list(object(object(spec, "domain"), "devices"), "disks") {
		if name := member(disk, "name"); name != nil {
			found.labels("disk-name", "spec.domain.devices.disks[*].name", i, name, labels63)
		}
	}
}

// variants is how many of the hundred rules each field has.
const variants = 5

// addVariant is add for the variant n of a rule.
func (found *violations) addVariant(n int, name, field string, index int, v any, wrong string) {
	rule := name + "-" + strconv.Itoa(n)
	found.add(about{rule, field, mixedMessage}, index, v, wrong)
}

func (found *violations) integers(name, field string, v any, limit int64) {
	number, ok := integer(v)
	for n := range variants {
		if most := limit + int64(n); !ok || number < 1 || number > most {
			found.addVariant(n, name, field, 0, v, fmt.Sprintf("is not an integer from 1 to %d", most))
		}
	}
}

func (found *violations) strings(name, field string, index int, v any, limit int) {
	s, ok := v.(string)
	length := utf8.RuneCountInString(s)
	for n := range variants {
		if most := limit + n; !ok || length < 1 || length > most {
			found.addVariant(n, name, field, index, v, fmt.Sprintf("is not a string of 1 to %d characters", most))
		}
	}
}

// enums is given the values of the last variant. Each earlier variant has one value less.
func (found *violations) enums(name, field string, index int, v any, values []string) {
	s, ok := rendered(v)
	for n := range variants {
		if allowed := values[:len(values)-variants+1+n]; !ok || !slices.Contains(allowed, s) {
			found.addVariant(n, name, field, index, v, "is not one of "+strings.Join(allowed, ", "))
		}
	}
}

var (
	machines   = []string{"q35", "pc-q35-rhel9.4.0", "pc-q35-rhel9.6.0", "other-0", "other-1", "other-2", "other-3"}
	evictions  = []string{"None", "LiveMigrate", "LiveMigrateIfPossible", "External", "other-0", "other-1", "other-2", "other-3"}
	diskBuses  = []string{"virtio", "sata", "scsi", "other-0", "other-1", "other-2", "other-3"}
	nicModels  = []string{"e1000e", "virtio", "other-0", "other-1", "other-2", "other-3"}
	inputBuses = []string{"virtio", "usb", "other-0", "other-1", "other-2", "other-3"}
)

func (found *violations) labels(name, field string, index int, v any, patterns []*regexp.Regexp) {
	s, ok := rendered(v)
	for n, pattern := range patterns {
		if !ok || !pattern.MatchString(s) {
			found.addVariant(n, name, field, index, v, "does not match "+pattern.String())
		}
	}
}

// The regular expressions of the rules, rewritten for their engines: PCRE's $ also matches
// before a final newline, and its \d is ASCII.
var (
	label              = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\n?$`)
	notDigitsAlone     = regexp2.MustCompile(`^(?![0-9]+$)[A-Za-z0-9-]{1,15}$`)
	labels15, labels63 = labelsFrom(15), labelsFrom(63)
)

func labelsFrom(characters int) []*regexp.Regexp {
	var patterns []*regexp.Regexp
	for n := range variants {
		pattern := fmt.Sprintf(`^[a-z0-9]([-a-z0-9]{0,%d}[a-z0-9])?\n?$`, characters+n-2)
		patterns = append(patterns, regexp.MustCompile(pattern))
	}
	return patterns
}

// specOf returns the object that most paths pass through.
func specOf(vm map[string]any) map[string]any {
	return object(object(object(vm, "spec"), "template"), "spec")
}

func disksOf(domain map[string]any) []any { return list(object(domain, "devices"), "disks") }

// These return an empty value for what is missing or has another type.

func member(v any, name string) any {
	o, _ := v.(map[string]any)
	return o[name]
}

func object(v any, name string) map[string]any {
	o, _ := member(v, name).(map[string]any)
	return o
}

func list(v any, name string) []any {
	items, _ := member(v, name).([]any)
	return items
}

// countOf returns a count of CPUs; nil without a cpu.
func countOf(cpu map[string]any, name string) any {
	if cpu == nil {
		return nil
	}
	return orOne(cpu[name])
}

// orOne returns a count of CPUs, which is 1 if it is missing or 0.
func orOne(count any) any {
	switch count {
	case nil, int64(0), 0, 0.0:
		return int64(1)
	}
	return count
}

// textOf returns a string, which is "" if it is missing.
func textOf(v any, name string) any {
	if o, ok := v.(map[string]any); ok && o[name] == nil {
		return ""
	}
	return member(v, name)
}

func between(v any, least, most int64) bool {
	n, ok := integer(v)
	return ok && least <= n && n <= most
}

func lengthBetween(v any, least, most int) bool {
	s, ok := v.(string)
	length := utf8.RuneCountInString(s)
	return ok && least <= length && length <= most
}

func oneOf(v any, values ...string) bool {
	s, ok := rendered(v)
	return ok && slices.Contains(values, s)
}

func matches(pattern *regexp2.Regexp, s string) bool {
	ok, err := pattern.MatchString(s)
	return ok && err == nil
}

// rendered is a scalar as a string.
func rendered(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case int:
		return strconv.Itoa(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// integer reads integral numbers and quantities. Values beyond int64 become its largest or
// smallest value, which is beyond every limit.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case float64:
		return integerOfFloat(v)
	case string:
		if n, ok := simpleQuantity(v); ok {
			return n, true
		}
		return anyQuantity(v)
	}
	return 0, false
}

func integerOfFloat(f float64) (int64, bool) {
	switch {
	case f != math.Trunc(f):
		return 0, false
	case f >= math.MaxInt64:
		return math.MaxInt64, true
	case f <= math.MinInt64:
		return math.MinInt64, true
	}
	return int64(f), true
}

// simpleQuantity reads most quantities faster than ParseQuantity: some digits, with or
// without a suffix.
func simpleQuantity(s string) (int64, bool) {
	digits := 0
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	unit, ok := unitOf(s[digits:])
	n, err := strconv.ParseInt(s[:digits], 10, 64)
	return n * unit, ok && err == nil && n <= math.MaxInt64/unit
}

func unitOf(suffix string) (int64, bool) {
	switch suffix {
	case "":
		return 1, true
	case "k":
		return 1e3, true
	case "M":
		return 1e6, true
	case "G":
		return 1e9, true
	case "T":
		return 1e12, true
	case "Ki":
		return 1 << 10, true
	case "Mi":
		return 1 << 20, true
	case "Gi":
		return 1 << 30, true
	case "Ti":
		return 1 << 40, true
	}
	return 1, false
}

// anyQuantity reads all other quantities, such as 0.5Gi, 1e3 and 2000m.
func anyQuantity(s string) (int64, bool) {
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return 0, false
	}
	n := q.Value()
	return n, q.CmpInt64(n) == 0
}
