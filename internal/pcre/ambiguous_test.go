package pcre

import "testing"

func TestIsAmbiguous(t *testing.T) {
	for pattern, want := range map[string]bool{
		`(a+)+`: true, `(a*)*`: true, `(?:a|aa)+`: true, `(a{1,2}){10,}`: true, `(?:a+){2,10}`: true,
		`(?:\w+\s*)+`: true, `(?:\s*\w+)*x`: true, `(?:a?b*)+`: true, `(?:(?=a)a+)+`: true, `((a+)b?)+`: true,
		`(?=(a+)+$)`: true, `(?>(a+)+b)`: true, `(?:x+|y+)*`: true, `(?:(?:a)+)+`: true,

		`a+`: false, `(a)+`: false, `(a?)+`: false, `(?:a|b)+`: false, `(a+b)+`: false, `(?:a+){2}`: false,
		`(?:a++)+`: false, `(?:(?>a+))+`: false, `(?:[a-z]+\.)+`: false, `(?:ab|abc)+`: false, `a*a*`: false,
		`(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+`: false, `(?:\d{1,3}\.){3}`: false, `(a+)?`: false, `(?:^a+)+`: false,
		`(?:(a)\1)+`: false, ``: false,
	} {
		if got := isAmbiguous(mustParse(t, pattern).root); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}
