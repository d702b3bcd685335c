// Package hostile times attacks on vmrules: annotations and objects that are made to cost much
// time or memory. They run in other processes. Each call has to keep the library's promise: at
// most 2 s and 256 MB.
//
//	go test ./hostile -v -timeout 0 -attacks reading
//
// It needs Linux, since it reads a process's memory from /proc.
package hostile

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// An attack is a function that makes calls, or a command line with its files.
type attack struct {
	name  string
	calls func(*probe)

	args  []string // of vmrules, which runs in a folder with the files
	files func() map[string]string

	ordinary bool // large but honest input, which has to be decided
}

// A topic has the attacks whose names begin with its own.
type topic struct {
	name    string
	attacks func() []attack
}

var topics = []topic{
	{"ordinary", ordinary}, {"reading", reading}, {"judging", judging}, {"reports", reports},
	{"forms", forms}, {"instancetypes", instancetypes}, {"kinds", kinds}, {"policies", policies}, {"command", command},
}

// matching returns the attacks whose names match.
func matching(pattern *regexp.Regexp) (chosen []attack) {
	for _, topic := range topics {
		for _, a := range topic.attacks() {
			if pattern.MatchString(a.name) {
				chosen = append(chosen, a)
			}
		}
	}
	return chosen
}

// named returns the attack or the trial with that name.
func named(name string) attack {
	for _, topic := range append(topics, topic{"trial", trials}) {
		if !strings.HasPrefix(name, topic.name+"/") {
			continue
		}
		for _, a := range topic.attacks() {
			if a.name == name {
				return a
			}
		}
	}
	panic("there is no attack " + name)
}

var (
	chosen    = flag.String("attacks", "", "make the attacks whose name matches `regexp`; without it, none")
	asJSON    = flag.Bool("calls", false, "write a line of JSON for each attack, with all its calls")
	killAfter = flag.Duration("kill-after", 20*time.Second, "how long an attack may work, on all cores together, before it is killed")
	killAbove = flag.Int("kill-above", 4096, "how many `MB` an attack may use before it is killed")
	slack     = flag.Float64("slack", 1, "how many `times` the promised time a call may take, for a slow machine")
)

// TestMain makes the calls of attacks if a runner has started this process for them.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		serve(named)
		return
	}
	os.Exit(m.Run())
}

// TestPromise checks that every attack that is chosen keeps the promise.
func TestPromise(t *testing.T) {
	if *chosen == "" {
		t.Skip("attacks take minutes: choose them with -attacks")
	}
	pattern, err := regexp.Compile(*chosen)
	if err != nil {
		t.Fatal(err)
	}
	attacks := matching(pattern)
	if len(attacks) == 0 {
		t.Fatalf("no attack has a name that matches %s", *chosen)
	}
	r := runner{timeout: *killAfter, memory: *killAbove, slack: *slack}
	r.prepare(t, slices.ContainsFunc(attacks, func(a attack) bool { return a.args != nil }))
	defer r.stop()
	start, broken := time.Now(), 0
	if !*asJSON {
		fmt.Println(heading)
	}
	for _, a := range attacks {
		result := r.run(a)
		if !result.Kept {
			broken++
			t.Errorf("%s breaks the promise", a.name)
		}
		if *asJSON {
			json.NewEncoder(os.Stdout).Encode(result)
			continue
		}
		fmt.Println(result)
	}
	if !*asJSON {
		fmt.Printf("\n%d of %d break the promise of %v, times %g, and %d MB; %.0f s in all\n",
			broken, len(attacks), promisedTime, r.slack, promisedMB, time.Since(start).Seconds())
	}
}

// prepare finds this program's own file, and builds the command if it is needed.
func (r *runner) prepare(t *testing.T, needsCommand bool) {
	var err error
	if r.self, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	if !needsCommand {
		return
	}
	r.folder = t.TempDir()
	r.command = filepath.Join(r.folder, "vmrules")
	build := exec.Command("go", "build", "-o", r.command, ".")
	build.Dir = "../../cmd/vmrules"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
}
