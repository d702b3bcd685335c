package policy_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// A generator makes one rule and VMs for it, which depend only on the seed.
type generator struct {
	*rand.Rand
	noNulls  bool
	noFloats bool
	declared bool // only fields that KubeVirt's API has
	plants   []plant
}

// A plant is a place, and the values that it should often have.
type plant struct {
	at     vmPlace
	values []any
}

// A vmPlace is a path of names and *, and its type in KubeVirt's API. The last step may be @, for the
// members of an object, which a path takes for items.
type vmPlace struct {
	steps []string
	of    fieldType
}

var vmPlaces = func() (all []vmPlace) {
	for of, paths := range map[fieldType]string{
		integerType: `spec/domain/cpu/cores spec/domain/cpu/sockets spec/domain/cpu/cores spec/domain/cpu/maxSockets
			spec/terminationGracePeriodSeconds spec/domain/devices/disks/*/bootOrder
			spec/domain/devices/interfaces/*/ports/*/port`,
		stringType: `spec/domain/cpu/model spec/domain/machine/type spec/hostname spec/domain/devices/disks/*/disk/bus
			spec/domain/devices/disks/*/cache spec/domain/devices/disks/*/name spec/domain/devices/interfaces/*/model
			spec/domain/devices/interfaces/*/ports/*/protocol spec/networks/*/name metadata/labels/tier
			metadata/annotations/vm.kubevirt.io|os spec/nodeSelector/zone metadata/labels/@ spec/nodeSelector/@
			spec/dnsConfig/nameservers/* spec/domain/cpu/features/*/name spec/domain/clock/timezone
			spec/domain/devices/sound/model`,
		quantityType: `spec/domain/memory/guest spec/domain/memory/maxGuest spec/domain/resources/requests/memory
			spec/domain/resources/limits/cpu spec/domain/resources/requests/devices.kubevirt.io|kvm`,
		anyType: `spec/limits/a spec/odd-name spec/x.y/namespace spec/redact__d spec/bag/@ spec/bags/*/@ spec/matrix/*/*
			spec/domain/devices/interfaces/*/masquerade/mode`,
	} {
		for p := range strings.FieldsSeq(paths) {
			steps := strings.Split(p, "/")
			for i := range steps {
				steps[i] = strings.ReplaceAll(steps[i], "|", "/")
			}
			all = append(all, vmPlace{steps, of})
		}
	}
	return sorted(all)
}()

// beside has places on which it depends whether a preference may set what is in vmPlaces.
var beside = []vmPlace{
	{[]string{"spec", "domain", "clock", "utc", "offsetSeconds"}, integerType},
	{[]string{"spec", "domain", "devices", "sound", "name"}, stringType},
	{[]string{"spec", "networks", "*", "pod", "vmNetworkCIDR"}, stringType},
}

// arguments has the places from which rules read their arguments.
var arguments = []vmPlace{
	{[]string{"metadata", "labels", "licensed-cores"}, stringType},
	{[]string{"spec", "domain", "cpu", "maxSockets"}, integerType},
	{[]string{"spec", "limits", "b"}, anyType},
	{[]string{"spec", "domain", "resources", "limits", "memory"}, quantityType},
}

