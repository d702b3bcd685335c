package vmrules

import "github.com/vmrules/vmrules/internal/jsonpath"

// alwaysThere are the fields that the format lists as always there.
var alwaysThere = func() []Default {
	var all []Default
	for _, f := range jsonpath.AlwaysThere {
		all = append(all, Default{mustField(f.Path), f.Value})
	}
	return all
}()

// KubeVirt reads a 0 in these as not set.
var zeroIsUnset = []jsonpath.FieldPath{
	mustField(".spec.domain.cpu.sockets"),
	mustField(".spec.domain.cpu.cores"),
	mustField(".spec.domain.cpu.threads"),
}

func mustField(path string) jsonpath.FieldPath {
	field, ok := MustParsePath(jsonpath.Prefix + path).parsed.AsField()
	if !ok {
		panic("vmrules: " + path + " does not name a field")
	}
	return field
}

var (
	plainFields    = newFields(alwaysThere)
	settableInTree = newSettableFields(alwaysThere)
)

// newFields builds the tree. Of two defaults for one field the later counts.
func newFields(defaults []Default) *jsonpath.Implied {
	root := &jsonpath.Implied{}
	for _, d := range defaults {
		root.SetDefault(d.field, d.value)
	}
	for _, field := range zeroIsUnset {
		root.SetZeroIsUnset(field)
	}
	return root
}

// newSettableFields is newFields for a VM that leaves fields to others.
func newSettableFields(defaults []Default) *jsonpath.Implied {
	root := newFields(defaults)
	root.AddSettable(settableFields)
	return root
}
