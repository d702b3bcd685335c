package value

import (
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/conformance"
)

type (
	shouting     string            // a string with MarshalText, which JSON does not ask in a key
	month        int               // an integer with MarshalText
	oddInteger   int8              // an integer with MarshalJSON, which JSON does not ask in a key
	unnamed      struct{ of bool } // with a MarshalText that fails
	panicking    struct{ of bool } // with a MarshalText that panics
	indifferent  struct{ of int }  // of which all have the same text
	namedFloat   float32
	namedBool    bool
	namedAny     any
	anyKeys      map[namedAny]any
	pointerNamed struct{ text string }
)

func (s shouting) MarshalText() ([]byte, error)      { return []byte(string(s) + "!"), nil }
func (m month) MarshalText() ([]byte, error)         { return []byte(time.Month(m).String()), nil }
func (oddInteger) MarshalJSON() ([]byte, error)      { return []byte(`"odd"`), nil }
func (unnamed) MarshalText() ([]byte, error)         { return nil, errors.New("no") }
func (panicking) MarshalText() ([]byte, error)       { panic("no") }
func (indifferent) MarshalText() ([]byte, error)     { return []byte("same"), nil }
func (p *pointerNamed) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// keysOfAllTypes has objects with keys of many types, and their JSON if encoding/json refuses
// them.
var keysOfAllTypes = []struct {
	object any
	json   string // "": what encoding/json writes
}{
	{map[string]any{"a": 1, "": 2}, ""}, {map[string]int{"a": 1}, ""}, {namedMap{"a": 1}, ""}, {map[shouting]int{"a": 1}, ""},
	{map[int]int{-1: 1, 0: 2},
		""}, {map[int8]int{-128: 1}, ""}, {map[int16]int{-300: 1}, ""}, {map[int32]int{1: 1}, ""}, {map[int64]int{math.MinInt64: 1}, ""},
	{map[uint]int{1: 1},
		""}, {map[uint8]int{255: 1},
		""}, {map[uint16]int{65535: 1},
		""}, {map[uint32]int{7: 1}, ""}, {map[uint64]int{math.MaxUint64: 1}, ""}, {map[uintptr]int{7: 1}, ""},
	{map[month]int{1: 1, 12: 2}, ""}, {map[oddInteger]int{1: 1, -1: 2}, ""}, {map[width]int{1: 1}, ""},
	{map[netip.Addr]int{netip.MustParseAddr("10.0.0.1"): 1, netip.MustParseAddr("::1"): 2}, ""},
	{map[*pointerNamed]int{{"a"}: 1, nil: 2}, ""}, {map[time.Time]int{time.Unix(0, 0).UTC(): 1}, ""},
	{map[encoding.TextMarshaler]int{shouting("a"): 1, month(2): 2, netip.MustParseAddr("10.0.0.1"): 3}, ""},
	{map[*big.Int]int{big.NewInt(5): 1}, ""},

	{map[any]any{"a": 1, namedString("b"): 2, shouting("c"): 3}, `{"a":1,"b":2,"c!":3}`},
	{map[any]any{int8(-1): 1, int16(-2): 2, int32(3): 3, int64(4): 4, 5: 5}, `{"-1":1,"-2":2,"3":3,"4":4,"5":5}`},
	{map[any]any{uint8(1): 1, uint16(2): 2, uint32(3): 3, uint64(4): 4, uint(5): 5, uintptr(6): 6},
		`{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6}`},
	{map[any]any{width(1): 1, month(2): 2, oddInteger(3): 3}, `{"1":1,"February":2,"3":3}`},
	{map[any]any{1.5: 1, float32(0.1): 2, namedFloat(0.25): 3, true: 4, namedBool(false): 5, nil: 6},
		`{"1.5":1,"0.1":2,"0.25":3,"true":4,"false":5,"null":6}`},
	{map[any]any{json.Number("7"): 1, netip.MustParseAddr("::1"): 2}, `{"7":1,"::1":2}`},
	{map[bool]int{true: 1}, `{"true":1}`}, {map[float64]int{1e3: 1}, `{"1000":1}`}, {anyKeys{"a": 1, int8(1): 2}, `{"a":1,"1":2}`},
	{map[any]any{"1": 1, 1: 2, int8(1): 3}, `{"1":1}`}, // the key that is a string counts
}

