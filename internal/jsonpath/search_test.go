package jsonpath_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
)

const searched = `{
	"a": {"a": {"a": 1, "b": 2}, "b": [{"n": "x", "v": 1}, {"n": "y", "v": 2.0}, {"n": "z", "v": "2"}, {"n": null}]},
	"b": [0, 1, 2, 3],
	"vm.kubevirt.io/os": "linux",
	"we ird": {"it's": {"back\\slash": 1}},
	"": {"*": 1, "~1/": 2},
	"end": true, "null": null, "empty": [], "flag": [true, false]
}`

// A match is a value that a search finds, with its location.
type match struct {
	Field   string
	Value   any
	StandIn jsonpath.StandIn
}

func fields(found []match) []string {
	var all []string
	for _, m := range found {
		all = append(all, m.Field)
	}
	return all
}

func find(p *jsonpath.Path, root any) ([]match, error) {
	return findWith(&jsonpath.Search{}, p, root)
}

// findWith lists the matches of a search. It sets the Meter and the Visitor.
func findWith(s *jsonpath.Search, p *jsonpath.Path, root any) ([]match, error) {
	var found []match
	m := meter.New(1_000_000_000, 1<<20)
	s.Meter = &m
	s.Visitor = jsonpath.VisitorFunc(func(s *jsonpath.Search, v any) bool {
		found = append(found, match{s.At().String(), v, s.StandIn()})
		return true
	})
	err := s.Run(p, root)
	return found, err
}

func TestSearch(t *testing.T) {
	tests := []struct {
		path string
		want []string // fields
	}{
		{"$", []string{"$"}},
		{".a.a.b", []string{"a.a.b"}},
		{".null", nil}, {".nothing", nil}, {".a.b.n", nil}, {".a.a.a.a", nil}, {".b[0].x", nil}, {".end[0]", nil},
		{`.vm\.kubevirt\.io/os`, []string{`vm\.kubevirt\.io/os`}},
		{`['we ird']['it\'s'].*`, []string{`['we ird']['it\'s']['back\\slash']`}},
		{`[''].*`, []string{`['']['\*']`, `['']['~1/']`}},
		{`['end']`, []string{"['end']"}},
		{".b[0]", []string{"b[0]"}}, {".b[-1]", []string{"b[3]"}}, {".b[4]", nil}, {".b[-5]", nil},
		{".b[*]", []string{"b[0]", "b[1]", "b[2]", "b[3]"}}, {".b.*", []string{"b[0]", "b[1]", "b[2]", "b[3]"}},
		{".a[*]", nil}, {".end.*", nil}, {".empty[*]", nil},
		{".b[1:3]", []string{"b[1]", "b[2]"}}, {".b[:2]", []string{"b[0]", "b[1]"}}, {".b[-2:]", []string{"b[2]", "b[3]"}},
		{".b[::3]", []string{"b[0]", "b[3]"}}, {".b[1:-1]", []string{"b[1]", "b[2]"}},
		{".b[2:2]", nil}, {".b[3:1]", nil}, {".b[2:5]", nil}, {".b[4:]", nil}, {".b[-5:2]", nil},
		{".b[3,0,0,-1]", []string{"b[0]", "b[3]"}}, {".b[2:4,0,9]", []string{"b[0]", "b[2]", "b[3]"}},
		{".a['b','a','x'].a", []string{"a.a.a"}},
		{"..a", []string{"a", "a.a", "a.a.a"}},
		{"..a..a", []string{"a.a", "a.a.a"}},
		{"..a..a..a..a", nil},
		{"..n", []string{"a.b[0].n", "a.b[1].n", "a.b[2].n"}},
		{".a..b", []string{"a.a.b", "a.b"}},
		{"..[0]", []string{"a.b[0]", "b[0]", "flag[0]"}},
		{"..['n','v']", []string{"a.b[0].n", "a.b[0].v", "a.b[1].n", "a.b[1].v", "a.b[2].n", "a.b[2].v"}},
		{".a.a..*", []string{"a.a.a", "a.a.b"}},
		{"..b[1:2]", []string{"a.b[1]", "b[1]"}},
		{"..[?(@.n)].v", []string{"a.b[0].v", "a.b[1].v", "a.b[2].v"}},
		{`.a.b[?(@.n=="y")].v`, []string{"a.b[1].v"}}, {`.a.b[?("y"==@.n)].v`, []string{"a.b[1].v"}},
		{".a.b[?(@.v==2)].n", []string{"a.b[1].n"}}, {".a.b[?(@.v=='2')].n", []string{"a.b[2].n"}},
		{".a.b[?(@.v!=1)].n", []string{"a.b[1].n"}}, {".a.b[?(@.v<2)].n", []string{"a.b[0].n"}},
		{".a.b[?(@.v<=2)].n", []string{"a.b[0].n", "a.b[1].n"}}, {".a.b[?(@.v>1)].n", []string{"a.b[1].n"}},
		{".a.b[?(@.v>=1)].n", []string{"a.b[0].n", "a.b[1].n"}}, {`.a.b[?(@.n>"x")].n`, []string{"a.b[1].n", "a.b[2].n"}},
		{".a.b[?(@.v==@.v)].n", []string{"a.b[0].n", "a.b[1].n", "a.b[2].n"}},
		{".a.b[?(@.*==1)].n", nil}, {".a.b[?(@.n)].n", []string{"a.b[0].n", "a.b[1].n", "a.b[2].n"}},
		{".b[?(@>1)]", []string{"b[2]", "b[3]"}}, {".b[?(@==1e1000)]", nil}, {".b[?(@<1e1000)]", []string{"b[0]", "b[1]", "b[2]", "b[3]"}},
		{".flag[?(@==true)]", []string{"flag[0]"}}, {".flag[?(@!=true)]", []string{"flag[1]"}}, {".flag[?(@<true)]", nil},
		{".a[?(@.a)]", nil}, {".a.b[?(@==1)]", nil},
	}
	for _, decode := range []func(json.RawMessage) map[string]any{conformance.DecodeExactly, conformance.DecodeOddly} {
		object := decode(json.RawMessage(searched))
		for _, test := range tests {
			got, err := find(mustParse(t, test.path), object)
			if diff := cmp.Diff(test.want, fields(got)); diff != "" || err != nil {
				t.Errorf("%s (-want +got):\n%s%v", test.path, diff, err)
			}
		}
	}
}

