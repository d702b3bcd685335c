package quantity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCanonical(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"0", "0"}, {"0Gi", "0"}, {"0e3", "0"}, {"1000", "1k"}, {"1500", "1500"}, {"1.5", "1500m"}, {"-1.5", "-1500m"},
		{"0.5Ki", "512"}, {"1023", "1023"}, {"1Ki", "1Ki"}, {"1000Ki", "1000Ki"}, {"1024Mi", "1Gi"}, {"1.5Gi", "1536Mi"},
		{"-2048Ki", "-2Mi"}, {"0.1Ki", "102400m"}, {"1.1Ki", "1126400m"}, {"1048577", "1048577"}, {"7Ei", "7Ei"},
		{"3e9", "3e9"}, {"3E9", "3e9"}, {"15e8", "1500e6"}, {"5e2", "500"}, {"1e-3", "1e-3"}, {"1E", "1E"}, {"12e-4", "1200e-6"},
		{"1n", "1n"}, {"0.0000000001", "1n"}, {"-0.0000000001", "-1n"}, {"1.0000000001u", "1001n"},
		{"1000000000000000000", "1E"}, {"9223372036854775807", "9223372036854775807"},
	} {
		n, err := Parse(test.in)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := n.Canonical(FormatOf(test.in))
		if diff := cmp.Diff(test.want, got); diff != "" || !ok {
			t.Errorf("%s (-want +got):\n%s", test.in, diff)
		}
	}
	for _, in := range []string{"8Ei", "9223372036854775808", "1e19", "9223372036854775806.5e1", "-10E"} {
		n, err := Parse(in)
		if got, ok := n.Canonical(FormatOf(in)); err != nil || ok {
			t.Errorf("%s has the canonical text %s, %v; want none", in, got, err)
		}
	}
}

func TestRoundUp(t *testing.T) {
	for _, test := range []struct {
		in   string
		want int64
	}{
		{"0", 0}, {"2", 2}, {"1n", 1}, {"1.5", 2}, {"-1.5", -2}, {"1.1Ki", 1127}, {"9223372036854775806.5", 9223372036854775807},
	} {
		n, err := Parse(test.in)
		got, ok := n.RoundUp()
		if diff := cmp.Diff(test.want, got); diff != "" || !ok || err != nil {
			t.Errorf("%s, %v (-want +got):\n%s", test.in, err, diff)
		}
	}
	n, _ := Parse("9223372036854775807.5")
	if got, ok := n.RoundUp(); ok {
		t.Errorf("%s was rounded to %d, want no int64", n, got)
	}
}
