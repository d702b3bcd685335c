package value

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/internal/conformance"
)

type (
	resourceQuantity struct{ text string } // with MarshalJSON, as resource.Quantity has it
	broken           struct{}
	point            struct {
		X int `json:"x"`
		y int
	}
	flag        bool
	width       int8
	namedString string
	namedMap    map[namedString]any
)

func (q resourceQuantity) MarshalJSON() ([]byte, error) { return json.Marshal(q.text) }
func (broken) MarshalJSON() ([]byte, error)             { return nil, errors.New("no") }

func pointerTo[T any](v T) *T { return &v }

// TestTypesOfValues: the JSON of a value determines how it is read, whatever its Go type.
func TestTypesOfValues(t *testing.T) {
	tests := []struct {
		name string
		in   any
		json string // "" for what has no JSON form
	}{
		{"nil", nil, "null"}, {"nil pointer", (*int)(nil), "null"}, {"nil map", map[string]any(nil), "null"},
		{"nil slice", []any(nil), "null"}, {"nil named map", namedMap(nil), "null"}, {"nil []string", []string(nil), "null"},
		{"bool", true, "true"}, {"named bool", flag(false), "false"}, {"pointer", pointerTo(pointerTo(7)), "7"},
		{"string", "a", `"a"`}, {"named string", namedString("a"), `"a"`},
		{"int8", int8(-3), "-3"}, {"int16", int16(-3), "-3"}, {"int32", int32(-3), "-3"}, {"int64", int64(-3), "-3"},
		{"uint8", uint8(3),
			"3"}, {"uint16", uint16(3), "3"}, {"uint32", uint32(3), "3"}, {"uint64", uint64(math.MaxUint64), "18446744073709551615"},
		{"uintptr", uintptr(3), "3"}, {"int", 3, "3"}, {"uint", uint(3), "3"}, {"named int", width(3), "3"},
		{"float32", float32(0.1),
			"0.1"}, {"float32, as short as JSON writes it", float32(123456789),
			"123456790"}, {"float64", 0.1,
			"0.1"}, {"json.Number", json.Number("1.50"), "1.5"}, {"json.Number, exponent", json.Number("1e3"), "1000"},
		{"big.Int", big.NewInt(5), "5"}, {"bytes", []byte("hi"), `"aGk="`},
		{"MarshalJSON", resourceQuantity{"2Gi"}, `"2Gi"`}, {"pointer to MarshalJSON", &resourceQuantity{"2Gi"}, `"2Gi"`},
		{"MarshalText", netip.MustParseAddr("10.0.0.1"), `"10.0.0.1"`}, {"time", time.Unix(0, 0).UTC(), `"1970-01-01T00:00:00Z"`},
		{"struct", point{1, 2}, `{"x":1}`},
		{"[]string", []string{"a"}, `["a"]`}, {"array", [2]int{1, 2}, "[1,2]"}, {"[]map", []map[string]any{{"a": 1}}, `[{"a":1}]`},
		{"map[string]string", map[string]string{"a": "b"}, `{"a":"b"}`}, {"map[string]int", map[string]int{"a": 1}, `{"a":1}`},
		{"map[any]any", map[any]any{"a": 1, 1: 2, int64(2): 3, uint64(3): 4, true: 5, 1.5: 6},
			`{"1":2,"1.5":6,"2":3,"3":4,"a":1,"true":5}`},
		{"map[int]any", map[int]any{1: "a", -2: "b"}, `{"-2":"b","1":"a"}`}, {"map[uint8]any", map[uint8]any{200: "a"}, `{"200":"a"}`},
		{"pointer to map[any]any", &map[any]any{"a": 1}, `{"a":1}`}, {"pointer to any", pointerTo[any](7), "7"},
		{"map of named keys", namedMap{"a": 1}, `{"a":1}`},
		{"channel", make(chan int), ""}, {"func", func() {}, ""}, {"complex", 1i, ""}, {"NaN", math.NaN(), ""}, {"Inf", math.Inf(1), ""},
		{"float32 Inf", float32(math.Inf(1)), ""}, {"failing MarshalJSON", broken{}, ""}, {"no number", json.Number("x"), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(rebuilt(Resolve(test.in)))
			if err != nil {
				got = nil
			}
			if diff := cmp.Diff(test.json, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

type (
	byPointer  struct{ text string } // with MarshalJSON on the pointer
	textual    struct{ text string } // with MarshalText on the pointer
	pointerInt int                   // with MarshalJSON on the pointer
	pointerMap map[string]int        // with MarshalJSON on the pointer
	markedByte byte                  // with MarshalText on the pointer
	neverNil   []int                 // with a MarshalJSON that says something of nil
	several    struct {
		A  byPointer            `json:"a"`
		L  []byPointer          `json:"l"`
		R  [1]byPointer         `json:"r"`
		M  map[string]byPointer `json:"m"`
		I  any                  `json:"i"`
		In struct{ T textual }  `json:"in"`
	}
)

func (b *byPointer) MarshalJSON() ([]byte, error) { return json.Marshal("json " + b.text) }
func (b *textual) MarshalText() ([]byte, error)   { return []byte("text " + b.text), nil }
func (*pointerInt) MarshalJSON() ([]byte, error)  { return []byte(`"int"`), nil }
func (*pointerMap) MarshalJSON() ([]byte, error)  { return []byte(`"map"`), nil }
func (*markedByte) MarshalText() ([]byte, error)  { return []byte("byte"), nil }
func (n neverNil) MarshalJSON() ([]byte, error)   { return json.Marshal(len(n)) }

// TestAsOneDocument: a value inside an object is read as encoding/json writes it as part of the
// whole object. encoding/json calls pointer methods of addressable values: items of slices, and
// values behind a pointer.
func TestAsOneDocument(t *testing.T) {
	h := func() several {
		b := byPointer{"x"}
		return several{b, []byPointer{b}, [1]byPointer{b}, map[string]byPointer{"k": b}, b, struct{ T textual }{textual{"x"}}}
	}
	five := *big.NewInt(5)
	for _, v := range []any{
		[]big.Int{five}, [1]big.Int{five}, &[1]big.Int{five}, map[string]big.Int{"a": five}, []any{five}, []any{&five}, five, &five,
		[]*big.Int{&five,
			nil},
		[]byPointer{{"x"}}, []textual{{"x"}}, []pointerInt{1}, []pointerMap{{"a": 1},
			nil}, []markedByte{1}, [2]markedByte{1}, &[2]markedByte{1}, [][1]byPointer{{{"x"}}},
		[2]byte{1, 2}, &[2]byte{1, 2}, [][2]byte{{1, 2}}, []byte{1, 2}, [][]byte{{1}, nil},
		h(), []several{h()}, pointerTo(h()), []any{h(),
			pointerTo(h())}, map[string]several{"a": h()}, &[1]several{h()}, pointerTo([]several{h()}),
		pointerTo(map[string]any{"a": h()}),
		neverNil(nil), []neverNil{nil, {1}}, pointerTo(neverNil(nil)), (*neverNil)(nil), json.RawMessage(nil),
		json.Number(""), []json.Number{"", "1"}, pointerTo(json.Number("")), namedString(""),
		[]struct{ P *byPointer }{{&byPointer{"x"}},
			{}}, pointerTo(pointerTo([]byPointer{{"x"}})), pointerTo[any](byPointer{"x"}), pointerTo[any](&byPointer{"x"}),
	} {
		text, err := json.Marshal(map[string]any{"v": v})
		if err != nil {
			t.Fatal(err)
		}
		want := rebuilt(conformance.DecodeExactly(text))
		if diff := cmp.Diff(want, rebuilt(Resolve(map[string]any{"v": v}))); diff != "" {
			t.Errorf("%T (-want +got):\n%s", v, diff)
		}
	}
}

// rebuilt converts a value to plain JSON, with only the functions that other packages use.
func rebuilt(v any) any {
	if s, ok := ScalarOf(v); ok {
		return s.Canonical()
	}
	switch ShapeOf(v) {
	case Null:
		return nil
	case Array:
		list := []any{}
		for i := range Len(v) {
			next, _ := Item(v, i)
			list = append(list, rebuilt(next))
		}
		return list
	case Object:
		object := map[string]any{}
		for _, name := range Names(v) {
			if next, ok := Member(v, name); ok {
				object[name] = rebuilt(next)
			}
		}
		return object
	}
	return func() {} // has no JSON form either
}

func TestMemberOfNothing(t *testing.T) {
	for _, v := range []any{nil, "a", 1, true, []any{1}, noJSON{}, json.Number("1")} {
		if got, ok := Member(v, "a"); ok || got != nil {
			t.Errorf("Member(%v) = %v", v, got)
		}
		if names := Names(v); len(names) > 0 {
			t.Errorf("Names(%v) = %v", v, names)
		}
	}
	for _, v := range []any{nil, "abc", 1, map[string]any{"a": 1}, map[string]string{}} {
		if n := Len(v); n != 0 {
			t.Errorf("Len(%v) = %d", v, n)
		}
	}
}

// TestNamesOfNumbers: a key that is a number has one name: the number as JSON writes it.
func TestNamesOfNumbers(t *testing.T) {
	maps := []any{map[any]any{7: "x"}, map[any]any{int64(7): "x"}, map[any]any{uint64(7): "x"}, map[any]any{7.0: "x"}, map[int]any{7: "x"},
		map[uint8]any{7: "x"}}
	for _, m := range maps {
		if got, ok := Member(m, "7"); got != "x" || !ok {
			t.Errorf("Member(%#v, 7) = %v", m, got)
		}
		for _, name := range []string{"07", "+7", "7.0", "7e0", "0x7", " 7", "", "263", "-249", "18446744073709551623"} {
			if got, ok := Member(m, name); ok {
				t.Errorf("Member(%#v, %q) = %v", m, name, got)
			}
		}
	}
}

// A pointer type that refers to itself is not followed endlessly.
type endless *endless

func TestEndlessPointer(t *testing.T) {
	var p endless
	p = &p
	if got := ShapeOf(Resolve(p)); got != NotJSON {
		t.Errorf("shape %v, want unusable", got)
	}
	var v any
	v = &v
	if got := ShapeOf(Resolve(v)); got != NotJSON {
		t.Errorf("shape %v, want unusable", got)
	}
}

// YAML decoders make maps with keys of any scalar type. A key is found only by the name that it
// has in JSON.
func TestMemberByKey(t *testing.T) {
	tests := []struct {
		object any
		name   string
		want   any
	}{
		{map[any]any{false: "x"}, "false", "x"},
		{map[any]any{false: "x"}, "true", nil},
		{map[any]any{false: "x"}, "a", nil},
		{map[any]any{true: "x"}, "true", "x"},
		{map[bool]any{true: "x"}, "true", "x"},
		{map[bool]any{true: "x"}, "1", nil},
		{map[uintptr]any{1: "x"}, "1", "x"},
		{map[int8]any{-1: "x"}, "-1", "x"},
		{map[int8]any{44: "x"}, "300", nil},
		{map[any]any{1.5: "x"}, "1.5", "x"},
		{map[any]any{1: "x"}, "01", nil},
	}
	for _, test := range tests {
		if got, ok := Member(test.object, test.name); got != test.want || ok != (test.want != nil) {
			t.Errorf("%#v at %q: %v, %v; want %v", test.object, test.name, got, ok, test.want)
		}
	}
}

// A selfWritten writes itself, so that nothing follows what it holds.
type selfWritten struct{ Self *selfWritten }

func (selfWritten) MarshalJSON() ([]byte, error) { return []byte(`"w"`), nil }

// TestIsEncoded: what asks methods or fields for its JSON is known by its type, whatever its kind.
func TestIsEncoded(t *testing.T) {
	for _, test := range []struct {
		value any
		want  bool
	}{
		{neverNil(nil), true}, {resourceQuantity{}, true}, {pointerTo(1), true}, {[1]int{}, true}, {netip.Addr{}, true},
		{namedMap{}, false}, {namedString(""), false}, {[]int{1}, false}, {nil, false},
	} {
		if got := IsEncoded(test.value); got != test.want {
			t.Errorf("%T is encoded: %t", test.value, got)
		}
	}
}

// A tree may have any number of levels.
type tree struct {
	Next   *tree  `json:"next,omitempty"`
	Parent *tree  `json:"-"`
	own    *tree  // not exported
	Text   string `json:"text,omitempty"`
}

func nestedTree(levels int) *tree {
	t := &tree{Text: "end"}
	for range levels {
		t = &tree{Next: t}
	}
	return t
}

// TestNesting: a value of too many levels is not encoded, and one that only seems to have them
// is.
func TestNesting(t *testing.T) {
	var list any
	for range 2_000_000 {
		list = []any{list}
	}
	shared := map[string]any{}
	for range 40 {
		shared = map[string]any{"a": shared, "b": shared}
	}
	loop := &tree{Text: "loop"}
	loop.Parent, loop.own = loop, loop
	self := &selfWritten{}
	self.Self = self
	var pointer any
	pointer = &pointer
	type box struct{ V any }
	for _, test := range []struct {
		name string
		v    any
		want error
	}{
		{"a list", list, ErrTooDeep},
		{"a list in a struct", box{list}, ErrTooDeep},
		{"a list in a map", map[string]box{"a": {list}}, ErrTooDeep},
		{"a tree", nestedTree(1001), ErrTooDeep},
		{"a tree as deep as possible", nestedTree(MaxDepth), nil},
		{"a pointer to itself", box{pointer}, ErrTooDeep},
		{"parts that are shared", box{shared}, errTooLarge},
		{"what encoding/json does not follow", box{loop}, nil},
		{"what writes itself", box{self}, nil},
		{"nothing", box{(*tree)(nil)}, nil},
		{"bytes and text", box{[]any{[]byte("abc"), json.RawMessage("[1]"), 1.5, "a"}}, nil},
	} {
		if _, err := ThroughJSON(test.v); err != test.want {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}
