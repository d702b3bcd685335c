package form_test

import (
	"strings"
	"testing"

	"github.com/vmrules/vmrules/form"
)

func TestFormat(t *testing.T) {
	for _, test := range []struct{ name, allowed, others string }{
		{"quantity", "1 0.5 500m 2Gi -1 1e3 .5 5. +1", "a 1gi Gi 1,5 0x1 true"},
		{"quantity-from-1Gi-to-8Gi", "1Gi 1073741824 1024Mi 8Gi 8589934592 8e9 2.5Gi", "1073741823 1Mi 8589934593 9Gi 8G1 -2Gi a"},
		{"integral-quantity", "1 2.0 1e3 2Gi 1.5Ki -1", "0.5 500m 1.0001 a"},
		{"integral-quantity-from-1", "1 2 1k", "0 -1 999m 1.5"},
		{"quantity-to-2.5", "2.5 2500m -7", "2501m 3"},
		{"quantity-from--1.5-to--1e-3", "-1 -1.5 -1m", "0 -1501m"},
		{"quantity-from-5-to-1", "", "1 3 5"},
	} {
		f, err := form.ParseFormat(test.name)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if f.String() != test.name {
			t.Errorf("%s is written %s", test.name, f)
		}
		for _, s := range strings.Fields(test.allowed) {
			if !f.Allows(s) {
				t.Errorf("%s does not allow %s", test.name, s)
			}
		}
		for _, s := range append(strings.Fields(test.others), "", " 1", "1 ", "1\n", strings.Repeat("1", 1001), "1e1001", "${A}") {
			if f.Allows(s) {
				t.Errorf("%s allows %.20q", test.name, s)
			}
		}
	}
}

func TestParseFormatErrors(t *testing.T) {
	for _, name := range []string{
		"", "email", "quantity-", "quantity-from-", "quantity-to-", "quantity-from-1-to-", "quantity-from-a", "quantity-to-1-from-0", "quantityfrom-1",
		"Quantity", "integral-quantity-to-1-to-2", "quantity-from-" + strings.Repeat("1", 1001),
	} {
		f, err := form.ParseFormat(name)
		if err == nil || !strings.Contains(err.Error(), "is not the name of a format: one is") {
			t.Errorf("%.40s: %v", name, err)
		}
		if f.Allows("1") {
			t.Errorf("%.40s allows 1", name)
		}
	}
}
