package spelling

import "testing"

func TestNearest(t *testing.T) {
	tests := []struct {
		word  string
		names []string
		want  string
	}{
		{"min", []string{"min"}, "min"},
		{"MIN", []string{"max", "min"}, "min"},
		{"mni", []string{"min"}, "min"},             // swapped
		{"mi", []string{"min"}, "min"},              // left out
		{"minn", []string{"min"}, "min"},            // put in
		{"mix", []string{"min", "max"}, "min"},      // replaced; the first of two
		{"mxi", []string{"min"}, ""},                // two typos are too many for three letters
		{"massege", []string{"message"}, "message"}, // two for seven
		{"masseges", []string{"message"}, ""},
		{"messages", []string{"message", "messagesx"}, "message"},
		{"message", []string{"massege", "mesage"}, "mesage"}, // the nearer one
		{"", []string{"io", "min"}, ""},
		{"oi", []string{"io"}, ""}, // a short name has no typo but its case
		{"IO", []string{"io"}, "io"},
		{"válid", []string{"valid"}, "valid"},
		{"", nil, ""},
	}
	for _, test := range tests {
		if got := Nearest(test.word, test.names); got != test.want {
			t.Errorf("Nearest(%q, %q) = %q, want %q", test.word, test.names, got, test.want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"ab", "ba", 1}, {"ab", "ab", 0}, {"abc", "cab", 2},
		{"ca", "abc", 3}, // what is swapped is not changed again
		{"kitten", "sitting", 3}, {"integer", "interger", 1}, {"abcd", "badc", 2},
	}
	for _, test := range tests {
		if got := distance([]rune(test.a), []rune(test.b)); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
