package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// A split is what a reader makes of a stream.
type split struct {
	Objects []string
	Error   string
}

// splitBy returns what a reader makes of a stream, up to so many objects.
func splitBy(most int, read func(func(json.RawMessage) bool) error) split {
	var s split
	err := read(func(object json.RawMessage) bool {
		s.Objects = append(s.Objects, normalized(object))
		return len(s.Objects) < most
	})
	s.Error = fmt.Sprint(err)
	return s
}

// normalized returns JSON as encoding/json understands it; or as it is written, if it is one
// level too deep for encoding/json.
func normalized(object json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return string(object)
	}
	text, _ := json.Marshal(decoded)
	return string(text)
}

// checkSplit checks that objectsIn reads what encoding/json reads, however the stream comes.
func checkSplit(t *testing.T, text string) {
	t.Helper()
	for _, most := range []int{1, 1000} {
		want := splitBy(most, func(each func(json.RawMessage) bool) error {
			return decodeObjects(nil, 0, &limitedReader{input: strings.NewReader(text)}, each)
		})
		for name, input := range map[string]io.Reader{
			"whole":        strings.NewReader(text),
			"in halves":    iotest.HalfReader(strings.NewReader(text)),
			"with the end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got := splitBy(most, func(each func(json.RawMessage) bool) error { return objectsIn(input, each) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s of %.300q (-want +got):\n%s", name, text, diff)
			}
		}
	}
}

func TestSplit(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, text := range []string{
		"", " \n", "{}", " {} {}\n{} ", `{"a": 1}{"b": [2, {"c": null}]}`, `{"items": []}`,
		`{"items": [{}, {"a": 1} , 2, "x", null, [3]]} {"a": 4}`, `{"items": null}{}`,
		`{"items": [{}], "items": [{"a": 1}]}`,
		`{"a": 1, "b": 2, "items": [{"c": 3}], "kind": "List", "metadata": {"resourceVersion": ""}}`,
		`{"items": [], "items": 5}`, `{"it\u0065ms": [{"a": 1}]}`,
		`{"items": [{}], "it\u0065ms": [{"a": 1}], "b": 2}{"c": 3}`, `{"Items": [1]}`, `{"a\"": {"items": [1]}}`,
		`{"a": 1, "a": 2}`, "{\"a\xff\": \"\xe2\x82\"}", "{\"items\xff\": [1]}",
		`{"a": "\ud800", "b": "\ud800\u0041", "c": "\udc00\ud800\udc00"}`, "[]", "5", `"a"`, "null", "nul", "-",
		`{"a": tru}`, `{"items": 5}`, `{"items": "x"}`, `{"items": {"a": 1}}`, `{"items": tru}`, `{"items": `,
		`{"items"`, `{"items" 5}`, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a": 1`, `{"a": 1,`, `{"a": 1,}`,
		`{"a": 1 "b"}`, `{,}`, `{"a": 1}}`, `{"a": 1},{}`, `{} x`, `{"a" 1}`, `{1: 2}`, `{a: 1}`, `{"items": [`,
		`{"items": [{}`, `{"items": [{},`, `{"items": [{}, `, `{"items": [,{}]}`, `{"items": [{},]}`,
		`{"items": [{} {}]}`, `{"items": [{}}`, `{"items": [ {"a": 1}, {"b" 2}]}`, `{"items": [{}],}`,
		`{"items": [{}] "a"}`, `{"items": [{}], "a"}`, `{"items": [{}], "a": }`, `{"items": [{}], "a": [1}`,
		`{"items": [{}], "items": [{}`, `{"items": [{}]} ]`, "\ufeff{}", "{\"a\": \"\x01\"}", `{"a": "\x"}`,
		`{"a": "\u12"}`, `{"a": 01}`, `{"a": 1.}`, `{"a": 1e}`, `{"a": +1}`, `{"a": NaN}`, `{"a": 1e999999}`,
		`{"a": 'b'}`, `{"a": /**/ 1}`, `{"a":` + deep(9_998) + `}`, `{"a":` + deep(9_999) + `}`,
		`{"a":` + deep(10_000) + `}`, `{"a":` + deep(10_001) + `}`, `{"items":[` + deep(9_998) + `]}`,
		`{"items":[` + deep(9_999) + `]}`, `{"items":[1,` + deep(10_000) + `, 3]}`,
		`{"items":[1, ` + deep(10_001) + `]}`,
	} {
		checkSplit(t, text)
	}
}

// TestSplitOfDamage damages a stream in random ways.
func TestSplitOfDamage(t *testing.T) {
	const runs = 3000
	random := rand.New(rand.NewPCG(1, 2))
	stream := `{"apiVersion": "v1", "items": [
  {"kind": "VirtualMachine", "a": [1, -2.5e3, "x\n\u00e9", true]},
  {"b": {"c": null}}
], "kind": "List", "metadata": {"resourceVersion": ""}}
{"d": [{}, "{", "}"], "e": "f\\"} {"items": [1], "g": 2, "items": [{"h": 3}]}`
	const pieces = "{}[],:\"\\ntfu0-.e \xff"
	for range runs {
		text := []byte(stream)
		for range 1 + random.IntN(2) {
			at := random.IntN(len(text))
			switch random.IntN(4) {
			case 0:
				text = append(text[:at], text[at+1:]...)
			case 1:
				text[at] = pieces[random.IntN(len(pieces))]
			case 2:
				text = append(text[:at], append([]byte{pieces[random.IntN(len(pieces))]}, text[at:]...)...)
			default:
				text = text[:at+1]
			}
		}
		checkSplit(t, string(text))
	}
}

// TestSplitOfBrokenInput checks that the cause is reported when the input cannot be read.
func TestSplitOfBrokenInput(t *testing.T) {
	broken := errors.New("the connection is gone")
	for _, text := range []string{"", "{", `{"a": 1}`, `{"a": 1} `, `{"items": [{"a": 1}, {"b"`, `{"items": [{"a": 1}]`} {
		read := func() io.Reader { return io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)) }
		want := splitBy(1000, func(each func(json.RawMessage) bool) error {
			return decodeObjects(nil, 0, &limitedReader{input: read()}, each)
		})
		var err error
		got := splitBy(1000, func(each func(json.RawMessage) bool) error {
			err = objectsIn(read(), each)
			return err
		})
		if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, broken) {
			t.Errorf("%q: error %v (-want +got):\n%s", text, err, diff)
		}
	}
}