func TestSearchBounds(t *testing.T) {
	wide := map[string]any{"a": make([]any, jsonpath.MaxMatches+1)}
	for i := range wide["a"].([]any) {
		wide["a"].([]any)[i] = i
	}
	cyclic := map[string]any{}
	cyclic["a"] = cyclic
	tests := []struct {
		path string
		root any
		want int // matches; -1: a bound is reached
	}{
		{".a[*]", wide, -1},
		{".a[1:]", wide, jsonpath.MaxMatches},
		{"..a", cyclic, -1},
		{".a.a.a", cyclic, 1},
		{strings.Repeat("..a", 1000), cyclic, -1},
		{strings.Repeat(".a", value.MaxDepth), cyclic, 1},
		{strings.Repeat(".a", value.MaxDepth+1), cyclic, -1},
	}
	for _, test := range tests {
		found, err := find(mustParse(t, test.path), test.root)
		if got := len(found); err == nil && got != test.want || (err != nil) != (test.want < 0) {
			t.Errorf("%.20s: %d matches, %v; want %d", test.path, got, err, test.want)
		}
	}
}

func TestSearchIsPaidFor(t *testing.T) {
	m := meter.New(3*jsonpath.NodeWork, 0)
	s := jsonpath.Search{Meter: &m, Visitor: jsonpath.VisitorFunc(func(*jsonpath.Search, any) bool { return true })}
	if err := s.Run(mustParse(t, "..x"),
		map[string]any{"a": map[string]any{"b": 1}}); !errors.Is(err, meter.ErrWork) || !errors.Is(s.Err(), meter.ErrWork) {
		t.Errorf("a search that nobody pays for: %v", err)
	}
}