// among returns the places that the generator may use.
func (g *generator) among(places []vmPlace) []vmPlace {
	if !g.declared {
		return places
	}
	return slices.DeleteFunc(slices.Clone(places), func(p vmPlace) bool { return p.of == anyType })
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// path returns a place as a path in an annotation. Some of its * become indexes.
func (g *generator) path(p vmPlace) (string, vmPlace) {
	var s strings.Builder
	s.WriteString("jsonpath::")
	chosen := vmPlace{of: p.of}
	for _, step := range p.steps {
		written := step
		if (step == "*" || step == "@") && g.chance(25) {
			written = "#" + strconv.Itoa(g.IntN(3))
		}
		if step == "*" {
			step = written
		}
		chosen.steps = append(chosen.steps, step)
		switch {
		case written == "*", written == "@":
			s.WriteString("[*]")
		case written[0] == '#':
			s.WriteString("[" + written[1:] + "]")
		case strings.ContainsAny(step, "./") || g.chance(10):
			s.WriteString("['" + strings.ReplaceAll(step, ".", `\.`) + "']")
		default:
			s.WriteString("." + step)
		}
	}
	return s.String(), chosen
}

func (g *generator) rule() map[string]any {
	path, at := g.path(pick(g, g.among(vmPlaces)...))
	rule := map[string]any{"name": "r", "message": "m", "path": path, "rule": pick(g, "integer", "string", "enum", "regex")}
	switch {
	case g.chance(25):
		rule["valid"] = path
	case g.chance(15):
		rule["valid"], _ = g.path(pick(g, g.among(vmPlaces)...))
	case g.chance(15) && len(at.steps) > 2:
		parent := at.steps[:2+g.IntN(len(at.steps)-2)]
		rule["valid"], _ = g.path(vmPlace{steps: unindexed(parent)})
	}
	var values []any
	for range g.IntN(3) {
		switch pick(g, "bounds", "lengths", "values", "regex") {
		case "bounds":
			values = append(values, g.bounds(rule)...)
		case "lengths":
			values = append(values, g.lengths(rule)...)
		case "values":
			values = append(values, g.values(rule)...)
		case "regex":
			values = append(values, g.regex(rule)...)
		}
	}
	g.plants = append(g.plants, plant{at, values})
	return rule
}

// unindexed replaces the indexes in a path with *.
func unindexed(steps []string) []string {
	var all []string
	for _, s := range steps {
		if s[0] == '#' {
			s = "*"
		}
		all = append(all, s)
	}
	return all
}

func (g *generator) bounds(rule map[string]any) []any {
	n := pick(g, 0, 1, 2, 3, 8, 1000, 1024, 1536, 1<<30, 3<<29, -2)
	limit := func(n int) any {
		if g.chance(20) {
			path, at := g.path(pick(g, g.among(arguments)...))
			g.plants = append(g.plants, plant{at, []any{n, strconv.Itoa(n), g.number(n)}})
			return path
		}
		return g.number(n)
	}
	if g.chance(60) {
		rule["min"] = limit(n)
	}
	if g.chance(60) {
		rule["max"] = limit(n + g.IntN(3))
	}
	return []any{n, n + 1, n - 1, g.number(n), g.number(n), g.number(n + 1), g.number(n - 1), strconv.Itoa(n), strconv.Itoa(n) + ".5", strconv.Itoa(n) + "500m"}
}

// number returns n in one of several notations.
func (g *generator) number(n int) any {
	if g.chance(30) {
		forms := []string{"%d", "%d", "%d.0", "%de0"}
		if g.noFloats || n >= 1e6 { // CEL renders such floats with an exponent
			forms = forms[:1]
		}
		return json.Number(fmt.Sprintf(pick(g, forms...), n))
	}
	for _, unit := range []struct {
		size   int
		suffix string
	}{{1 << 30, "Gi"}, {1 << 20, "Mi"}, {1 << 10, "Ki"}, {1000, "k"}, {1000, "e3"}} {
		if n != 0 && 2*n%unit.size == 0 && g.chance(50) {
			if n%unit.size == 0 {
				return strconv.Itoa(n/unit.size) + unit.suffix
			}
			return fmt.Sprintf("%.1f%s", float64(n)/float64(unit.size), unit.suffix)
		}
	}
	return fmt.Sprintf(pick(g, "%d", "%d000m", "%d.0", "%de0", "%d."), n)
}

func (g *generator) lengths(rule map[string]any) []any {
	n := g.IntN(6)
	if g.chance(60) {
		rule["minLength"] = n
	}
	if g.chance(60) {
		rule["maxLength"] = n + g.IntN(3)
	}
	text := strings.Repeat(pick(g, "é", "a", "😀", "1"), n)
	return []any{text, text + "b", text + "bc", "世" + text}
}

var words = []any{"virtio", "scsi", "sata", "q35", "", "none", "12", "1", "true", "a b", "it's", `"`, "VirtIO", "naïve", "8", "2Gi"}

func (g *generator) values(rule map[string]any) []any {
	list := []any{}
	for range pick(g, 0, 1, 1, 2, 3) {
		list = append(list, pick(g, append(words, json.Number("1"), json.Number("2.5"), json.Number("8"), true)...))
	}
	rule["values"] = list
	return append(list, list...)
}

// patterns has regular expressions, each with texts that match or nearly match it.
var patterns = [][]any{
	{"^virtio$", "virtio", "virtio\n", "virtio\n\n", "xvirtio"},
	{`^q\d+|pc`, "q35", "apc", "q"},
	{`\s`, "a b", "\v", " "},
	{`^[^\s]*$`, "ab", "\v", "a\n"},
	{`^(?:virtio|sc\w+)\Z`, "scsi", "scsi\n", "virtio"},
	{`(?i)^VIRTIO\z`, "virtio", "VirtIO", "virtio\n"},
	{`(?i)^[k-s]$`, "k", "S", "ſ", "K", "é"},
	{`^[\w.-]+$`, "a.b-c", "é", ""},
	{`^.{2,3}$`, "ab", "abc", "abcd", "a\n", "😀😀"},
	{`^(?<name>a+?)(b|c)*$`, "aab", "b", "a"},
	{`^[[:alpha:]]\S\b`, "ab", "a é", "aé"},
	{`^\d+$`, "12", "12\n", "x", 12},
	{`^1`, "1", 1, "01", 12},
	{`^$`, "", "\n", "a"},
	{`(?s)a.b$|^x`, "a\nb", "x", "a\nb\n"},
	// patterns that are not translated
	{`(?=a)`, "a"}, {`(a)\1`, "aa"}, {`(?>a)`, "a"}, {`(?m)^a$`, "a"}, {`a$|(b$)`, "b"}, {`\p{L}`, "é"},
}

func (g *generator) regex(rule map[string]any) []any {
	p := pick(g, patterns...)
	rule["regex"] = p[0]
	return append(p[1:], p[1:]...)
}

// vm returns a VM that often has the values of the rule's plants.
func (g *generator) vm() map[string]any {
	template := map[string]any{"spec": map[string]any{"domain": map[string]any{}}}
	for _, p := range g.among(vmPlaces) {
		if g.chance(12) {
			put(g, template, p.steps, func() any { return g.value(plant{at: p}) })
		}
	}
	for _, p := range beside {
		if g.chance(25) {
			put(g, template, p.steps, func() any { return g.value(plant{at: p}) })
		}
	}
	for _, p := range g.plants {
		if g.chance(85) {
			put(g, template, p.at.steps, func() any { return g.value(p) })
		}
	}
	if !g.noNulls {
		g.nulls(template)
	}
	spec := map[string]any{"template": template}
	if g.chance(25) {
		spec["instancetype"] = map[string]any{"name": "u1.medium"}
	}
	if g.chance(25) {
		spec["preference"] = map[string]any{"name": "fedora"}
	}
	if !g.noNulls && g.chance(2) {
		spec["template"] = nil
	}
	return decoded(map[string]any{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": map[string]any{"name": "vm"}, "spec": spec})
}

// decoded returns an object as the API server decodes it.
func decoded(object map[string]any) map[string]any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // all generated values can be marshalled
	}
	var read map[string]any
	if err := utiljson.Unmarshal(text, &read); err != nil {
		panic(err)
	}
	return read
}

// nulls sometimes replaces a value with null.
func (g *generator) nulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if name != "spec" && g.chance(4) {
				v[name] = nil
			}
			g.nulls(v[name])
		}
	case []any:
		for i := range v {
			if g.chance(10) {
				v[i] = nil
			}
			g.nulls(v[i])
		}
	}
}

