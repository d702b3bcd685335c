package crd

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
)

func TestLocate(t *testing.T) {
	value := map[string]any{
		"a":     map[string]any{"b": []any{"x", map[string]any{"c.d": 1}}, "k[0]": 1},
		"a.b":   1,
		"we ir": map[string]any{"": 1},
		"m":     map[string]any{"p.q": map[string]any{}},
	}
	type schemas = map[string]apiextensions.JSONSchemaProps
	text := apiextensions.JSONSchemaProps{Type: "string"}
	schema := &apiextensions.JSONSchemaProps{Properties: schemas{
		"m": {AdditionalProperties: &apiextensions.JSONSchemaPropsOrBool{Schema: &apiextensions.JSONSchemaProps{Properties: schemas{"y.z": text}}}},
		"n": {Properties: schemas{"o": text}},
	}}
	for name, test := range map[string]struct {
		path      string
		missing   bool
		want      []any
		ambiguous bool
	}{
		"the root":                     {"", false, nil, false},
		"an item":                      {"a.b[0]", false, []any{"a", "b", 0}, false},
		"a name with a dot":            {"a.b[1].c.d", false, []any{"a", "b", 1, "c.d"}, false},
		"a name with brackets":         {"a[k[0]]", false, []any{"a", "k[0]"}, false},
		"a name with a blank":          {"we ir.", false, []any{"we ir", ""}, false},
		"two places":                   {"a.b", false, nil, true},
		"a key in brackets":            {"m[p.q].y.z", true, []any{"m", "p.q", "y.z"}, false},
		"a key behind a dot":           {"m.p.q.y.z", true, []any{"m", "p.q", "y.z"}, false},
		"a name that the schema has":   {"n.o", true, []any{"n", "o"}, false},
		"a name that nothing declares": {"a.zz", true, []any{"a", "zz"}, false},
		"an index behind the end":      {"a.b[7]", false, []any{"a", "b"}, false},
		"begins with a dot":            {".m", false, []any{"m"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ambiguous := locate(test.path, value, schema, test.missing)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" || ambiguous != test.ambiguous {
				t.Errorf("ambiguous %t, steps (-want +got):\n%s", ambiguous, diff)
			}
		})
	}
}
