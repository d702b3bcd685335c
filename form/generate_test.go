package form_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/form"
)

// generated returns a value for a parameter.
func generated(p form.Parameter) (string, error) {
	p.Name = "NAME"
	filler, err := form.NewFiller([]form.Parameter{p}, nil)
	if err != nil {
		return "", err
	}
	text, _ := filler.Value("NAME")
	return text, nil
}

func TestGenerated(t *testing.T) {
	tests := []struct{ from, want string }{
		{"small-[a-z0-9]{16}", `^small-[a-z0-9]{16}$`},
		{"[a-z0-9]{4}-[A-F]{2}", `^[a-z0-9]{4}-[A-F]{2}$`},
		{`[\w]{200}`, `^[A-Za-z0-9_]{200}$`},
		{`[\d]{5}[\a]{5}`, `^[0-9]{5}[A-Za-z0-9]{5}$`},
		{`[\A]{20}`, `^[^A-Za-z0-9]{20}$`},
		{"[x]{1}[a-]{50}", `^x[a-]{50}$`},
		{"[" + strings.Repeat("x", 255) + "]{1}", "^x$"},
		{"without a part", "^without a part$"},
		{"[a-z]", `^\[a-z\]$`}, // a part needs a length
		{"", "^$"},
	}
	for _, test := range tests {
		p := form.Parameter{Generate: "expression", From: test.from}
		got, err := generated(p)
		if err != nil || !regexp.MustCompile(test.want).MatchString(got) {
			t.Errorf("%s: got %q, %v", test.from, got, err)
		}
		if again, _ := generated(p); again != got {
			t.Errorf("%s: got %q, then %q", test.from, got, again)
		}
	}
}

func TestGeneratedErrors(t *testing.T) {
	tests := []struct {
		p    form.Parameter
		want string
	}{
		{form.Parameter{Generate: "expression", From: "[z-a]{3}"}, "ends before it begins"},
		{form.Parameter{Generate: "expression", From: "[a]{0}"}, "1 to 255"},
		{form.Parameter{Generate: "expression", From: "[a]{256}"}, "1 to 255"},
		{form.Parameter{Generate: "expression", From: "[a]{99999999999999999999}"}, "1 to 255"},
		{form.Parameter{Generate: "expression", From: `[\x]{3}`}, "backslash"},
		{form.Parameter{Generate: "expression", From: strings.Repeat("[a]{255}", 40)}, "generates more than 10000 characters"},
		{form.Parameter{Generate: "expression", From: strings.Repeat("a", 10_001)}, "its expression has more than 10000 characters"},
		{form.Parameter{Generate: "expression", From: "[" + strings.Repeat("a", 256) + "]{1}"}, "more than 255 characters"},
		{form.Parameter{Generate: "uuid"}, "write expression"},
	}
	for _, test := range tests {
		if got, err := generated(test.p); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, %v, want %q", test.p.From, got, err, test.want)
		}
	}
}
