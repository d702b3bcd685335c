// Mutants plants mistakes in packages of the root module, one at a time, and reports those that no
// test notices. ../mutants.md lists survivors that nothing can notice.
//
//	go run ./mutants [-n 100] [-seed 1] FOLDER...
//
// The folders are those of packages, from the root of the repository. It takes n mutants of each
// folder by chance, and runs the tests of the package, then those of the root package (the
// conformance vectors first), then those of the whole module, until one fails. It changes no file:
// the compiler gets an overlay.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 100, "how many `mutants` of each folder")
	seed := flag.Int64("seed", 1, "the `seed` of chance")
	root := flag.String("root", "..", "the `folder` of the repository")
	limit := flag.Duration("timeout", 3*time.Minute, "how long the tests of a package may take, and a quarter of it for those that run first; after that a mutant counts as noticed")
	flag.Parse()
	if err := run(*root, flag.Args(), *n, *seed, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

func run(root string, folders []string, n int, seed int64, limit time.Duration) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if len(folders) == 0 {
		return fmt.Errorf("which packages? Give their folders")
	}
	var all tally
	for _, folder := range folders {
		mutants, err := mutantsOf(filepath.Join(root, folder))
		if err != nil {
			return err
		}
		for _, step := range stepsFor(folder, limit) {
			if out, ok := step.test(root); !ok {
				return fmt.Errorf("without a mutant, the tests fail:\n%s", out)
			}
		}
		rand.New(rand.NewSource(seed)).Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
		var here tally
		for _, m := range mutants[:min(n, len(mutants))] {
			outcome, err := m.try(root, folder, limit)
			if err != nil {
				return err
			}
			here[outcome]++
			all[outcome]++
			if outcome == survived || outcome == hung {
				fmt.Printf("%s: %s\n", outcome, strings.TrimPrefix(m.String(), root+"/"))
			}
		}
		fmt.Printf("%s: %s of %d\n", folder, here, len(mutants))
	}
	fmt.Printf("together: %s\n", all)
	if all[noticed]+all[hung]+all[survived] == 0 {
		return fmt.Errorf("no mutant was judged")
	}
	return nil
}

// An outcome is what became of a mutant.
type outcome int

const (
	noticed  outcome = iota
	hung             // the tests ran out of time: noticed, but maybe by a slow machine
	survived         // no test failed
	refused          // it does not compile, and does not count
)

func (o outcome) String() string { return [...]string{"noticed", "hung", "survived", "refused"}[o] }

// memory is what the tests of a mutant may have, in bytes: some never stop growing.
const memory = 8 << 30

type tally [refused + 1]int

func (t tally) String() string {
	found, judged := t[noticed]+t[hung], t[noticed]+t[hung]+t[survived]
	return fmt.Sprintf("%d of %d noticed (%.1f %%), %d of them out of time; %d do not compile",
		found, judged, 100*float64(found)/float64(max(judged, 1)), t[hung], t[refused])
}

// try runs the tests that may notice the mutant, the nearest first.
func (m mutant) try(root, folder string, limit time.Duration) (outcome, error) {
	work, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	changed, overlay := filepath.Join(work, "mutant.go"), filepath.Join(work, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{m.at.Filename: changed}})
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return 0, err
	}
	if err := os.WriteFile(changed, m.changed(), 0o600); err != nil {
		return 0, err
	}
	for _, step := range stepsFor(folder, limit) {
		switch out, ok := step.test(root, "-overlay="+overlay); {
		case strings.Contains(out, "[build failed]"):
			return refused, nil
		case strings.Contains(out, "panic: test timed out"):
			return hung, nil
		case !ok:
			return noticed, nil
		}
	}
	return survived, nil
}

// A step is the arguments of go test.
type step []string

// stepsFor returns the steps that may notice a mutant, the nearest and quickest first. Go's cache
// has the results of tests that the mutant does not reach.
func stepsFor(folder string, limit time.Duration) []step {
	short, long := "-timeout="+(limit/4).String(), "-timeout="+limit.String()
	steps := []step{{short, "-run=^TestConformance$", "."}, {long, "."}, {long, "./..."}}
	if folder != "." {
		steps = append([]step{{short, "./" + folder}}, steps...)
	}
	return steps
}

// test runs the tests of a step. It returns what they print, and whether they pass.
func (s step) test(root string, flags ...string) (string, bool) {
	args := append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec go test -vet=off -failfast "$@"`, memory>>10), "go"}, flags...)
	c := exec.Command("sh", append(args, s...)...)
	c.Dir = root
	c.Env = append(os.Environ(), "GOWORK=off")
	out, err := c.CombinedOutput()
	return string(out), err == nil
}
