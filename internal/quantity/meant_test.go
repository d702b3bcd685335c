package quantity

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMeant: what is returned can be read.
func TestMeant(t *testing.T) {
	tests := []struct{ text, want string }{
		{"2GB", "2Gi or 2G"}, {"2 gb", "2Gi or 2G"}, {"2kB", "2Ki or 2k"}, {"2K", "2Ki or 2k"}, {"2GiB", "2Gi"}, {"2GI", "2Gi"},
		{" 1.5\u00a0Gi", "1.5Gi"}, {"+2gib", "+2Gi"}, {"1 024", "1024"}, {"4,294,967,296", "4294967296"}, {"1_024", "1024"}, {"1.048.576", "1048576"}, {"1.048", "1.048"}, {"1,04", ""}, {"0x80000000", "2147483648"}, {"0XfF", "255"}, {".5", ".5"},
		{"0x", ""}, {"0x1ffffffffffffffff", ""}, {"0b1", ""}, {"1e3GB", ""}, {"12B", ""}, {"2IB", ""}, {"GB", ""}, {"", ""}, {"2Gi/s", ""},
		{"1,5", ""}, {"٣Gi", ""}, {"ıGi", ""}, {strings.Repeat("1", 31), ""},
	}
	for _, test := range tests {
		meant := Meant(test.text)
		if diff := cmp.Diff(test.want, strings.Join(meant, " or ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
		for _, q := range meant {
			if _, err := Parse(q); err != nil {
				t.Errorf("%q: %q %v", test.text, q, err)
			}
		}
	}
}
