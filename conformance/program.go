package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// A program answers a line with a line. It is started again after it has died, hung or answered nonsense.
type program struct {
	command []string
	limit   time.Duration

	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string
	stderr *tail
}

// maxLine is how long an answer may be.
const maxLine = 16 << 20

// ask returns the answer to a question. An error says how the program failed.
func (p *program) ask(id string, question []byte) (got answer, err error) {
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return got, err
		}
	}
	defer func() {
		if err != nil {
			p.stop()
		}
	}()
	in := p.in
	go func() { _, _ = in.Write(append(question, '\n')) }() // a program that does not read would hold this up
	select {
	case line, ok := <-p.lines:
		if !ok {
			// One that says no more, but does not end, would be waited for.
			end := time.AfterFunc(time.Second, func() { _ = p.cmd.Process.Kill() })
			err := p.cmd.Wait()
			end.Stop()
			return got, fmt.Errorf("the program has ended: %v%s", err, p.stderr)
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			return got, fmt.Errorf("the answer is no JSON: %w: %.100q", err, line)
		}
		if got.ID != id {
			return got, fmt.Errorf("the answer is to %q", got.ID)
		}
		return got, nil
	case <-time.After(p.limit):
		return got, fmt.Errorf("there is no answer after %v", p.limit)
	}
}

func (p *program) start() error {
	cmd, stderr, lines := exec.Command(p.command[0], p.command[1:]...), &tail{}, make(chan string)
	cmd.Stderr = stderr
	cmd.WaitDelay = time.Second // for what it has started, and which keeps its output open
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.in, p.lines, p.stderr = cmd, in, lines, stderr
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, maxLine)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return nil
}

// stop ends the program, if it runs.
func (p *program) stop() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	go func(lines chan string) {
		for range lines { // what it has still written
		}
	}(p.lines)
	_ = p.cmd.Wait()
	p.cmd = nil
}

// A tail keeps the end of what is written to it.
type tail struct{ text string }

func (t *tail) Write(b []byte) (int, error) {
	t.text += string(b)
	t.text = t.text[max(0, len(t.text)-300):]
	return len(b), nil
}

func (t *tail) String() string {
	if text := strings.TrimSpace(t.text); text != "" {
		return ": " + text
	}
	return ""
}
