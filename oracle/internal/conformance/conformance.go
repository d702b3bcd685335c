// Package conformance lets a test be a program that the conformance runner asks, and compares its score with the
// scoreboard.
package conformance

import (
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/conformance"
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
	expected := filepath.Join(folder, "expected", name+".txt")
	if _, err := os.Stat(expected); err == nil {
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

// An asked is a line of the runner.
type asked struct {
	ID         string
	Annotation string // as a text, which the Vector need not have
	conformance.Vector
}

// answerAll answers each line with a line.
func answerAll(in io.Reader, out io.Writer, answer func(Question) Answer) error {
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for decoder.More() {
		var q asked
		if err := decoder.Decode(&q); err != nil {
			return err
		}
		a := q.answer(answer)
		a.ID = q.ID
		if err := encoder.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// answer asks for the decision about a VM. There is nothing to decide if the rules are refused, or if the runner
// asks about more than rules and a VirtualMachine.
func (q asked) answer(decide func(Question) Answer) Answer {
	about := Question{Partial: q.Options.Partial}
	q.Options.Partial = false
	isAlone := reflect.ValueOf(q.Options).IsZero() && (q.Call == "" || q.Call == "validate") &&
		q.Old == nil && q.Template == nil && q.Templates == nil &&
		q.Instancetype == nil && q.Preference == nil && q.Cluster == nil
	err := utiljson.Unmarshal(q.Object, &about.Object)
	if err != nil || about.Object["kind"] != "VirtualMachine" || !isAlone {
		return Answer{Skipped: "it is asked about rules and a VirtualMachine alone"}
	}
	var opts []vmrules.ParseOption
	if q.IsOld() {
		opts = append(opts, vmrules.V201901())
	}
	if about.Rules, err = vmrules.ParseRules(q.Annotation, opts...); err != nil {
		return Answer{Refused: true}
	}
	return decide(about)
}