// value returns a value of the plant, or any other value that the field may have.
func (g *generator) value(p plant) any {
	for range 20 {
		v := g.anything()
		if len(p.values) > 0 && g.chance(85) {
			v = pick(g, p.values...)
		}
		if g.noFloats && isFloat(v) {
			continue
		}
		if fits(v, p.at.of) {
			return v
		}
	}
	return map[fieldType]any{anyType: "x", integerType: 3, stringType: "x", quantityType: "2Gi"}[p.at.of]
}

// isFloat reports whether the API server decodes a value as a float64.
func isFloat(v any) bool {
	n, isNumber := v.(json.Number)
	if !isNumber {
		return false
	}
	_, ok := decoded(map[string]any{"v": n})["v"].(float64)
	return ok
}

// quantityPattern is the pattern of KubeVirt's CRD for quantities, as Kubernetes' generator of
// CRDs writes it.
var quantityPattern = regexp.MustCompile(`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`)

func fits(v any, of fieldType) bool {
	switch of {
	case integerType:
		_, isInt := v.(int)
		_, isNumber := v.(json.Number)
		return isInt || isNumber && !isFloat(v)
	case stringType:
		_, ok := v.(string)
		if _, isNumber := v.(json.Number); isNumber {
			return false
		}
		return ok
	case quantityType:
		switch v := v.(type) {
		case bool, nil, []any, map[string]any:
			return false
		case string:
			return quantityPattern.MatchString(v)
		}
	}
	return true
}

