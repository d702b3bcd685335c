package admission_test

import "testing"

func BenchmarkHandle(b *testing.B) {
	r := reviewer(b, cluster(b, linux))
	for name, object := range map[string]string{
		"NoRules":  vm("", "", cores1),
		"Own":      vm(withRules(coresRule, busRule), "", cores1),
		"Template": vm(fromLinux, "", cores1),
	} {
		b.Run(name, func(b *testing.B) {
			req := request("CREATE", object, "")
			for b.Loop() {
				if !r.Handle(b.Context(), req).Allowed {
					b.Fatal("refused")
				}
			}
		})
	}
}
