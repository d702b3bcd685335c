package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// A peer is another way to judge VMs by rules.
type peer struct {
	name string
	// prepare does the work that is done once for a set. The error says what the peer
	// cannot express.
	prepare func(ruleSet) (judge, error)
}

var peers = []peer{
	{"vmrules", prepareVMRules},
	{"vmrules-verdict", prepareVerdict},
	{"hand-written", prepareHandWritten},
	{"cel-go", prepareCEL},
}

// A judge is a peer that is ready to judge by a set of rules.
type judge interface {
	// judge judges a VM. Only this is timed.
	judge(vm *vm)
	// violated returns the names of the rules that the last VM violates, including
	// warnings, except what an update does not change. A name may occur several times.
	violated() []string
}

// verdict returns the names of the rules that the VM violates, sorted, each once.
func verdict(j judge, vm *vm) []string {
	j.judge(vm)
	names := j.violated()
	slices.Sort(names)
	return slices.Compact(names)
}

// TestPeersAgree skips sets that a peer cannot express, and says why.
func TestPeersAgree(t *testing.T) {
	for _, set := range allSets {
		reference, err := prepareVMRules(set)
		if err != nil {
			t.Fatal(err)
		}
		for _, peer := range peers {
			t.Run(set.name+"/"+peer.name, func(t *testing.T) {
				judge, err := peer.prepare(set)
				if err != nil {
					t.Skipf("cannot be expressed: %v", err)
				}
				for _, vm := range set.vms() {
					want, got := verdict(reference, &vm), verdict(judge, &vm)
					if !slices.Equal(want, got) {
						t.Errorf("%s violates %q, and by vmrules %q", vm.name, got, want)
					}
					if vm.fails != (len(want) > 0) {
						t.Errorf("%s violates %q", vm.name, want)
					}
				}
			})
		}
	}
}

// TestReadme compares the README's list of what cannot be expressed with the errors of
// the peers.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, wanted []string
	for line := range strings.Lines(string(readme)) {
		if cells := strings.Split(line, " | "); len(cells) == 3 && strings.HasPrefix(line, "| `") {
			listed = append(listed, strings.TrimSpace(line))
		}
	}
	for _, peer := range peers {
		for _, set := range allSets {
			if _, err := peer.prepare(set); err != nil {
				wanted = append(wanted, fmt.Sprintf("| `%s` | `%s` | %v |", peer.name, set.name, err))
			}
		}
	}
	if !slices.Equal(listed, wanted) {
		t.Errorf("the README lists\n%s\nand the peers say\n%s", strings.Join(listed, "\n"), strings.Join(wanted, "\n"))
	}
}
