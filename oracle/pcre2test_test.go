package oracle

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A regexCase is a pattern and the subjects in which to search for it.
type regexCase struct {
	pattern  string
	subjects []string
}

// A verdict is the result of one search. The zero value is not a verdict, so that a search
// that never ran is not taken for a miss.
type verdict int

const (
	unanswered verdict = iota
	miss
	match
	gaveUp // a limit was reached: neither match nor miss
)

func (v verdict) String() string {
	return [...]string{"no answer", "no match", "match", "gave up"}[v]
}

// An answer is the answer of one side to a regexCase: why it refuses the pattern, or a
// verdict for each subject.
type answer struct {
	refusal  string
	verdicts []verdict
}

const (
	pcre2test = "pcre2test"

	// pcre2Pattern follows each pattern. regex_exceptions.md says why the start of a search
	// is not optimized.
	pcre2Pattern = "/hex,utf,no_start_optimize"

	// pcre2Subject applies to all subjects: low limits, and no output for callouts.
	pcre2Subject = "#subject match_limit=200000,heap_limit=20000,callout_none"

	pcre2Batch   = 2000 // patterns a run
	pcre2Timeout = 2 * time.Minute
)

// needPCRE2 skips the test if pcre2test is not installed. In CI it fails the test, since a
// skipped comparison would look like success.
func needPCRE2(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath(pcre2test); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("pcre2test is not installed: it is in the package pcre2-utils")
	}
	t.Skip("skipped: pcre2test not installed")
}

// pcre2Version returns the version that PCRE2 reports.
func pcre2Version(t testing.TB) string {
	t.Helper()
	out, err := exec.Command(pcre2test, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// askPCRE2 returns PCRE2's answer for each case.
func askPCRE2(t testing.TB, cases []regexCase) []answer {
	t.Helper()
	answers := make([]answer, 0, len(cases))
	for batch := range slices.Chunk(cases, pcre2Batch) {
		got, err := readAnswers(runPCRE2(t, batch), batch)
		if err != nil {
			t.Fatalf("pcre2test: %v", err)
		}
		answers = append(answers, got...)
	}
	return answers
}

func runPCRE2(t testing.TB, cases []regexCase) string {
	t.Helper()
	input := filepath.Join(t.TempDir(), "cases")
	if err := os.WriteFile(input, []byte(writeCases(cases)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), pcre2Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, pcre2test, "-q", input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pcre2test: %v\n%s", err, &stderr)
	}
	return string(out)
}

// writeCases writes cases in pcre2test's form: a pattern, its subjects, and an empty line.
func writeCases(cases []regexCase) string {
	var s strings.Builder
	s.WriteString(pcre2Subject + "\n")
	for _, c := range cases {
		s.WriteString(patternLine(c.pattern) + "\n")
		for _, subject := range c.subjects {
			s.WriteString(subjectLine(subject) + "\n")
		}
		s.WriteString("\n")
	}
	return s.String()
}

func patternLine(pattern string) string {
	return "/" + hex.EncodeToString([]byte(pattern)) + pcre2Pattern
}

// subjectLine writes everything but letters and digits by its code point, since
// a blank, a backslash or "\=" would mean something to pcre2test. It writes the
// empty subject as a backslash, since an empty line would end the subjects.
func subjectLine(subject string) string {
	if subject == "" {
		return `    \`
	}
	var s strings.Builder
	s.WriteString("    ")
	for _, r := range subject {
		if '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			s.WriteRune(r)
			continue
		}
		fmt.Fprintf(&s, `\x{%x}`, r)
	}
	return s.String()
}

// readAnswers reads the output for cases. The output repeats every line of the input;
// readAnswers fails if one is missing or out of order.
func readAnswers(output string, cases []regexCase) ([]answer, error) {
	r := &answerReader{lines: strings.Split(output, "\n")}
	if err := r.echo(pcre2Subject); err != nil {
		return nil, err
	}
	answers := make([]answer, 0, len(cases))
	for _, c := range cases {
		a, err := r.answer(c)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", c.pattern, err)
		}
		answers = append(answers, a)
	}
	if rest := strings.Join(r.lines, "\n"); rest != "" {
		return nil, fmt.Errorf("more output than input: %q", rest)
	}
	return answers, nil
}

type answerReader struct{ lines []string }

// next returns the next line, or "" at the end.
func (r *answerReader) next() (string, bool) {
	if len(r.lines) == 0 {
		return "", false
	}
	line := r.lines[0]
	r.lines = r.lines[1:]
	return line, true
}

func (r *answerReader) echo(want string) error {
	if line, ok := r.next(); !ok || line != want {
		return fmt.Errorf("the output has %q instead of the input %q", line, want)
	}
	return nil
}

const failed = "Failed: error "

func (r *answerReader) answer(c regexCase) (answer, error) {
	if err := r.echo(patternLine(c.pattern)); err != nil {
		return answer{}, err
	}
	var a answer
	if len(r.lines) > 0 && strings.HasPrefix(r.lines[0], failed) {
		a.refusal, _ = r.next()
	}
	for _, subject := range c.subjects {
		if err := r.echo(subjectLine(subject)); err != nil {
			return answer{}, err
		}
		if a.refusal != "" {
			continue // pcre2test only repeats the subjects
		}
		v, err := r.verdict()
		if err != nil {
			return answer{}, fmt.Errorf("subject %q: %w", subject, err)
		}
		a.verdicts = append(a.verdicts, v)
	}
	if tooLarge(a.refusal) {
		a = answer{verdicts: slices.Repeat([]verdict{gaveUp}, len(c.subjects))}
	}
	return a, r.echo("")
}

// tooLarge reports whether PCRE2 refused a pattern because of its compiled size, which says
// nothing about the pattern.
func tooLarge(refusal string) bool {
	return strings.HasPrefix(refusal, failed+"120 ")
}

func (r *answerReader) verdict() (verdict, error) {
	line, _ := r.next()
	switch {
	case line == "No match":
		return miss, nil
	case strings.HasPrefix(line, " 0: "), line == "Matched, but too many substrings":
		r.skipCaptures()
		return match, nil
	case isLimit(line):
		return gaveUp, nil
	}
	return unanswered, errors.New("no verdict: " + line)
}

// isLimit reports whether a line says that a limit was reached: on matches, endless
// recursion, depth or memory.
func isLimit(line string) bool {
	return slices.ContainsFunc([]string{"-47:", "-52:", "-53:", "-63:"}, func(code string) bool {
		return strings.HasPrefix(line, failed+code)
	})
}

// skipCaptures skips lines with the captures of groups, such as " 1: a".
func (r *answerReader) skipCaptures() {
	for len(r.lines) > 0 {
		number, _, ok := strings.Cut(r.lines[0], ":")
		if number = strings.TrimLeft(number, " "); !ok || number == "" || strings.Trim(number, "0123456789") != "" {
			return
		}
		r.next()
	}
}