func TestSearchFromRoot(t *testing.T) {
	s := jsonpath.Search{Root: jsonpath.Members("spec", "template")}
	found, err := findWith(&s, mustParse(t, ".a"), map[string]any{"a": 1})
	if diff := cmp.Diff([]string{"spec.template.a"}, fields(found)); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
	if none, err := find(nil, map[string]any{}); none != nil || err != nil {
		t.Errorf("no path finds %v, %v", none, err)
	}
}

// implied has defaults for .cpu.cores, for which 0 counts as not set, and for .disks[*].io.
func implied(t *testing.T) *jsonpath.Implied {
	t.Helper()
	f := &jsonpath.Implied{}
	for path, v := range map[string]any{".cpu.cores": 1, ".disks[*].io": ""} {
		f.SetDefault(field(t, path), v)
	}
	f.SetZeroIsUnset(field(t, ".cpu.cores"))
	return f
}

func field(t *testing.T, path string) *jsonpath.Path {
	t.Helper()
	f := mustParse(t, path)
	if !f.IsField() {
		t.Fatalf("%s names no field", path)
	}
	return f
}

func TestImplied(t *testing.T) {
	const unset = `{"cpu": {}, "disks": [{"io": "native"}, {"name": "b"}]}`
	tests := []struct {
		path, object string
		want         []match
	}{
		{".cpu.cores", unset, []match{{"cpu.cores", 1, jsonpath.Unset}}},
		{".cpu.cores", `{"cpu": {"cores": 0}}`, []match{{"cpu.cores", 1, jsonpath.Zero}}},
		{".cpu.cores", `{"cpu": {"cores": 2}}`, []match{{"cpu.cores", json.Number("2"), jsonpath.Written}}},
		{".cpu.cores", `{}`, nil},
		{".cpu['cores','x']", unset, []match{{"cpu.cores", 1, jsonpath.Unset}}},
		{".cpu.*", unset, nil},
		{"..cores", unset, nil},
		{".disks[*].io", unset, []match{{"disks[0].io", "native", jsonpath.Written}, {"disks[1].io", "", jsonpath.Unset}}},
		{`.disks[?(@.io=="")].name`, unset, []match{{"disks[1].name", "b", jsonpath.Written}}},
	}
	for _, test := range tests {
		s := jsonpath.Search{Implied: implied(t)}
		got, err := findWith(&s, mustParse(t, test.path), conformance.DecodeExactly(json.RawMessage(test.object)))
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s in %s (-want +got):\n%s%v", test.path, test.object, diff, err)
		}
	}
}

func TestDefaultsBelongToNames(t *testing.T) {
	for _, path := range []string{"$", "[*]", ".a[0]", ".a.*", "..a", ".a[0].b", ".a['b','c']", ".a[?(@.b)].c"} {
		if mustParse(t, path).IsField() {
			t.Errorf("%s names a field", path)
		}
	}
}

