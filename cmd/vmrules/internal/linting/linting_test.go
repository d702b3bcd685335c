package linting

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// However many findings there are, and however long the names in them, what is
// written of them is bounded.
func TestFindingsAreBounded(t *testing.T) {
	file, err := manifest.Parse("file", "a: b")
	if err != nil {
		t.Fatal(err)
	}
	l := &Linter{now: config.Config{MinSeverity: lint.SeverityNote}}
	long := strings.Repeat("ü", 100_000)
	about := make([]lint.Finding, MaxFindings+1)
	about[0] = lint.Finding{Rule: long, Key: long, Message: long, Suggestion: long}
	for i := range about {
		about[i].Severity = lint.SeverityError
	}
	to := *NewLinted(io.Discard)
	l.add(&to, file, long, about)
	if len(to.Findings) != MaxFindings || !to.IsFull {
		t.Errorf("%d findings, full: %v", len(to.Findings), to.IsFull)
	}
	f := to.Findings[0]
	for _, text := range []string{f.Object, f.Rule, f.Key, f.Message, f.Suggestion} {
		if len(text) > output.MaxText+len("…") || !strings.HasSuffix(text, "ü…") || !utf8.ValidString(text) {
			t.Errorf("%d bytes: %.20q", len(text), text)
		}
	}
}
