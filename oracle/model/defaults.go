package model

import (
	"encoding/json"
	"strings"
)

// An existing is a field that always exists where its object does (201902-2:
// Optional Keys, valid).
type existing struct {
	steps []step
	value any
	// zero is for fields that KubeVirt takes for not set where they are 0.
	zero bool
}

// formatDefaults lists the fields of the specification, and what they count as
// (design 4: Fields that always exist).
const formatDefaults = `
cpu.sockets 1
cpu.cores 1
cpu.threads 1
machine.type ""
devices.disks[*].serial ""
devices.disks[*].cache ""
devices.disks[*].io ""
devices.disks[*].tag ""
devices.interfaces[*].model ""
devices.interfaces[*].macAddress ""
devices.interfaces[*].pciAddress ""
devices.interfaces[*].tag ""
devices.interfaces[*].ports[*].protocol ""
devices.interfaces[*].ports[*].port 0
`

// existingFields lists the defaults of the options, then those of the format: the
// first for a field counts. With RootObject, the format's do not exist.
func existingFields(opts Options) ([]existing, error) {
	var fields []existing
	for i := len(opts.Defaults) - 1; i >= 0; i-- {
		p, err := parsePath(opts.Defaults[i].Path)
		if err != nil {
			return nil, err
		}
		value, err := plainJSON(opts.Defaults[i].Value)
		if err != nil {
			return nil, err
		}
		fields = append(fields, existing{steps: p.steps, value: value, zero: countsCPUs(p)})
	}
	if opts.RootObject {
		return fields, nil
	}
	return append(fields, formatFields...), nil
}

var formatFields = readDefaults()

func readDefaults() []existing {
	var fields []existing
	for line := range strings.Lines(strings.TrimSpace(formatDefaults)) {
		name, literal, _ := strings.Cut(strings.TrimSpace(line), " ")
		p, err := parsePath(".spec.domain." + name)
		if err != nil {
			panic(err)
		}
		var value any = ""
		if literal != `""` {
			value = json.Number(literal)
		}
		fields = append(fields, existing{steps: p.steps, value: value, zero: countsCPUs(p)})
	}
	return fields
}

// countsCPUs reports whether a field is one of those that KubeVirt takes for not set
// where they are 0.
func countsCPUs(p path) bool {
	switch p.written {
	case "spec.domain.cpu.sockets", "spec.domain.cpu.cores", "spec.domain.cpu.threads":
		return true
	}
	return false
}

// orDefault returns v, or what the field counts as where it is not set.
func (s *search) orDefault(l location, v any) any {
	for _, f := range s.defaults {
		if !f.isAt(l) {
			continue
		}
		if v == nil || f.zero && f.value != nil && isZero(v) {
			return f.value
		}
		return v
	}
	return v
}

func isZero(v any) bool {
	n, ok := v.(json.Number)
	return ok && number(n).Sign() == 0
}

// isAt reports whether a location is one of the field's.
func (f existing) isAt(l location) bool {
	if len(l) != len(f.steps) {
		return false
	}
	for i, s := range f.steps {
		name, named := l[i].(string)
		if p := s.picks[0]; named != (p.kind == byName) || named && name != p.name {
			return false
		}
	}
	return true
}
