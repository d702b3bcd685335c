package ssp_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/lint/ssp"
)

// measuredVariable names a folder with what KubeVirt's template validator said: ssp.json has
// annotations for one VM, ssp-vms.jsonl.gz has VMs, each with its annotation. TestMeasured
// compares Judge with them.
const measuredVariable = "VMRULES_SSP_MEASURED"

// A measuredCase is an annotation, with what the validator makes of each rule, or with why it
// refuses the annotation.
type measuredCase struct {
	Annotation string
	Refused    string
	Rules      []struct {
		Name, Outcome, Error string
		JustWarning          bool
	}
}

func TestMeasured(t *testing.T) {
	folder := os.Getenv(measuredVariable)
	if folder == "" {
		t.Skip(measuredVariable + " names no folder")
	}
	text, err := os.ReadFile(filepath.Join(folder, "ssp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var annotations struct {
		VM    map[string]any
		Cases []measuredCase
	}
	if err := json.Unmarshal(text, &annotations); err != nil {
		t.Fatal(err)
	}
	for _, c := range annotations.Cases {
		accepted, failed := c.Refused == "", []string{}
		for _, r := range c.Rules {
			if r.Outcome == "violated" || r.Outcome == "error" {
				failed = append(failed, r.Name)
				accepted = accepted && r.JustWarning && r.Outcome == "violated"
			}
		}
		got := ssp.Judge(c.Annotation, annotations.VM)
		if (got.Refused != "") != (c.Refused != "") {
			t.Errorf("%s is refused by Judge because %q, by the validator because %q", c.Annotation, got.Refused, c.Refused)
		}
		compare(t, c.Annotation, accepted, failed, got)
	}
	t.Logf("%d annotations", len(annotations.Cases))
	t.Logf("%d VMs", compareVMs(t, filepath.Join(folder, "ssp-vms.jsonl.gz")))
}

func compareVMs(t *testing.T, name string) (n int) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(text); ; n++ {
		var c struct {
			Annotation string
			VM         map[string]any
			Accepted   bool
			Violated   []string
		}
		if err := d.Decode(&c); err == io.EOF {
			return n
		} else if err != nil {
			t.Fatal(err)
		}
		compare(t, c.Annotation, c.Accepted, c.Violated, ssp.Judge(c.Annotation, c.VM))
	}
}

func compare(t *testing.T, annotation string, accepted bool, failed []string, got ssp.Verdict) {
	t.Helper()
	if accepted != got.Accepted {
		t.Errorf("%s: accepted %v, want %v: %s %v", annotation, got.Accepted, accepted, got.Refused, got.Why)
	}
	if diff := cmp.Diff(failed, got.Failed); diff != "" {
		t.Errorf("%s %v (-want +got):\n%s", annotation, got.Why, diff)
	}
}
