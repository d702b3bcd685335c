package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
)

const annotation = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",
	"message": "the licence covers <8> cores", "min": 1, "max": 8},
	{"name": "memory", "rule": "integer", "path": "jsonpath::.spec.domain.memory.guest", "message": "m"}]`

const vm = `{"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {"cpu": {"cores": 12345678901234567890}}}}}}`

// ask returns what a handler answers.
func ask(handler http.HandlerFunc, question string) (status int, answer string) {
	w := httptest.NewRecorder()
	handler(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(question)))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func marshal(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnswers(t *testing.T) {
	object, err := vmrules.ParseObject([]byte(vm))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := vmrules.ParseRules(annotation)
	if err != nil {
		t.Fatal(err)
	}
	given := `"rules": {"annotation": ` + marshal(t, annotation) + `}, "vm": ` + vm
	own := `"rules": {"vm": {"kind": "VirtualMachine", "metadata": {"annotations": {"vm.kubevirt.io/validations": ` +
		marshal(t, annotation) + `}}}}, "vm": ` + vm
	validate, limits := handle(vmrules.Validate), handle(form.Limits)
	for _, test := range []struct {
		handler  http.HandlerFunc
		question string
		want     any
	}{
		{validate, `{` + given + `, "options": {"partial": false}}`, vmrules.Validate(rules, object)},
		{validate, `{` + given + `, "options": {"partial": true}}`, vmrules.Validate(rules, object, vmrules.Partial())},
		{validate, `{` + own + `}`, vmrules.Validate(rules, object)},
		{limits, `{` + given + `, "options": {"partial": true}}`, form.Limits(rules, object, vmrules.Partial())},
	} {
		want := marshal(t, test.want)
		if status, answer := ask(test.handler, test.question); status != http.StatusOK || answer != want {
			t.Errorf("%s: status %d, %s, want %s", test.question, status, answer, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for question, want := range map[string]string{
		"":   "EOF",
		"[]": "cannot unmarshal array",
		`{"rules": {"annotation": "["}, "vm": {}}`:                               "line 1, column",
		`{"rules": {"annotation": "[]"}, "vm": null}`:                            "object",
		`{"rules": {"annotation": "[]"}, "vm": {"a": 1, "a": 2}}`:                "given twice",
		`{"rules": {}, "vm": {}}`:                                                "template",
		`{"rules": {"annotation": "[]", "vm": null}}`:                            "object",
		`{"rules": {"annotation": "[]"}, "vm": {}, "options": {"oldObject": 1}}`: "oldObject",
		`{"rules": {"annotation": "` + strings.Repeat("a", 3<<20) + `"}}`:        "too large",
	} {
		status, answer := ask(handle(vmrules.Validate), question)
		var failure struct{ Message string }
		if err := json.Unmarshal([]byte(answer), &failure); err != nil || failure.Message == "" {
			t.Errorf("%.99s: %v in %s", question, err, answer)
		}
		if status != http.StatusBadRequest || !strings.Contains(answer, want) {
			t.Errorf("%.99s: status %d, %s, want %q", question, status, answer, want)
		}
	}
}
