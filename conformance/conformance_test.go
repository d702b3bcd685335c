package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the scores, and the scoreboard in README.md")

// TestMain makes this test a program that a test runs.
func TestMain(m *testing.M) {
	fault := os.Getenv("CONFORMANCE_PROGRAM")
	if name, ok := strings.CutPrefix(fault, "answer "); ok {
		if err := answerAll(name, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	if fault != "" {
		play(fault)
		return
	}
	os.Exit(m.Run())
}

// play answers as a program that has a fault. It answers every question about a file whose name is even right.
func play(fault string) {
	decoder := json.NewDecoder(os.Stdin)
	for {
		var q struct{ ID string }
		if decoder.Decode(&q) != nil {
			return
		}
		switch {
		case strings.HasSuffix(q.ID, "good"):
			fmt.Printf(`{"id": %q, "valid": true}`+"\n", q.ID)
		case fault == "dies":
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(3)
		case fault == "hangs":
			time.Sleep(time.Hour)
		case fault == "mute":
			os.Stdout.Close()
			time.Sleep(time.Hour)
		case fault == "talks":
			fmt.Println(strings.Repeat("a", maxLine+1))
		case fault == "rubbish":
			fmt.Println("what?")
		case fault == "other":
			fmt.Println(`{"id": "x", "valid": true}`)
		case fault == "nothing":
			fmt.Printf(`{"id": %q}`+"\n", q.ID)
		case fault == "wrong":
			fmt.Printf(`{"id": %q, "valid": false}`+"\n", q.ID)
		}
	}
}

// vectorsIn writes vectors that want a valid object.
func vectorsIn(t *testing.T, names ...string) string {
	t.Helper()
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf(`{"name": %q, "spec": "A1, B2", "annotation": [], "object": {}, "want": {"outcomes": [], "violations": []}}`, name))
	}
	folder := t.TempDir()
	text := `{"suite": "1", "vectors": [` + strings.Join(all, ",") + `]}`
	if err := os.WriteFile(filepath.Join(folder, "file.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"dies":    "failed file/bad (A1): the program has ended: exit status 3: out of luck",
		"hangs":   "failed file/bad (A1): there is no answer after 3s",
		"mute":    "failed file/bad (A1): the program has ended: signal: killed",
		"talks":   "failed file/bad (A1): the program has ended: signal: killed",
		"rubbish": `failed file/bad (A1): the answer is no JSON: invalid character 'w' looking for beginning of value: "what?"`,
		"other":   `failed file/bad (A1): the answer is to "x"`,
		"nothing": `failed file/bad (A1): the answer has none of "valid", "refused" and "skipped"`,
		"wrong":   "failed file/bad (A1): valid is false, want true",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Setenv("CONFORMANCE_PROGRAM", fault)
			limit := "30s" // beside many processes, a program begins late
			if fault == "hangs" {
				limit = "3s"
			}
			var out bytes.Buffer
			err := run([]string{"-vectors", vectorsIn(t, "1 good", "bad", "2 good"), "-timeout", limit, os.Args[0]}, &out)
			if err == nil || err.Error() != "1 results are not as expected" {
				t.Errorf("got error %v", err)
			}
			lines := strings.Split(out.String(), "\n")
			wanted := []string{
				"vectors                passed   failed    known  skipped",
				"file                        2        1        0        0",
				"all                         2        1        0        0",
				want, "1 failed for A1", "",
			}
			if diff := cmp.Diff(wanted, lines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if err := run([]string{"-vectors", vectorsIn(t, "a"), filepath.Join(t.TempDir(), "none")}, &bytes.Buffer{}); err == nil {
		t.Error("a program that is not there passes")
	}
}

// TestExpected: a known failure is none, and one that passes is.
func TestExpected(t *testing.T) {
	t.Setenv("CONFORMANCE_PROGRAM", "wrong")
	known := filepath.Join(t.TempDir(), "known.txt")
	score, junit := known+".json", known+".xml"
	for text, want := range map[string]string{
		"# why\n\nreason file/bad\n":           "",
		"reason file/b*\n":                     "",
		"reason file/bad\nother file/1 good\n": "1 results are not as expected",
		"reason file/c*\n":                     "2 results are not as expected",
		"reason\n":                             known + ":1: write a reason, a space and the id of a vector",
	} {
		if err := os.WriteFile(known, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := run([]string{"-vectors", vectorsIn(t, "1 good", "bad"), "-expected", known, "-json", score, "-junit", junit, os.Args[0]}, &bytes.Buffer{})
		if got := fmt.Sprint(err); got != want && (want != "" || err != nil) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	if err := os.WriteFile(known, []byte("reason file/bad\nother file/1 good\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = run([]string{"-vectors", vectorsIn(t, "1 good", "bad"), "-expected", known, "-json", score, "-junit", junit, os.Args[0]}, &bytes.Buffer{})
	written, _ := os.ReadFile(score)
	wanted := "{\n \"sections\": {\n  \"A\": {\n   \"passed\": 1,\n   \"failed\": 1,\n   \"skipped\": 0\n  }\n },\n \"reasons\": {\n  \"reason\": 1\n },\n \"unexpected\": [\n  \"file/1 good\"\n ]\n}\n"
	if diff := cmp.Diff(wanted, string(written)); diff != "" {
		t.Errorf("the score (-want +got):\n%s", diff)
	}
	written, _ = os.ReadFile(junit)
	wanted = xml.Header + `<testsuite name="conformance" tests="3" failures="1"><testcase name="file/1 good" classname="file"></testcase>` +
		`<testcase name="file/bad" classname="file"><skipped message="reason"></skipped></testcase>` +
		`<testcase name="file/1 good" classname="expected"><failure message="it passes, but is expected to fail"></failure></testcase></testsuite>`
	if diff := cmp.Diff(wanted, string(written)); diff != "" {
		t.Errorf("JUnit (-want +got):\n%s", diff)
	}
}

// TestOneFile: two forms of the results need two files.
func TestOneFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result")
	err := run([]string{"-vectors", vectorsIn(t, "1 good"), "-json", file, "-junit", filepath.Dir(file) + "/./result", os.Args[0]}, &bytes.Buffer{})
	if want := file + " cannot be both JSON and XML: give -json and -junit different files"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// TestAnswers: vmrules and its package pass all vectors; others fail those that are known, whose reasons are rows of a page.
func TestAnswers(t *testing.T) {
	page, err := os.ReadFile("../docs/consumers.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range answerers {
		t.Setenv("CONFORMANCE_PROGRAM", "answer "+name)
		args := []string{"-vectors", "../testdata/conformance", "-json", filepath.Join("scores", name+".json")}
		if !*update {
			args[3] = filepath.Join(t.TempDir(), "score.json")
		}
		known := filepath.Join("expected", name+".txt")
		all, err := readExpected(known)
		if isOwn := name == "vmrules"; isOwn != (err != nil) {
			t.Fatalf("%s: expected failures: %v", name, err)
		} else if !isOwn {
			args = append(args, "-expected", known)
		}
		for _, f := range all {
			if !bytes.Contains(page, []byte("`"+f.reason+"`")) {
				t.Errorf("docs/consumers.md has no row %s", f.reason)
			}
		}
		var out bytes.Buffer
		if err := run(append(args, os.Args[0]), &out); err != nil {
			t.Errorf("%s: %v\n%s", name, err, &out)
		}
		got, _ := os.ReadFile(args[3])
		want, _ := os.ReadFile(filepath.Join("scores", name+".json"))
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("scores/%s.json (-file +got), -update writes it:\n%s", name, diff)
		}
	}
}

// TestReasonsOfPolicies: the reasons are on the page about policies. Module oracle asks them.
func TestReasonsOfPolicies(t *testing.T) {
	page, err := os.ReadFile("../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := readExpected("expected/policies.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if !bytes.Contains(page, []byte("(`"+f.reason+"`)")) {
			t.Errorf("docs/policies.md has no row %s", f.reason)
		}
	}
}

// TestPython runs the program that README.md shows to authors of others.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3, in which the example is written")
	}
	var out bytes.Buffer
	_ = run([]string{"-vectors", "../testdata/conformance", python, "executor.py"}, &out) // it is wrong about much
	if strings.Contains(out.String(), ": the answer ") || strings.Contains(out.String(), ": the program ") {
		t.Errorf("it does not speak the protocol:\n%s", &out)
	}
	if passed := regexp.MustCompile(`\nall +(\d+)`).FindStringSubmatch(out.String()); passed == nil || len(passed[1]) < 3 {
		t.Errorf("it passes next to nothing:\n%s", &out)
	}
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// implementations are those of the scoreboard, with the names of their scores.
var implementations = []struct{ title, score string }{
	{"vmrules", "vmrules"}, {"@vmrules/vmrules (npm)", "npm"}, {"exported policies, in Kubernetes' CEL", "policies"},
	{"JSON Schema of `form.Schema`", "schema"}, {"KubeVirt's template validator, by `lint/ssp`", "ssp"}, {"kubevirt-plugin's form for CPUs", "console"},
}

// TestScoreboard compares the table and the badge with the scores.
func TestScoreboard(t *testing.T) {
	var letters []string
	rows, badge := []string{}, ""
	for _, i := range implementations {
		text, err := os.ReadFile(filepath.Join("scores", i.score+".json"))
		if err != nil {
			continue // there is none yet
		}
		var s score
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		if letters == nil {
			letters = slices.Sorted(maps.Keys(s.Sections))
		}
		row := "| " + i.title + " |"
		passed, failed := 0, 0
		for _, letter := range letters {
			n := s.Sections[letter]
			passed, failed = passed+n.Passed, failed+n.Failed
			row += " " + ratio(n.Passed, n.Failed) + " |"
		}
		rows = append(rows, row+" "+ratio(passed, failed)+" |")
		if i.score == "vmrules" {
			made, err := json.Marshal(map[string]any{"schemaVersion": 1, "label": "vectors", "message": fmt.Sprintf("%d of %d", passed, passed+failed), "color": "brightgreen"})
			if err != nil {
				t.Fatal(err)
			}
			badge = string(made) + "\n"
		}
	}
	table := "| implementation | " + strings.Join(letters, " | ") + " | all |\n|" + strings.Repeat(" --- |", len(letters)+2) + "\n" + strings.Join(rows, "\n") + "\n"
	page := regexp.MustCompile("(?s)(<!-- scores -->\n).*(<!-- /scores -->)").ReplaceAllString(readme(t), "${1}"+table+"${2}")
	for file, want := range map[string]string{"README.md": page, "badge.json": badge} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, _ := os.ReadFile(file)
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-scores +file), -update writes it:\n%s", file, diff)
		}
	}
}

func ratio(passed, failed int) string {
	if passed+failed == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", passed, passed+failed)
}
