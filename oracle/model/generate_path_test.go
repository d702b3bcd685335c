package model_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Paths of fields that have a default or may be set by instance types and
// preferences.
var knownPaths = []string{
	".spec.domain.cpu.cores", ".spec.domain.cpu.sockets", ".spec.domain.cpu.threads", ".spec.domain.machine.type",
	".spec.domain.devices.disks[*].serial", ".spec.domain.devices.disks[*].cache", ".spec.domain.devices.disks[*].io",
	".spec.domain.devices.disks[*].disk.bus", ".spec.domain.devices.disks[*].cdrom.bus",
	".spec.domain.devices.interfaces[*].model", ".spec.domain.devices.interfaces[*].macAddress",
	".spec.domain.devices.interfaces[*].ports[*].port", ".spec.domain.devices.interfaces[*].ports[*].protocol",
	".spec.domain.memory.guest", ".spec.domain.cpu.maxSockets", ".spec.domain.cpu.model", ".spec.domain.cpu.dedicatedCpuPlacement",
	".spec.domain.devices.disableHotplug", ".spec.domain.features.acpi.enabled", ".spec.domain.features.smm.enabled",
	".spec.domain.cpu.features[*].name", ".spec.domain.cpu.features[0].name", ".spec.domain.devices.gpus[*].name",
	".metadata.annotations.a", ".metadata.annotations.z", ".spec.architecture", ".spec.terminationGracePeriodSeconds",
	".spec.domain.firmware.bootloader.efi.secureBoot", ".spec.domain.resources.requests.memory",
}

// path walks through the rules' $ and returns a path, and a value that it selects. Now and
// then it returns a known path, or a path that selects nothing.
func (g *generator) path() (string, any) {
	if g.chance(4) {
		return pick(g, knownPaths...), g.near()
	}
	var b strings.Builder
	v := g.root
	for depth := range 9 {
		if !isScalar(v) && depth > 2 && g.chance(12) || depth > 0 && g.chance(60) {
			break
		}
		text, below := g.step(v)
		if text == "" {
			break
		}
		b.WriteString(text)
		v = below
	}
	if b.Len() == 0 || g.chance(25) {
		b.WriteString(pick(g, ".none", "[0]", ".*", "..name", "[*]", ".a"))
	}
	return b.String(), v
}

// step writes a step into a value, and returns one of the values that it selects.
func (g *generator) step(v any) (string, any) {
	switch v := v.(type) {
	case map[string]any:
		return g.memberStep(v)
	case []any:
		return g.itemStep(v)
	}
	return "", nil
}

func (g *generator) memberStep(o object) (string, any) {
	all := sortedNames(o)
	if len(all) == 0 {
		return "", nil
	}
	name := pick(g, all...)
	for _, likely := range []string{"spec", "domain"} { // most fields are below these
		if _, ok := o[likely]; ok && !g.chance(5) {
			name = likely
		}
	}
	switch g.IntN(14) {
	case 0:
		return "[" + g.quoted(name) + "]", o[name]
	case 1:
		return "[" + g.quoted(name) + "," + g.quoted(pick(g, all...)) + "]", o[name]
	case 2:
		if len(all) > 3 {
			break
		}
		return ".*", o[name]
	case 3:
		if g.chance(3) {
			return pick(g, "..*", "..name", "..n", "..bus", "..[0]", "..['a','n']", "..[?(@.n)]"), o[name]
		}
		return ".." + g.bare(name), o[name]
	case 4:
		if g.chance(8) {
			return pick(g, ".none", "[0]", "[*]", "[?(@.a)]"), o[name]
		}
	}
	return "." + g.bare(name), o[name]
}

func (g *generator) itemStep(items []any) (string, any) {
	n := len(items)
	if n == 0 {
		return pick(g, "[*]", "[0]", ".*"), nil
	}
	i, j := g.IntN(n), g.IntN(n)
	item := items[i]
	switch g.IntN(14) {
	case 0, 1:
		return fmt.Sprintf("[%d]", i), item
	case 2:
		return fmt.Sprintf("[%d]", i-n), item
	case 3:
		return fmt.Sprintf("[%d,%d]", i, j), item
	case 4:
		return fmt.Sprintf("[%d:%d]", g.IntN(n), pick(g, n, n, g.IntN(n+2), -1)), item
	case 5:
		return pick(g, "[:]", "[::2]", "[1:]", "[:1]", "[-1:]", "[:-1]", "[-2:]", "[0:3:2]"), item
	case 6:
		return pick(g, ".*", "..name", "..*", "[0:1,1]", "[ 0 , -1 ]", "[9]", "[-9]"), item
	case 7, 8, 9:
		return g.filter(item), item
	}
	return "[*]", item
}

// filter writes a filter that an item passes more often than not.
func (g *generator) filter(item any) string {
	at, v := "@", item
	for !isScalar(v) {
		text, below := g.step(v)
		if text == "" || strings.Contains(text, "?") {
			break
		}
		at, v = at+text, below
	}
	if g.chance(5) || !isScalar(v) || v == nil {
		return "[?(" + at + ")]"
	}
	op := pick(g, "==", "==", "!=", "<", "<=", ">", ">=")
	if g.chance(8) {
		return "[?(" + at + op + pick(g, "@.n", "@.name", "@.v", at) + ")]"
	}
	if g.chance(3) {
		v = g.near()
	}
	literal := "1"
	switch v := v.(type) {
	case string:
		literal = `"` + v + `"`
		if !plain.MatchString(v) {
			literal = `"a"`
		}
	case json.Number:
		literal = string(v)
	case bool:
		literal = fmt.Sprint(v)
	}
	if g.chance(10) {
		return "[?(" + literal + " " + op + " " + at + ")]"
	}
	return "[?(" + at + op + literal + ")]"
}

var plain = regexp.MustCompile(`^[a-zA-Z0-9${}. é✓]*$`)

// special matches a character in a name that needs a backslash.
var (
	special       = regexp.MustCompile(`[^\pL\pN_/-]`)
	quotedSpecial = regexp.MustCompile(`['".*\\]`)
)

func (g *generator) bare(name string) string { return special.ReplaceAllString(name, `\$0`) }

func (g *generator) quoted(name string) string {
	q := pick(g, "'", `"`)
	return q + quotedSpecial.ReplaceAllString(name, `\$0`) + q
}