var oddities = []any{
	"", " 1", "1 ", "1K", "1kb", "e3", ".", ".5", "+5", "-1", "0x10", "1e", "1e3", "1E3", "1.5e3", "0.5Ki", "1.5Gi", "Inf", "NaN", "true", "-0", "0.0",
	"1e-3", "m", "Gi", "1m", "Ki", "k", "2000m", "9007199254740993", "0.001k", "512Mi", "1048576Ki", "1.10", "-2000m", "-.5Ki", "1073741824.0",
	json.Number("0.0001"), json.Number("1e3"), json.Number("15e2"), json.Number("2.5"), json.Number("2.0"), json.Number("100.25"), json.Number("9007199254740993"),
	json.Number("-922337203685477580"), json.Number("922337203685477580"), json.Number("0.1"), json.Number("-2.0"), json.Number("0.0"),
}

func (g *generator) anything() any {
	switch g.IntN(7) {
	case 0:
		return pick[any](g, []any{}, []any{"virtio"}, map[string]any{}, map[string]any{"name": "x"}, true, false)
	case 1, 2:
		return pick(g, oddities...)
	case 3, 4:
		return g.IntN(12)
	}
	return pick(g, words...)
}

// put sets values where the steps lead, and makes missing objects and lists.
func put(g *generator, v any, steps []string, value func() any) any {
	if len(steps) == 0 {
		return value()
	}
	if steps[0] == "@" {
		object, ok := v.(map[string]any)
		if !ok {
			object = map[string]any{}
		}
		for range g.IntN(3) {
			object[pick(g, fmt.Sprint(value()), fmt.Sprint(value()), strconv.Itoa(g.IntN(3)))] = value()
		}
		return object
	}
	if steps[0] != "*" && steps[0][0] != '#' {
		object, ok := v.(map[string]any)
		if !ok {
			object = map[string]any{}
		}
		object[steps[0]] = put(g, object[steps[0]], steps[1:], value)
		return object
	}
	list, _ := v.([]any)
	if list == nil {
		list = []any{}
	}
	for range pick(g, 0, 1, 1, 2, 3) {
		if len(list) < 4 {
			list = append(list, put(g, nil, steps[1:], value))
		}
	}
	for i := range list {
		if g.chance(10) && len(steps) > 1 && steps[1] != "*" && steps[1][0] != '#' {
			list[i] = map[string]any{} // lacks the field
		}
	}
	return list
}