// TestKeysOfAllTypes: each member is found only by the name that its key has in JSON, and is
// listed once.
func TestKeysOfAllTypes(t *testing.T) {
	for _, test := range keysOfAllTypes {
		text := []byte(test.json)
		if test.json == "" {
			var err error
			if text, err = json.Marshal(test.object); err != nil {
				t.Fatal(err)
			}
		}
		want := conformance.DecodeExactly(text)
		got := map[string]any{}
		all := ByName(test.object)
		for _, name := range Names(test.object) {
			found, ok := Member(test.object, name)
			if !ok {
				t.Errorf("%#v: %q is listed and not found", test.object, name)
			}
			value, _ := Member(all, name)
			if diff := cmp.Diff(rebuilt(found), rebuilt(value)); diff != "" {
				t.Errorf("%#v: %q is found as another value than is listed (-found +listed):\n%s", test.object, name, diff)
			}
			got[name] = rebuilt(found)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%#v (-want +got):\n%s", test.object, diff)
		}
		for _, name := range []string{"other", "01", "+1", "1.0", "1e0", "!", "January!"} {
			if found, ok := Member(test.object, name); ok {
				t.Errorf("%#v has %v at %q", test.object, found, name)
			}
		}
	}
}

// TestUnclearKeys: a member whose key has no name, or the same name as another key, exists and
// satisfies nothing. The order of the map does not matter.
func TestUnclearKeys(t *testing.T) {
	for _, test := range []struct {
		object any
		name   string
	}{
		{map[any]any{1: "a", int8(1): "a"}, "1"},
		{map[any]any{1: "a", 1.0: "a", uint8(1): "a"}, "1"},
		{map[any]any{namedString("a"): "a", shouting(""): "a", month(13): "a", struct{}{}: "a", namedAny(namedMapKey("a")): "a"}, "a"},
		{map[indifferent]any{{1}: "a", {2}: "a"}, "same"},
		{map[unnamed]any{{true}: "a"}, "value.unnamed"},
		{map[panicking]any{{true}: "a"}, "value.panicking"},
		{map[[2]int]any{{1, 2}: "a"}, "[2]int"},
		{map[any]any{math.NaN(): "a"}, "float64"},
		{map[*int]any{new(int): "a"}, "*int"},
	} {
		for range 20 {
			found, ok := Member(test.object, test.name)
			if _, isNoJSON := found.(noJSON); !ok || !isNoJSON {
				t.Errorf("%#v at %s: %v, %v", test.object, test.name, found, ok)
			}
			if listed, _ := Member(ByName(test.object), test.name); listed != found {
				t.Errorf("%#v lists %v at %s", test.object, listed, test.name)
			}
			if count := len(slices.DeleteFunc(Names(test.object), func(name string) bool { return name != test.name })); count != 1 {
				t.Errorf("%#v lists %s %d times", test.object, test.name, count)
			}
		}
	}
}

type namedMapKey string

// TestLookupCost: a map in which a lookup has to compare each key reports that cost.
func TestLookupCost(t *testing.T) {
	odd := map[any]any{}
	for i := range 100_000 {
		odd[i] = "x"
	}
	for _, test := range []struct {
		object any
		name   string
		want   int
	}{
		{odd, "a", 100_000}, {map[int]any{1: "a"}, "1", 1},
		{map[any]any{"a": 1, 1: 2}, "a", 0}, {map[any]any{"a": 1}, "b", 0},
		{map[string]any{"a": 1}, "b", 0}, {namedMap{"a": 1}, "b", 0}, {nil, "b", 0}, {"a", "b", 0}, {[]any{1}, "b", 0},
	} {
		if got := LookupCost(test.object, test.name); got != test.want {
			t.Errorf("a lookup in a %T costs %d, want %d", test.object, got, test.want)
		}
	}
}
