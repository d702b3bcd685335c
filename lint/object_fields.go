package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/quantity"
	"github.com/vmrules/vmrules/internal/spelling"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// ObjectFields calls found for what KubeVirt or OpenShift does not read as it is meant in a VM or template:
// a key that is only nearly right or at the wrong level, one item for an array, and a text for a quantity. It
// gives the JSON Pointer of each. The Finding has no place; its Suggestion is the right key, if it has one.
func ObjectFields(object map[string]any, found func(pointer string, f Finding)) {
	s := &objectSearch{found, maxUnknown}
	s.value("", &field{Shape: vmapi.Any}, object)
}

// maxUnknown is how many unknown keys of an object are compared with those that are known.
const maxUnknown = 1000

type objectSearch struct {
	report func(pointer string, f Finding)
	room   int // unknown keys that may still be compared
}

func (s *objectSearch) find(at, suggestion, format string, args ...any) {
	f := unplaced("misspelt-object", format, args...)
	f.Suggestion = suggestion
	s.report(at, f)
}

// value looks at a value, which should be that of a field.
func (s *objectSearch) value(at string, f *field, v any) {
	switch v := v.(type) {
	case map[string]any:
		if f.Shape == vmapi.Any {
			f = fieldsOf(v)
		}
		s.object(at, f, v)
	case []any:
		if f.Shape == vmapi.Array {
			for i, item := range v {
				s.value(fmt.Sprint(at, "/", i), f.Items, item)
			}
		}
	case string:
		meant := quantity.Meant(v)
		if f.Shape == vmapi.Scalar && f.Type.Value().Sort == vmapi.Quantity && meant != nil && meant[0] != v {
			s.find(at, "", "%s is no quantity: did you mean %q?", value.Quoted(v), meant[0])
		}
	}
}

// fieldsOf returns the fields of an object by its kind; of another than those that hold VMs, it does not know any.
func fieldsOf(object map[string]any) *field {
	kind, _ := object["kind"].(string)
	version, _ := object["apiVersion"].(string)
	group, _ := groupOf(version)
	if version == "" || slices.Contains(vmtarget.Kinds[kind], group) {
		if f := vmapi.OfKind(kind); f != nil {
			return f
		}
	}
	return &field{Shape: vmapi.Any}
}

func (s *objectSearch) object(at string, f *field, v map[string]any) {
	if f.Shape == vmapi.Array {
		s.find(at, "", `this must be an array: write "- " before the first key of each item`)
		s.value(at, f.Items, v)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		below := f.Member(key)
		at := at + "/" + pointerToken.Replace(key)
		switch {
		case len(below) == 1:
			s.value(at, below[0], v[key])
			s.labels(at, f, below[0], v[key])
		case f.Shape == vmapi.Object:
			s.unknown(at, f, key, v)
		}
	}
}

var pointerToken = strings.NewReplacer("~", "~0", "/", "~1")

// labels finds a key that belongs to the object around a map of texts, such as annotations among labels.
func (s *objectSearch) labels(at string, around, f *field, v any) {
	object, _ := v.(map[string]any)
	if f.Shape != vmapi.Map || f.Items.Shape != vmapi.Scalar {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		_, isText := object[key].(string)
		if meant := around.Members[key]; meant != nil && meant.Shape != vmapi.Scalar && !isText {
			s.find(at+"/"+key, "", "%q does not belong in here: indent it less", key)
		}
	}
}

// unknown looks at a key that the object does not have, for one that it lacks, or one of an object below it.
func (s *objectSearch) unknown(at string, f *field, key string, in map[string]any) {
	if s.room--; s.room < 0 {
		return
	}
	var missing, around []string
	for _, name := range namesIn([]*field{f}) {
		if _, isThere := in[name]; !isThere {
			missing = append(missing, name)
		}
		if f.Members[name].Members[key] != nil {
			around = append(around, name)
		}
	}
	if meant := meantKey(key, missing); meant != "" {
		s.find(at, meant, "nobody reads %s: did you mean %q?", value.Quoted(key), meant)
		s.value(at, f.Members[meant], in[key])
		return
	}
	if len(around) == 1 {
		s.find(at, "", "nobody reads %s here: indent it below %q", value.Quoted(key), around[0])
	}
}

// meantKey returns the name that a key nearly is, or of which it is the beginning, perhaps as a plural.
func meantKey(key string, names []string) string {
	if meant := spelling.Nearest(key, names); meant != "" {
		return meant
	}
	const least = 4 // letters of an abbreviation
	begin := strings.TrimSuffix(key, "s")
	i := slices.IndexFunc(names, func(name string) bool { return len(begin) >= least && strings.HasPrefix(name, begin) })
	if i < 0 {
		return ""
	}
	return names[i]
}
