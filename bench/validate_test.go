package bench

import (
	"fmt"
	"slices"
	"testing"
)

// BenchmarkValidate judges each VM by each set with all peers that can express the set.
// First it checks that they give the same verdict.
func BenchmarkValidate(b *testing.B) {
	for _, set := range allSets {
		var names []string
		var judges []judge
		for _, peer := range peers {
			if judge, err := peer.prepare(set); err == nil {
				names, judges = append(names, peer.name), append(judges, judge)
			}
		}
		for _, vm := range set.vms() {
			want := verdict(judges[0], &vm)
			for i, judge := range judges {
				b.Run(fmt.Sprintf("set=%s/vm=%s/peer=%s", set.name, vm.name, names[i]), func(b *testing.B) {
					if got := verdict(judge, &vm); !slices.Equal(want, got) {
						b.Fatalf("violates %q, and by vmrules %q", got, want)
					}
					b.ReportAllocs()
					for b.Loop() {
						judge.judge(&vm)
					}
				})
			}
		}
	}
}