func TestImpliedTree(t *testing.T) {
	below := implied(t).Below(jsonpath.Location{jsonpath.Member("list"), jsonpath.Item(3)})
	tests := map[string]any{
		".list[*].cpu.cores": 1, ".list[0].cpu.cores": 1, ".list[?(@.x)].disks[1:2].io": "", ".list[0].cpu": nil, ".cpu.cores": nil,
		".list[*]..cores": nil, "$": nil, ".list[*].cpu[0]": nil,
	}
	for path, want := range tests {
		if diff := cmp.Diff(want, below.Of(mustParse(t, path).Steps()).Default()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	node := below.Locate(jsonpath.Fixed(mustParse(t, ".list[7].cpu.cores").Steps()))
	if node.Default() != 1 || !node.ZeroIsUnset() || node != below.Of(mustParse(t, ".list[*].cpu.cores").Steps()) {
		t.Errorf("found %v", node)
	}
	var none *jsonpath.Implied
	if none.Default() != nil || none.ZeroIsUnset() || none.At(jsonpath.Item(0)) != nil {
		t.Error("nil has a field")
	}
}

// The bits of the Setters in these tests.
const (
	first jsonpath.Setters = 1 << iota
	second
)

func TestOthersMaySetFields(t *testing.T) {
	tree := &jsonpath.Implied{}
	tree.AddSettable([]jsonpath.Settable{
		{By: first, Path: "cpu.cores", When: jsonpath.IfZero},
		{By: second, Path: "cpu.features", When: jsonpath.Appended, Inside: true},
		{By: first | second, Path: "labels.*"},
		{By: second, Path: "disks[*].bus", Only: func(_ jsonpath.Around, disk any) bool {
			name, _ := value.Member(disk, "name")
			return name == "a"
		}},
		{By: first, Path: "acpi", When: jsonpath.Overwritten},
	})
	const object = `{"cpu": {"cores": 2, "sockets": 1, "features": ["x"]}, "labels": {"l": 1}, "disks": [{"name": "a"}, {"name": "b"}], "acpi": 1}`
	tests := []struct {
		path   string
		others jsonpath.Setters
		want   []string
		doubt  error
	}{
		{".cpu.cores", first, []string{"cpu.cores"}, nil},
		{".cpu.threads", first, nil, nil},
		{".cpu.features[0]", second, []string{"cpu.features[0]"}, nil},
		{".cpu.features[-1]", second, nil, &jsonpath.OpenField{What: "items of cpu.features", By: second}},
		{".cpu.features[*]", second, []string{"cpu.features[0]"}, &jsonpath.OpenField{What: "items of cpu.features", By: second}},
		{".labels.l", first, []string{"labels.l"}, nil},
		{".labels.m", first, nil, &jsonpath.OpenField{What: "labels.m", By: first}},
		{".labels.*", second, []string{"labels.l"}, &jsonpath.OpenField{What: "fields of labels", By: second}},
		{".disks[*].bus", second, nil, &jsonpath.OpenField{What: "disks[0].bus", By: second}},
		{".disks[1].bus", second, nil, nil},
		{".disks[0].bus", first, nil, nil},
		{".acpi", first, nil, &jsonpath.OpenField{What: "acpi", By: first}},
		{".acpi", second, []string{"acpi"}, nil},
		{`.disks[?(@.bus=="x")].name`, second, nil, &jsonpath.OpenField{What: "what a filter compares in disks", By: second}},
	}
	for _, test := range tests {
		s := jsonpath.Search{Implied: tree, Open: test.others}
		found, err := findWith(&s, mustParse(t, test.path), conformance.DecodeExactly(json.RawMessage(object)))
		if diff := cmp.Diff(test.want, fields(found)); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", test.path, diff, err)
		}
		if diff := cmp.Diff(test.doubt, s.Doubt()); diff != "" {
			t.Errorf("%s, the doubt (-want +got):\n%s", test.path, diff)
		}
	}
	if got := tree.MaySet(mustParse(t, ".cpu.features[*].name"), first|second); got != second {
		t.Errorf("features may be set by %b", got)
	}
}

func TestPlaceholders(t *testing.T) {
	placeholders := &jsonpath.Placeholders{
		Whole: func(s string) error {
			if s == "ANY" {
				return errors.New("any value")
			}
			return nil
		},
		Within: func(s string) error {
			if strings.Contains(s, "PART") {
				return fmt.Errorf("a part of %s", s)
			}
			return nil
		},
	}
	const object = `{"any": "ANY", "part": {"xPART": {"b": 1}, "c": 2}, "list": [{"n": "PARTy", "v": 1}, {"n": "z", "v": 2}]}`
	tests := []struct {
		path, doubt string
		want        []string
	}{
		{".any", "", []string{"any"}},
		{".any.b", "any value", nil},
		{".part.c", "", []string{"part.c"}},
		{".part.d", "a part of xPART", nil},
		{".part.*.b", "a part of xPART", []string{"part.xPART.b"}},
		{`.list[?(@.n=="z")].v`, "a part of PARTy", []string{"list[1].v"}},
	}
	for _, test := range tests {
		s := jsonpath.Search{Placeholders: placeholders}
		found, err := findWith(&s, mustParse(t, test.path), conformance.DecodeExactly(json.RawMessage(object)))
		if diff := cmp.Diff(test.want, fields(found)); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", test.path, diff, err)
		}
		doubt := ""
		if s.Doubt() != nil {
			doubt = s.Doubt().Error()
		}
		if doubt != test.doubt {
			t.Errorf("%s: the doubt is %q, want %q", test.path, doubt, test.doubt)
		}
	}
}
