package rulediff_test

import (
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/rulediff"
)

// TestMeanSame: only how a bound or a value is written makes no difference.
func TestMeanSame(t *testing.T) {
	for _, test := range []struct {
		before, after string
		want          bool
	}{
		{``, ``, true},
		{`"min": 1024`, `"min": "1Ki"`, true}, {`"max": 1`, `"max": 1.0`, true},
		{`"min": 1`, `"min": 2`, false}, {`"min": 1`, ``, false}, {``, `"max": 1`, false},
		{`"min": "jsonpath::.a"`, `"min": "jsonpath::['a']"`, true}, {`"min": "jsonpath::.a"`, `"min": 1`, false},
		{`"values": ["a", 1.0]`, `"values": ["a", "1"]`, true}, {`"values": [true]`, `"values": ["true"]`, true},
		{`"values": ["jsonpath::.a", 1]`, `"values": ["jsonpath::.a", "1"]`, true},
		{`"values": ["a", "b"]`, `"values": ["b", "a"]`, false}, {`"values": ["a"]`, `"values": ["a", "a"]`, false},
		{`"values": []`, `"values": []`, true}, {`"values": []`, ``, false}, {``, `"values": ["a"]`, false},
		{`"values": "jsonpath::.a"`, `"values": "jsonpath::.a"`, true}, {`"values": "jsonpath::.a"`, `"values": "jsonpath::.b"`, false},
		{`"values": "jsonpath::.a"`, `"values": ["jsonpath::.a"]`, false}, {`"values": "jsonpath::.a"`, ``, false},
		{`"minLength": 1`, `"minLength": 1.0`, true}, {`"regex": "1"`, `"regex": "1.0"`, false},
	} {
		for _, pair := range [][2]string{{test.before, test.after}, {test.after, test.before}} {
			if got := rulediff.MeanSame(withArguments(t, pair[0]), withArguments(t, pair[1])); got != test.want {
				t.Errorf("%s and %s: %v", pair[0], pair[1], got)
			}
		}
	}
}

func withArguments(t *testing.T, arguments string) vmrules.Rules {
	t.Helper()
	if arguments != "" {
		arguments = ", " + arguments
	}
	rules, err := vmrules.ParseRules(`[{"name": "a", "rule": "string", "path": "jsonpath::.spec.a", "message": "m"` + arguments + `}]`)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}
