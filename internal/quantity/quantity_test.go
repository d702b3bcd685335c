package quantity

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0", "0"}, {"-0", "0"}, {"+5", "5"}, {"007", "7"}, {"1.", "1"}, {".5", "0.5"}, {"2.50", "2.5"},
		{"1n", "0.000000001"}, {"1u", "0.000001"}, {"1m", "0.001"}, {"1k", "1000"}, {"1M", "1000000"},
		{"1G", "1000000000"}, {"1T", "1000000000000"}, {"1P", "1000000000000000"}, {"1E", "1000000000000000000"},
		{"1Ki", "1024"}, {"1Mi", "1048576"}, {"1Gi", "1073741824"}, {"1Ti", "1099511627776"},
		{"1Pi", "1125899906842624"}, {"1Ei", "1152921504606846976"}, {"16Ei", "18446744073709551616"},
		{"0.5Ki", "512"}, {"1.1Ki", "1126.4"}, {"-1Ki", "-1024"}, {".5Gi", "536870912"},
		{"1e3", "1000"}, {"1E3", "1000"}, {"1e+3", "1000"}, {"1e-3", "0.001"}, {"1.5e1", "15"},
		{"1e400", "1" + strings.Repeat("0", 400)},
		{"9223372036854775807", "9223372036854775807"}, {"9223372036854775808", "9223372036854775808"},
		{"-9223372036854775808", "-9223372036854775808"}, {"9223372036854775810", "9223372036854775810"},
		{"10000000000000000000000", "10000000000000000000000"}, {"0e1000", "0"},
	}
	for _, test := range tests {
		got, err := Parse(test.in)
		if err != nil || got.String() != test.want {
			t.Errorf("Parse(%q) = %s, %v; want %s", test.in, got, err, test.want)
		}
	}
	for _, in := range []string{
		"", " ", ".", "+", "-", "e3", "1e", "1e+", "1e1.5", "1K", "1kb", "1 Gi", " 1", "1 ", "1gi", "1Ki5", "1e3Ki",
		"1Kie3", "--1", "+-1", "1+", "1.2.3", "0x10", "1_000", "Inf", "NaN", "١", "1mi", "Ki", "1iK", "½", "e10000", "E99999", "..e9999",
		"1xe9999",
	} {
		if got, err := Parse(in); err != ErrNotNumber {
			t.Errorf("Parse(%q) = %s, %v; want %v", in, got, err, ErrNotNumber)
		}
	}
}

func TestParseJSON(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0", "0"}, {"-0", "0"}, {"-0.0e5", "0"}, {"2.0", "2"}, {"1e3", "1000"}, {"1E-2", "0.01"}, {"-1.25", "-1.25"},
		{"9007199254740993", "9007199254740993"}, {"0.1", "0.1"}, {"100e-2", "1"}, {"-12e-5", "-0.00012"},
		{"123456789012345678901234567890", "123456789012345678901234567890"},
	}
	for _, test := range tests {
		got, err := ParseJSON(test.in)
		if err != nil || got.String() != test.want {
			t.Errorf("ParseJSON(%q) = %s, %v; want %s", test.in, got, err, test.want)
		}
	}
	for _, in := range []string{"", "-", "+1", "01", "1.", ".5", "1Ki", "1e", "--1", "-+1", "1e5e5", "NaN", "0x1"} {
		if got, err := ParseJSON(in); err != ErrNotNumber {
			t.Errorf("ParseJSON(%q) = %s, %v; want %v", in, got, err, ErrNotNumber)
		}
	}
}

func TestBounds(t *testing.T) {
	fits := []string{"1e1000", "1e-1000", strings.Repeat("9", maxDigits), "0." + strings.Repeat("1", maxDigits-1),
		"1e" + strings.Repeat("0", maxText-3) + "1"}
	beyond := []string{"1e1001", "1e-1001", "1e999999999", "1e99999999999999999999", "0e1001", strings.Repeat("9", maxDigits+1)}
	for _, in := range fits {
		if _, err := ParseJSON(in); err != nil {
			t.Errorf("ParseJSON(%.20q): %v", in, err)
		}
	}
	for _, in := range beyond {
		if _, err := ParseJSON(in); err != ErrRange {
			t.Errorf("ParseJSON(%.20q): %v, want %v", in, err, ErrRange)
		}
		if _, err := Parse(in); err != ErrRange {
			t.Errorf("Parse(%.20q): %v, want %v", in, err, ErrRange)
		}
	}
}

func TestCompare(t *testing.T) {
	ascending := []string{
		"-1e1000", "-16Ei", "-9223372036854775808", "-2.5", "-2", "-0.1", "0", "1e-1000", "1n", "0.1", "0.11", "1",
		"1.0000000000000000001", "1001m", "1999m", "2", "9007199254740992", "9007199254740993",
		"9223372036854775807", "9223372036854775808", "16E", "16Ei", "1e400", "10e999", "1.1e1000",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			m, n := mustParse(t, a), mustParse(t, b)
			want := 0
			if i != j {
				want = map[bool]int{true: -1, false: 1}[i < j]
			}
			if got := m.Compare(n); got != want {
				t.Errorf("%s compared with %s: %d, want %d", a, b, got, want)
			}
		}
	}
}

