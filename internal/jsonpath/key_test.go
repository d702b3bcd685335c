package jsonpath_test

import "testing"

func TestKey(t *testing.T) {
	paths := []string{
		"$", ".a", "['a']", ".a.b", `.a\.b`, ".a['b']", "[0]", "[1]", "[-1]", "['0']", "[*]", ".*", "..a", "..*", "..[*]", "[0:1]",
		"[0,1]", "[1,0]", "['a','b']", "['a',0]", "[0:1,2]", "[:1]", "[0:1:1]",
		"[?(@.a)]", "[?(@.a==1)]", "[?(@.a==1.0)]", `[?(@.a=="1")]`, "[?(@.a!=1)]", "[?(@.a==true)]", `[?(@.a=="true")]`, "[?(@.a.b)]",
		"[?(1==@.a)]", "[?(@)]", "[?(@.a==@.b)]",
	}
	for _, a := range paths {
		for _, b := range paths {
			p, q := mustParse(t, a), mustParse(t, b)
			if same := p.Key() == q.Key(); same != p.Equal(q) {
				t.Errorf("%s and %s: the same key: %t, equal: %t", a, b, same, p.Equal(q))
			}
		}
	}
}
