// Package conformance lets a test be a program that the conformance runner asks, and compares its score with the
// scoreboard.
package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vmrules/vmrules"
)

// A Question is what the runner asks about rules and a VM alone.
type Question struct {
	Rules   vmrules.Rules
	Object  map[string]any // as the API server decodes it
	Partial bool
}

// An Answer is the decision about a VM, or why there is none.
type Answer struct {
	ID      string `json:"id"`
	Skipped string `json:"skipped,omitempty"`
	Refused bool   `json:"refused"`
	Valid   bool   `json:"valid"`
}

var update = flag.Bool("update", false, "write the scores")

// program is the variable that makes a test the program that answers.
const program = "VMRULES_ANSWER"

// Test asks the test that calls it, in a process of its own, about every vector. The failures that
// conformance/expected knows under a name must be the only ones, and the score the one in conformance/scores.
func Test(t *testing.T, folder, name string, answer func(Question) Answer) {
	if os.Getenv(program) != "" {
		if err := answerAll(os.Stdin, os.Stdout, answer); err != nil {
			t.Error(err)
		}
		return
	}
	file := filepath.Join(folder, "scores", name+".json")
	score := filepath.Join(t.TempDir(), "score.json")
	if *update {
		score = file
	}
	args := []string{"run", "github.com/vmrules/vmrules/conformance", "-vectors", filepath.Join(folder, "../testdata/conformance"), "-json", score}
	if expected := filepath.Join(folder, "expected", name+".txt"); exists(expected) {
		args = append(args, "-expected", expected)
	}
	run := exec.Command("go", append(args, os.Args[0], "-test.run", "^"+t.Name()+"$")...)
	run.Env = append(os.Environ(), program+"=1")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(score)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile(file)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-file +got), -update writes it:\n%s", file, diff)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// answerAll answers each line with a line.
func answerAll(in io.Reader, out io.Writer, answer func(Question) Answer) error {
	lines, encoder := bufio.NewReader(in), json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		q, a, err := read(line)
		if err != nil {
			return err
		}
		if id := a.ID; a == (Answer{ID: id}) {
			a = answer(q)
			a.ID = id
		}
		if err := encoder.Encode(a); err != nil {
			return err
		}
	}
}

// read reads a question. The answer has its ID, and more if there is nothing to decide: the rules are refused, or the
// question is about more than rules and a VirtualMachine.
func read(line []byte) (q Question, a Answer, err error) {
	var keys struct {
		ID, Call, Annotation, Version string
		Object                        json.RawMessage
		Options                       map[string]any
	}
	var all map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(line, &keys), json.Unmarshal(line, &all)); err != nil {
		return q, a, err
	}
	a.ID = keys.ID
	q.Partial, _ = keys.Options["partial"].(bool)
	delete(keys.Options, "partial")
	isAlone := len(keys.Options) == 0 && (keys.Call == "" || keys.Call == "validate")
	for _, key := range []string{"old", "template", "templates", "instancetype", "preference", "cluster"} {
		isAlone = isAlone && all[key] == nil
	}
	if err := utiljson.Unmarshal(keys.Object, &q.Object); err != nil || q.Object["kind"] != "VirtualMachine" || !isAlone {
		a.Skipped = "it is asked about rules and a VirtualMachine alone"
		return q, a, nil
	}
	var opts []vmrules.ParseOption
	if keys.Version == "201901-1" {
		opts = append(opts, vmrules.V201901())
	}
	q.Rules, err = vmrules.ParseRules(keys.Annotation, opts...)
	a.Refused = err != nil
	return q, a, nil
}
