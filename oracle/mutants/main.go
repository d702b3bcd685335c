// Mutants plants mistakes in packages of the root module, one at a time, and reports those that no
// test notices. ../mutants.md lists survivors that nothing can notice.
//
//	go run ./mutants [-n 100] [-seed 1] FOLDER...
//
// The folders are those of packages, from the root of the repository. It takes n mutants of each
// folder by chance, and runs the tests of the package, then those of the root package, then those
// of the whole module, until one fails. It changes no file: the compiler gets an overlay.
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
	limit := flag.Duration("timeout", 5*time.Minute, "how long the tests of a mutant may take; after that it counts as noticed")
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
	command := func(args ...string) (string, bool) {
		c := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec go "$@"`, memory>>10), "go"}, args...)...)
		c.Dir = root
		c.Env = append(os.Environ(), "GOWORK=off")
		out, err := c.CombinedOutput()
		return string(out), err == nil
	}
	if out, ok := command("build", "-overlay", overlay, "./"+folder); !ok {
		if strings.Contains(out, "no such file") || strings.Contains(out, "go.mod") {
			return 0, fmt.Errorf("go build: %s", out)
		}
		return refused, nil
	}
	for _, packages := range []string{"./" + folder, ".", "./..."} {
		out, ok := command("test", "-vet=off", "-failfast", "-overlay", overlay, "-timeout", limit.String(), packages)
		switch {
		case strings.Contains(out, "panic: test timed out"):
			return hung, nil
		case !ok:
			return noticed, nil
		}
	}
	return survived, nil
}
