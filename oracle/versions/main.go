// Versions compares two checkouts of the library. Both judge the VMs and templates in the files,
// and generated cases. It prints in what their reports, rules and errors differ.
//
//	go run ./versions -old DIR [-new DIR] [-cases 10000] [-seed 1] [FILE or FOLDER...]
//
// Generated cases are those of package model, and those in the files, with parts changed.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	judges := flag.Bool("judge", false, "judge the cases of the standard input, with the library in this program")
	older := flag.String("old", "", "the `folder` of a checkout")
	newer := flag.String("new", "..", "the `folder` of another")
	cases := flag.Int("cases", 10_000, "how many `cases` are generated")
	seed := flag.Int("seed", 1, "the `seed` of chance")
	flag.Parse()
	if *judges {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	c := comparison{out: os.Stdout, outcomes: map[string]int{}}
	if err := c.run(*older, *newer, *cases, *seed, flag.Args()); err != nil {
		log.Fatal(err)
	}
	if c.different > 0 {
		os.Exit(1)
	}
}

// A comparison asks two versions of the library, and counts.
type comparison struct {
	versions         [2]string // programs
	asked, different int
	outcomes         map[string]int
	out              io.Writer
}

// batch is how many cases a process judges.
const batch = 1000

// run compares. The flags are for the build of the newer version.
func (c *comparison) run(older, newer string, cases, seed int, files []string, flags ...string) error {
	var g generator
	for _, file := range files {
		if err := filepath.WalkDir(file, g.corpus.add); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp("", "versions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	model := filepath.Join(work, "model")
	c.versions = [2]string{filepath.Join(work, "old"), filepath.Join(work, "new")}
	if err := cmp.Or(
		build(older, c.versions[0], "versions", "build"),
		build(newer, c.versions[1], "versions", append([]string{"build"}, flags...)...),
		build(newer, model, "model", "test", "-c", "-vet=off"),
	); err != nil {
		return err
	}
	for real := range slices.Chunk(g.corpus, batch) {
		lines := make([]string, len(real))
		for i, one := range real {
			lines[i] = written(one)
		}
		if err := c.compare(lines); err != nil {
			return err
		}
	}
	for done := 0; done < cases; done += batch {
		lines, err := output("", model, "-write", "-cases", fmt.Sprint(min(batch, cases-done)), "-seed", fmt.Sprint(seed+done))
		if err != nil {
			return err
		}
		g.Rand = rand.New(rand.NewPCG(uint64(seed), uint64(done)))
		for i := range lines {
			if lines[i], err = g.varied(lines[i]); err != nil {
				return err
			}
		}
		if err := c.compare(lines); err != nil {
			return err
		}
	}
	for _, outcome := range slices.Sorted(maps.Keys(c.outcomes)) {
		fmt.Fprintf(c.out, "%8d %s\n", c.outcomes[outcome], outcome)
	}
	_, err = fmt.Fprintf(c.out, "%d cases, %d of them from files; %d differences\n", c.asked, len(g.corpus), c.different)
	return err
}

const project = "github.com/vmrules/vmrules"

// build builds a package of this module with the library in a folder.
func build(library, program, name string, args ...string) error {
	if library == "" {
		return errors.New("say with -old which folder has the other checkout")
	}
	oracle, err := output("", "go", "list", "-m", "-f", "{{.Dir}}", project+"/oracle")
	if err != nil {
		return err
	}
	if library, err = filepath.Abs(library); err != nil {
		return err
	}
	workspace := fmt.Sprintf("go 1.26.0\nuse %s\nreplace %s => %s\n", oracle[0], project, library)
	if err := os.WriteFile(program+".work", []byte(workspace), 0o600); err != nil {
		return err
	}
	args = append(append([]string{"GOWORK=" + program + ".work", "go"}, args...), "-o", program, project+"/oracle/"+name)
	_, err = output("", "env", args...)
	return err
}

// output returns the lines that a program prints.
func output(in, program string, args ...string) ([]string, error) {
	c := exec.Command(program, args...)
	c.Stdin, c.Stderr = strings.NewReader(in), os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

var outcome = regexp.MustCompile(`"(?:outcome|reason)":"(\w+)"`)

// compare counts the cases that differ, and shows the first three of all.
func (c *comparison) compare(cases []string) error {
	answers, err := c.ask(cases)
	if err != nil {
		return err
	}
	c.asked += len(cases)
	for i, answer := range answers[0] {
		for _, match := range outcome.FindAllStringSubmatch(answer, -1) {
			c.outcomes[match[1]]++
		}
		if answer == answers[1][i] {
			continue
		}
		if c.different++; c.different <= 3 {
			if err := c.show(cases[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask returns the answers of both versions.
func (c *comparison) ask(cases []string) (answers [2][]string, err error) {
	for i, version := range c.versions {
		if answers[i], err = output(strings.Join(cases, "\n")+"\n", version, "-judge"); err != nil {
			return answers, err
		}
		if len(answers[i]) != len(cases) {
			return answers, fmt.Errorf("%d answers to %d cases", len(answers[i]), len(cases))
		}
	}
	return answers, nil
}

// show makes a case smaller, and shows in which calls the versions still differ.
func (c *comparison) show(one string) error {
	var said [2]map[string]json.RawMessage
	for cases := []string{one}; len(cases) > 0; cases = smaller(one) {
		answers, err := c.ask(cases)
		if err != nil {
			return err
		}
		i := 0
		for i < len(cases) && answers[0][i] == answers[1][i] {
			i++
		}
		if i == len(cases) {
			break
		}
		one, said = cases[i], [2]map[string]json.RawMessage{}
		if err := cmp.Or(decode(answers[0][i], &said[0]), decode(answers[1][i], &said[1])); err != nil {
			return err
		}
	}
	fmt.Fprintln(c.out, one)
	for _, call := range slices.Sorted(maps.Keys(said[0])) {
		if old, now := said[0][call], said[1][call]; !bytes.Equal(old, now) {
			same := 0
			for same < min(len(old), len(now)) && old[same] == now[same] {
				same++
			}
			for i, text := range [2]json.RawMessage{old, now} {
				fmt.Fprintf(c.out, "  %s %s: %s\n", [2]string{"old", "new"}[i], call, text[max(0, same-200):min(len(text), same+200)])
			}
		}
	}
	return nil
}
