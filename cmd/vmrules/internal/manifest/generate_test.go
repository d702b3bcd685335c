package manifest

import (
	"regexp"
	"strings"
	"testing"
)

func TestGenerated(t *testing.T) {
	tests := []struct{ from, want string }{
		{"small-[a-z0-9]{16}", `^small-[a-z0-9]{16}$`},
		{"[a-z0-9]{4}-[A-F]{2}", `^[a-z0-9]{4}-[A-F]{2}$`},
		{`[\w]{200}`, `^[A-Za-z0-9_]{200}$`},
		{`[\d]{5}[\a]{5}`, `^[0-9]{5}[A-Za-z0-9]{5}$`},
		{`[\A]{20}`, `^[^A-Za-z0-9]{20}$`},
		{"[x]{1}[a-]{50}", `^x[a-]{50}$`},
		{"without a part", "^without a part$"},
		{"[a-z]", `^\[a-z\]$`}, // a part needs a length
		{"", "^$"},
	}
	for _, test := range tests {
		p := Parameter{Name: "NAME", generate: "expression", from: test.from}
		got, err := p.generated()
		if err != nil || !regexp.MustCompile(test.want).MatchString(got) {
			t.Errorf("%s: got %q, %v", test.from, got, err)
		}
		if again, _ := p.generated(); again != got {
			t.Errorf("%s: got %q, then %q", test.from, got, again)
		}
	}
}

func TestGeneratedErrors(t *testing.T) {
	tests := []struct {
		p    Parameter
		want string
	}{
		{Parameter{generate: "expression", from: "[z-a]{3}"}, "ends before it begins"},
		{Parameter{generate: "expression", from: "[a]{0}"}, "1 to 255"},
		{Parameter{generate: "expression", from: "[a]{256}"}, "1 to 255"},
		{Parameter{generate: "expression", from: "[a]{99999999999999999999}"}, "1 to 255"},
		{Parameter{generate: "expression", from: `[\x]{3}`}, "backslash"},
		{Parameter{generate: "expression", from: strings.Repeat("[a]{255}", 40)}, "generates more than 10000 characters"},
		{Parameter{generate: "expression", from: strings.Repeat("a", 10_001)}, "its expression has more than 10000 characters"},
		{Parameter{generate: "expression", from: "[" + strings.Repeat("a", 256) + "]{1}"}, "more than 255 characters"},
		{Parameter{generate: "uuid"}, "write expression"},
	}
	for _, test := range tests {
		if got, err := test.p.generated(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, %v, want %q", test.p.from, got, err, test.want)
		}
	}
}
