// Hostile times attacks on vmrules: annotations and objects that are made to cost much
// time or memory. They run in other processes. Each call has to keep the library's promise: at
// most 2 s and 256 MB.
//
//	go run ./hostile -run reading
//
// It needs Linux, since it reads a process's memory from /proc.
package main

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
	{"forms", forms}, {"instancetypes", instancetypes}, {"kinds", kinds}, {"command", command},
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

// named returns the attack with that name.
func named(name string) attack {
	for _, topic := range topics {
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

func main() {
	if os.Getenv(childVariable) != "" {
		serve(named)
		return
	}
	pattern := flag.String("run", "", "run the attacks whose name matches `regexp`")
	list := flag.Bool("list", false, "list the names of the attacks; run none of them")
	asJSON := flag.Bool("json", false, "write a line of JSON for each attack, with all its calls")
	var r runner
	flag.DurationVar(&r.timeout, "timeout", 20*time.Second, "how long an attack may work, on all cores together, before it is killed")
	flag.IntVar(&r.memory, "memory", 4096, "how many `MB` an attack may use before it is killed")
	flag.Float64Var(&r.slack, "slack", 1, "how many `times` the promised time a call may take, for a slow machine")
	flag.Parse()
	selected, err := regexp.Compile(*pattern)
	if err != nil {
		fatal(err)
	}
	chosen := matching(selected)
	if *list {
		for _, a := range chosen {
			fmt.Println(a.name)
		}
		return
	}
	clean, err := r.prepare(slices.ContainsFunc(chosen, func(a attack) bool { return a.args != nil }))
	if err != nil {
		fatal(err)
	}
	kept := runAll(&r, chosen, *asJSON)
	r.stop()
	clean()
	if !kept {
		os.Exit(1)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "hostile:", err)
	os.Exit(2)
}

// prepare finds this program's own file, and builds the command if it is needed.
// Call clean to remove the files that it makes.
func (r *runner) prepare(needsCommand bool) (clean func(), err error) {
	if r.self, err = os.Executable(); err != nil {
		return nil, err
	}
	r.folder, err = os.MkdirTemp("", "hostile")
	if err != nil {
		return nil, err
	}
	clean = func() { os.RemoveAll(r.folder) }
	if !needsCommand {
		return clean, nil
	}
	r.command = filepath.Join(r.folder, "vmrules")
	build := exec.Command("go", "build", "-o", r.command, ".")
	build.Dir = "../cmd/vmrules"
	if out, err := build.CombinedOutput(); err != nil {
		clean()
		return nil, fmt.Errorf("building the command, from the folder bench: %w\n%s", err, out)
	}
	return clean, nil
}

// runAll reports whether every attack kept the promise.
func runAll(r *runner, attacks []attack, asJSON bool) bool {
	start, failed := time.Now(), 0
	if !asJSON {
		fmt.Println(heading)
	}
	for _, a := range attacks {
		result := r.run(a)
		if !result.Kept {
			failed++
		}
		if asJSON {
			json.NewEncoder(os.Stdout).Encode(result)
			continue
		}
		fmt.Println(result)
	}
	if !asJSON {
		fmt.Printf("\n%d of %d break the promise of %v, times %g, and %d MB; %.0f s in all\n",
			failed, len(attacks), promisedTime, r.slack, promisedMB, time.Since(start).Seconds())
	}
	return failed == 0
}
