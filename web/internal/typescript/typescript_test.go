package typescript

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/vmrules/vmrules"
)

var to = flag.String("to", "", "write the types to this file, as the build does")

func TestTypes(t *testing.T) {
	text, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if *to == "" {
		return
	}
	if err := os.WriteFile(*to, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is read in an editor of TypeScript is about JavaScript.
func TestComments(t *testing.T) {
	text, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`\bnil\b|json\.|Number\b|\[\]|\[[A-Z]|\bGo\b|\bbool\b|float64|UnmarshalJSON|map\[|\b(Coverage|Doubt|Outcome|Reason|Origin)[A-Z]`).FindAllString(goOf(text), -1); found != nil {
		t.Errorf("the comments have words of Go: %q; comment.go replaces them", found)
	}
}

// goOf returns the comments alone.
func goOf(text string) string {
	_, text, _ = strings.Cut(text, "*/") // the first says where the file comes from
	return strings.Join(regexp.MustCompile(`(?s)/\*\*.*?\*/`).FindAllString(text, -1), "\n")
}

// The types that write their JSON themselves write the members that are in the table.
func TestWritten(t *testing.T) {
	const annotation = `[
		{"name": "all", "rule": "integer", "path": "jsonpath::.a", "valid": "jsonpath::.b", "message": "m", "justWarning": true,
			"min": 1, "max": "jsonpath::.c", "minLength": 1, "maxLength": 9, "values": ["1", 2, true], "regex": "."},
		{"name": "from", "rule": "enum", "path": "jsonpath::.a", "message": "m", "values": "jsonpath::.d"}
	]`
	rules, err := vmrules.ParseRules(annotation)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules.All() {
		checkMembers(t, rule, rule.Name == "all")
	}
	checkMembers(t, *vmrules.Validate(rules, nil), false)
}

// checkMembers checks that the JSON of a value has members of its type in the table only, and,
// if asked, all of them.
func checkMembers(t *testing.T, value any, all bool) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	table := written[reflect.TypeOf(value)]
	known := map[string]bool{}
	for i := range table.NumField() {
		name, _, _ := bytes.Cut([]byte(table.Field(i).Tag.Get("json")), []byte(","))
		known[string(name)] = true
		if _, ok := members[string(name)]; all && !ok && string(name) != "-" {
			t.Errorf("%T: there is no member %q in %s", value, name, text)
		}
	}
	for name := range members {
		if !known[name] {
			t.Errorf("%T: the table lacks the member %q of %s", value, name, text)
		}
	}
}
