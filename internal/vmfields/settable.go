package vmfields

import (
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A VM may name these objects, from which KubeVirt sets fields when it starts the VM.
const (
	ByInstancetype jsonpath.Setters = 1 << iota
	ByPreference
	// ByTopology is a preference that is not known, while the instance type is. It says how
	// vCPUs are split into sockets, cores and threads, but an instance type sets them.
	ByTopology
)

// SettersOf returns the objects that the spec of a VirtualMachine names.
func SettersOf(spec any) jsonpath.Setters {
	var by jsonpath.Setters
	if value.At(spec, "instancetype") != nil {
		by |= ByInstancetype
	}
	if value.At(spec, "preference") != nil {
		by |= ByPreference
	}
	return by
}

// Settable lists the fields that KubeVirt's expansion sets. It does not list fields that can
// only conflict with an instance type: then the VM keeps its own value or is refused.
var Settable = append(settableBy(ByInstancetype, Instancetype), settableBy(ByPreference, Preference)...)

func settableBy(by jsonpath.Setters, fields []Field) []jsonpath.Settable {
	var settable []jsonpath.Settable
	for _, f := range fields {
		if f.To == "" || f.How == NotAllowed {
			continue
		}
		s := jsonpath.Settable{By: by, Path: f.To, When: f.When, Only: f.Only, Inside: f.Inside}
		if f.How == Topology {
			s.By |= ByTopology
		}
		settable = append(settable, s)
	}
	return settable
}
