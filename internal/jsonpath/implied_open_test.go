package jsonpath_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ohler55/ojg/jp"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
)

// If others may add an object, a search visits the fields that they may set in it.
func TestOthersMayMakeObjects(t *testing.T) {
	tree := &jsonpath.Implied{}
	tree.AddSettable([]jsonpath.Settable{
		{By: first, Path: "firmware.efi.secure"},
		{By: second, Path: "firmware.bios", When: jsonpath.WholeIfMissing},
		{By: second, Path: "labels.*"},
	})
	tests := map[string]error{
		".firmware.efi.secure":      &jsonpath.OpenField{What: "firmware.efi.secure", By: first},
		".firmware.efi.x":           nil,
		".firmware.bios.x.y":        &jsonpath.OpenField{What: "firmware.bios.x.y", By: second},
		".firmware.*":               &jsonpath.OpenField{What: "firmware", By: first | second},
		".firmware['efi','bios'].x": &jsonpath.OpenField{What: "firmware", By: second},
		".firmware..secure":         &jsonpath.OpenField{What: "firmware", By: first | second},
		"..secure":                  &jsonpath.OpenField{What: "fields of $", By: first | second},
		".firmware[0]":              nil,
		".labels.x":                 &jsonpath.OpenField{What: "labels.x", By: second},
	}
	for path, want := range tests {
		s := jsonpath.Search{Implied: tree, Open: first | second}
		found, err := findWith(&s, mustParse(t, path), map[string]any{"x": 1})
		if found != nil || err != nil {
			t.Errorf("%s selects %v, %v", path, found, err)
		}
		if diff := cmp.Diff(want, s.Doubt()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestOthersAtTheValueBeingVisited(t *testing.T) {
	tree := &jsonpath.Implied{}
	tree.AddSettable([]jsonpath.Settable{{By: first, Path: "a.b"}, {By: second, Path: "list[*].c"}})
	object := map[string]any{"a": map[string]any{"b": 1}, "list": []any{map[string]any{}}, "x": 1}
	type others struct {
		Inside jsonpath.Setters
		IsOpen bool
	}
	tests := map[string]others{
		".a": {0, true}, ".a.b": {0, true}, ".list": {second, false}, ".list[0]": {second, false}, "$": {second, false}, ".x": {0, false},
	}
	for path, want := range tests {
		var got others
		m := meter.New(1_000_000, 0)
		s := jsonpath.Search{Meter: &m, Implied: tree, Open: first | second,
			Visitor: jsonpath.VisitorFunc(func(s *jsonpath.Search, v any) bool {
				got = others{s.SetInside(v), s.IsOpen()}
				return true
			})}
		if err := s.Run(mustParse(t, path), object); err != nil || s.Matches() != 1 {
			t.Errorf("%s: %d matches, %v", path, s.Matches(), err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestFilter(t *testing.T) {
	tests := []struct {
		path     string
		paths    int
		compares bool
	}{
		{"[?(@.a)]", 1, false}, {"[?(@.a==1)]", 1, true}, {"[?(1<@.a)]", 1, true}, {"[?(@.a!=@.b)]", 2, true},
	}
	for _, test := range tests {
		f := mustParse(t, test.path).Steps()[0].(jsonpath.Filter)
		paths := slices.DeleteFunc([]jp.Expr{f.Left.Path, f.Right.Path}, func(path jp.Expr) bool { return path == nil })
		if len(paths) != test.paths || (f.Operator != "") != test.compares || !cmp.Equal(paths[0], jp.Expr{jp.Child("a")}) {
			t.Errorf("%s: paths %v, compares %v", test.path, paths, f.Operator != "")
		}
	}
}
