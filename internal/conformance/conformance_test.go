package conformance

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A recorder is a test that may fail.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, _ ...any) { panic("fatal: " + format) }

func (r *recorder) Errorf(format string, _ ...any) {
	r.failures = append(r.failures, strings.Fields(format)[0])
}

// A parseError has the form of the one of package vmrules.
type parseError struct {
	Problems []json.RawMessage `json:"problems"`
}

func (e parseError) Error() string   { return "the error" }
func (e parseError) Unwrap() []error { return []error{errors.New("one of them")} }

const (
	reportJSON = `{"results": [
		{"outcome": "Violated", "doubt": "Bound", "note": "some note", "violations": [
			{"rule": "r", "message": "m", "field": "a.b", "pointer": "/a/b", "reason": "R",
				"argument": "max", "value": 12345678901234567890, "limit": [8], "detail": "it is too much", "origin": "default"},
			{"rule": "r", "message": "m", "reason": "R", "detail": "", "warned": true}]},
		{"outcome": "Satisfied", "target": "items[0]"}]}`
	problemJSON = `{"rule": "r", "index": 1, "key": "k", "line": 2, "column": 3, "reason": "R", "source": "VM", "message": "it is wrong"}`
	wantJSON    = `{
		"problems": [{"rule": "r", "index": 1, "key": "k", "line": 2, "column": 3, "reason": "R", "source": "VM", "contains": "wrong"}],
		"outcomes": ["Violated", "Satisfied"], "targets": ["", "items[0]"], "notes": ["some", ""], "doubts": ["Bound", ""], "violations": [
			{"rule": "r", "message": "m", "field": "a.b", "pointer": "/a/b", "reason": "R",
				"argument": "max", "value": 12345678901234567890, "limit": [ 8 ], "origin": "default", "contains": "too"},
			{"rule": "r", "reason": "R", "value": null, "limit": null, "pointer": "", "origin": "", "warned": true}]}`
)

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		from, to string // what the vector wants instead
		failures []string
	}{
		{"", "", nil},
		{`"message": "m", `, ``, nil},
		{`"pointer": "/a/b", `, ``, nil},
		{`"value": 12345678901234567890, `, ``, nil},
		{`"limit": [ 8 ], `, ``, nil},
		{`, "origin": "default", "contains": "too"`, ``, nil},
		{`"line": 2, "column": 3, `, ``, nil},
		{`, "source": "VM", "contains": "wrong"`, ``, nil},
		{`"targets": ["", "items[0]"], "notes": ["some", ""], `, ``, nil},

		{`{"rule": "r", "index"`, `{"rule": "s", "index"`, []string{"problems"}},
		{`"index": 1, `, ``, []string{"problems"}},
		{`"key": "k", `, ``, []string{"problems"}},
		{`"line": 2`, `"line": 1`, []string{"problems"}},
		{`"column": 3`, `"column": 4`, []string{"problems"}},
		{`"source": "VM"`, `"source": "template"`, []string{"problems"}},
		{`"contains": "wrong"`, `"contains": "right"`, []string{"problems"}},
		{`"wrong"}]`, `"wrong"}, {}]`, []string{"problems"}},
		{`"Violated", `, ``, []string{"outcomes"}},
		{`["", "items[0]"]`, `["", ""]`, []string{"targets"}},
		{`["some", ""]`, `["other", ""]`, []string{"notes"}},
		{`["some", ""]`, `["", ""]`, []string{"notes"}},
		{`["some", ""]`, `["some", "x"]`, []string{"notes"}},
		{`"message": "m"`, `"message": "n"`, []string{"violations"}},
		{`"field": "a.b", `, ``, []string{"violations"}},
		{`"/a/b"`, `"/a"`, []string{"violations"}},
		{`"argument": "max", `, ``, []string{"violations"}},
		{`12345678901234567890`, `12345678901234567891`, []string{"violations"}},
		{`[ 8 ]`, `[8.0]`, []string{"violations"}},
		{`, "doubts": ["Bound", ""]`, ``, nil},
		{`"doubts": ["Bound", ""]`, `"doubts": ["", ""]`, []string{"doubts"}},
		{`"origin": "default"`, `"origin": ""`, []string{"violations"}},
		{`"too"`, `"two"`, []string{"violations"}},
		{`"value": null`, `"value": ""`, []string{"violations"}},
		{`"limit": null`, `"limit": []`, []string{"violations"}},
		{`"pointer": ""`, `"pointer": "/"`, []string{"violations"}},
		{`"origin": ""`, `"origin": "default"`, []string{"violations"}},
		{`, "warned": true`, ``, []string{"violations"}},
		{`"warned": true}`, `"warned": true}, {}`, []string{"violations"}},
	} {
		var v Vector
		if !strings.Contains(wantJSON, test.from) {
			t.Fatalf("nothing to replace: %s", test.from)
		}
		if err := json.Unmarshal([]byte(strings.Replace(wantJSON, test.from, test.to, 1)), &v.Want); err != nil {
			t.Fatal(err)
		}
		r := &recorder{TB: t}
		v.Compare(r, json.RawMessage(reportJSON), parseError{[]json.RawMessage{json.RawMessage(problemJSON)}})
		if diff := cmp.Diff(test.failures, r.failures); diff != "" {
			t.Errorf("%s instead of %s (-want +got):\n%s", test.to, test.from, diff)
		}
	}
}