func mustParse(t *testing.T, s string) Number {
	t.Helper()
	n, err := Parse(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return n
}

// TestJSON: a number that is written as JSON is read as the same number, also at the bounds.
func TestJSON(t *testing.T) {
	zeros := strings.Repeat("0", maxDigits-2)
	for _, in := range []string{
		"0", "-1.50", "1e3", "1e1000", "-1e-1000", "9" + zeros + "9e1000", "0." + zeros + "1e-1000", "-1." + zeros + "1e-1000",
		"1" + zeros + "1",
	} {
		n, err := ParseJSON(in)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseJSON(n.JSON())
		if err != nil || again.Compare(n) != 0 {
			t.Errorf("%.20s is written as %.20s: %v", in, n.JSON(), err)
		}
	}
	if got := mustParse(t, "2.50").JSON(); got != "2.5" {
		t.Errorf("2.50 is written as %s", got)
	}
}

func TestFromFloat(t *testing.T) {
	tests := []struct {
		in   float64
		bits int
		want string
	}{
		{0.1, 64, "0.1"}, {float64(float32(0.1)), 32, "0.1"}, {3, 64, "3"}, {3, 32, "3"}, {-2.5, 64, "-2.5"},
		{1e21, 64, "1000000000000000000000"}, {1 << 63, 64, "9223372036854776000"},
		{1 << 53, 64, "9007199254740992"}, {math.SmallestNonzeroFloat64, 64, "0." + strings.Repeat("0", 323) + "5"},
	}
	for _, test := range tests {
		got, err := FromFloat(test.in, test.bits)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(test.want, got.String()); diff != "" {
			t.Errorf("FromFloat(%g) (-want +got):\n%s", test.in, diff)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := FromFloat(f, 64); err != ErrNotNumber {
			t.Errorf("FromFloat(%g): %v", f, err)
		}
	}
}

// TestSizes: a number that fits an int64 needs no further memory. For other numbers, all digits
// count, including zeros that are not written.
func TestSizes(t *testing.T) {
	tests := []struct {
		in              string
		digits, compare int // with 1
	}{
		{"0", 0, 0}, {"1", 0, 0}, {"9223372036854775807", 0, 0}, {"2.5", 1, 210}, {"1e1000", 1000, 10_200}, {"1e-1000", 1000, 10_200},
		{"9223372036854775808", 21, 410}, {strings.Repeat("9", maxDigits), 1107, 11_270},
	}
	for _, test := range tests {
		n := mustParse(t, test.in)
		if n.Digits() != test.digits || n.CompareWork(FromInt(1)) != test.compare || FromInt(1).CompareWork(n) != test.compare {
			t.Errorf("%.20s: %d digits, %d to compare; want %d and %d", test.in, n.Digits(), n.CompareWork(FromInt(1)), test.digits,
				test.compare)
		}
	}
}

// FuzzNumber compares Number with big.Rat: both have the same value and the same order. The
// text of a Number is read as the same number.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1e3", "0.1", "-0", "16Ei", "2.50", "9007199254740993", "1e-5", "007", ".5", "1E", "1m"} {
		f.Add(s, "1")
		f.Add(s, "1024")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		m, err := Parse(a)
		if n, jsonErr := ParseJSON(a); jsonErr == nil && (err != nil || n.Compare(m) != 0) {
			t.Fatalf("%q is the JSON number %s and the quantity %s, %v", a, n, m, err)
		}
		if err != nil {
			return
		}
		x, ok := new(big.Rat).SetString(m.String())
		if !ok {
			t.Fatalf("%q is written as %q", a, m)
		}
		if string(m.AppendTo([]byte("n"))) != "n"+m.String() {
			t.Fatalf("%q is appended as %q", a, m.AppendTo(nil))
		}
		if len(m.String()) < maxDigits {
			again, err := Parse(m.String())
			if err != nil || again.Compare(m) != 0 || again.IsInteger() != m.IsInteger() {
				t.Fatalf("%q is written as %q, which is %s, %v", a, m, again, err)
			}
		}
		if m.IsInteger() != x.IsInt() {
			t.Fatalf("%q is an integer: %v", a, m.IsInteger())
		}
		if plain, ok := new(big.Rat).SetString(a); ok && !strings.ContainsAny(a, "/_xXoObBpP") && x.Cmp(plain) != 0 {
			t.Fatalf("%q is %s", a, x)
		}
		n, err := Parse(b)
		if err != nil {
			return
		}
		y, _ := new(big.Rat).SetString(n.String())
		if m.Compare(n) != x.Cmp(y) {
			t.Fatalf("%q compared with %q: %d", a, b, m.Compare(n))
		}
	})
}
