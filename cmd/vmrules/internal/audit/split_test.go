package audit

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
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vmrules/vmrules/internal/seeds"
)

// split returns what objectsIn makes of a stream, up to so many objects.
func split(input io.Reader, most int) ([]string, error) {
	var objects []string
	err := objectsIn(input, func(object []byte) error {
		if objects = append(objects, normalized(object)); len(objects) == most {
			return errStopped
		}
		return nil
	})
	return objects, err
}

// splitSlowly returns what encoding/json makes of a stream. In front of an error, it leaves out
// the list that has the mistake.
func splitSlowly(text string) (objects []string, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		var whole json.RawMessage
		if err := decoder.Decode(&whole); err == io.EOF {
			return objects, nil
		} else if err != nil {
			return objects, err
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(whole, &members); err != nil || members == nil {
			return objects, errNoObject
		}
		all := []json.RawMessage{whole}
		if list, isList := members["items"]; isList {
			if err := json.Unmarshal(list, &all); err != nil {
				return objects, err
			}
		}
		for _, object := range all {
			objects = append(objects, normalized(object))
		}
	}
}

// normalized returns JSON as encoding/json understands it; or as it is written, if it is too
// deep for encoding/json.
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
	all, wantErr := splitSlowly(text)
	for name, input := range map[string]io.Reader{
		"whole":        strings.NewReader(text),
		"in halves":    iotest.HalfReader(strings.NewReader(text)),
		"with the end": iotest.DataErrReader(strings.NewReader(text)),
	} {
		got, err := split(input, 1000)
		switch {
		case err != nil && strings.HasSuffix(err.Error(), "is given twice in one object: keep one of them"):
			continue // TestSplitOfKeysTwice
		case err != nil && wantErr != nil:
			got = got[:min(len(all), len(got))] // without those of the list that has the mistake
		case err != nil || wantErr != nil:
			t.Fatalf("%s of %.300q: error %v, want %v", name, text, err, wantErr)
		}
		if diff := cmp.Diff(all, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s of %.300q (-want +got):\n%s", name, text, diff)
		}
	}
	if first, err := split(strings.NewReader(text), 1); len(all) > 0 && (err != nil || cmp.Diff(all[:1], first) != "") {
		t.Fatalf("the first of %.300q: %v, error %v", text, first, err)
	}
}

func TestSplit(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, text := range []string{
		"", " \n", "{}", " {} {}\n{} ", `{"a": 1}{"b": [2, {"c": null}]}`, `{"items": []}`,
		`{"items": [{}, {"a": 1} , 2, "x", null, [3]]} {"a": 4}`, `{"items": null}{}`,
		`{"a": 1, "b": 2, "items": [{"c": 3}], "kind": "List", "metadata": {"resourceVersion": ""}}`,
		`{"it\u0065ms": [{"a": 1}]}`,
		`{"Items": [1]}`, `{"a\"": {"items": [1]}}`,
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
		`{"a": 'b'}`, `{"a": /**/ 1}`, `{"a":` + deep(9_000) + `}`, `{"a":` + deep(11_000) + `}`,
		`{"items":[` + deep(9_000) + `]}`, `{"items":[1,` + deep(11_000) + `, 3]}`,
	} {
		checkSplit(t, text)
	}
}

// A list with a key twice is an error, behind the objects in front of that.
func TestSplitOfKeysTwice(t *testing.T) {
	for text, want := range map[string]string{
		`{"items": [{}], "items": [{"a": 1}]}`:             `[{}] byte 23 of the stream: the key "items" is given twice in one object: keep one of them`,
		`{"items": [1, 2], "it\u0065ms": []}{}`:            `[1 2] byte 30 of the stream: the key "items" is given twice in one object: keep one of them`,
		`{"items": [{}], "a": 1, "b": {"c": 1, "c": 2}}{}`: `[{}] byte 46 of the stream: the key "c" is given twice in one object: keep one of them`,
		`{"a": 1, "items": [{}], "a": 2}`:                  `[{}] byte 31 of the stream: the key "a" is given twice in one object: keep one of them`,
		`{"a": 1, "a": 2}{"items": [{"b": 1, "b": 1}]}`:    `[{"a":2} {"b":1}] <nil>`, // these objects are unreadable
	} {
		got, err := split(strings.NewReader(text), 1000)
		if diff := cmp.Diff(want, fmt.Sprint(got, " ", err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestSplitOfDamage damages a stream in random ways.
func TestSplitOfDamage(t *testing.T) {
	const runs = 3000
	random := rand.New(rand.NewPCG(seeds.Of(1), 2))
	stream := `{"apiVersion": "v1", "items": [
  {"kind": "VirtualMachine", "a": [1, -2.5e3, "x\n\u00e9", true]},
  {"b": {"c": null}}
], "kind": "List", "metadata": {"resourceVersion": ""}}
{"d": [{}, "{", "}"], "e": "f\\"} {"items": [1], "g": 2, "h": [{"i": 3}]}`
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
		_, err := split(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), 1000)
		if !errors.Is(err, broken) || !strings.HasSuffix(err.Error(), "of the stream: the connection is gone") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}
