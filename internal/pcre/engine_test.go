package pcre

import "testing"

func TestEngine(t *testing.T) {
	tests := []struct {
		pattern string
		linear  bool
	}{
		{`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, true},
		{`(a$|b\Z)`, true},
		{`(?:a$)?`, true},
		{`a++`, false},
		{`a$\n`, false},
		{`(a$)+`, false},
		{`(?m)^a`, true},
		{`(?m)^(a|b)?c$`, true},
		{`(?m)^`, false},
		{`(?m)^a?`, false},
		{`\ba\B`, true},
		{`(?i)[[:alpha:]]k`, true},
		{`(a)(?<n>b)`, true},
		{`(a)\1`, false},
		{`a(?=b)`, false},
		{`(?<!a)b`, false},
		{`(?>a)`, false},
		{`\R`, false},
		{`^.{1,1000}$`, true},
		{`^.{1,1001}$`, false},
		{`(?:a{30}){30}`, true},
		{`(?:a{40}){40}`, false},
		{`a{1000}a{1000}a{1000}a{1000}a{999}b`, true},
		{`a{1000}a{1000}a{1000}a{1000}a{999}bc`, false},
		{`^(?:[a-z]{1,900}[0-9]{1,900}){1,1}[a-z]{0,900}[0-9]{0,900}[a-z]{0,900}[0-9]{0,900}$`, false},
	}
	for _, test := range tests {
		r := mustCompile(t, test.pattern)
		if linear := r.IsLinear(); linear != test.linear || linear == (r.backtracking != nil) {
			t.Errorf("%s: linear is %v, want %v", test.pattern, linear, test.linear)
		}
	}
}