func TestCompareWithNothing(t *testing.T) {
	var none *struct{}
	wanting, wantingNone := Vector{}, Vector{}
	wanting.Want.Outcomes, wanting.Want.Violations = []string{"Violated"}, []Violation{{}}
	for _, test := range []struct {
		name     string
		v        Vector
		report   any
		err      error
		failures []string
	}{
		{"nothing at all", wantingNone, nil, nil, nil},
		{"a nil report", wantingNone, none, nil, nil},
		{"no report", wanting, none, nil, []string{"outcomes", "violations"}},
		{"a report too much", wantingNone, json.RawMessage(reportJSON), nil, []string{"outcomes", "violations"}},
		{"another error", wantingNone, nil, errors.New("broken"), []string{"problems"}},
		{"an error with no problem", wantingNone, nil, parseError{}, []string{"problems"}},
	} {
		r := &recorder{TB: t}
		test.v.Compare(r, test.report, test.err)
		if diff := cmp.Diff(test.failures, r.failures); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		text    string
		isWrong bool
	}{
		{`{"suite": "` + Suite + `", "vectors": [{"name": "v", "spec": "P3"}]}`, false},
		{`{"vectors": [{"name": "v", "spec": "of a kind"}]}`, false},
		{`{"suite": "0", "vectors": [{"name": "v"}]}`, true},
		{`{"suite": "", "vectors": [{"name": "v"}]}`, true},
		{`{"suite": "` + Suite + `", "vectors": [{"nmae": "v"}]}`, true},
		{`[{"name": "v"}]`, true},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "topic.json"), []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		isWrong, vectors := false, map[string][]Vector{}
		func() {
			defer func() { isWrong = recover() != nil }()
			vectors = Read(&recorder{TB: t}, dir)
		}()
		if isWrong != test.isWrong || !isWrong && (len(vectors["topic"]) != 1 || vectors["topic"][0].Name != "v") {
			t.Errorf("%s: wrong %t, %v", test.text, isWrong, vectors)
		}
	}
}

func TestFind(t *testing.T) {
	const (
		small  = `{"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "small"}}`
		large  = `{"kind": "VirtualMachineInstancetype", "metadata": {"name": "large"}}`
		fedora = `{"kind": "VirtualMachinePreference", "metadata": {"name": "fedora"}}`
		none   = `null`
	)
	var v Vector
	if err := json.Unmarshal([]byte(`{"cluster": [`+small+`,`+large+`,`+fedora+`]}`), &v); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ spec, instancetype, preference string }{
		{`{"instancetype": {"name": "large"}}`, large, none},
		{`{"instancetype": {"name": "small"}, "preference": {"name": "fedora"}}`, small, fedora},
		{`{"instancetype": {"name": "fedora"}, "preference": {"name": "small"}}`, none, none},
		{`{}`, none, none},
	} {
		for _, decode := range []func(json.RawMessage) map[string]any{DecodeExactly, DecodeOddly} {
			instancetype, preference, err := v.Find(decode)(decode(json.RawMessage(`{"spec": ` + test.spec + `}`)))
			got := []map[string]any{instancetype, preference}
			want := []map[string]any{decode(json.RawMessage(test.instancetype)), decode(json.RawMessage(test.preference))}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s (-want +got):\n%s%v", test.spec, diff, err)
			}
		}
	}
}
