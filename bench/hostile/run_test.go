package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	childVariable = "VMRULES_HOSTILE_ATTACK"
	pollInterval  = 25 * time.Millisecond // each look takes half a millisecond

	input = "(input)" // in place of a call's name while the attack makes its input

	// How an attack ends, in place of what a call without a name found.
	ready  = "ready"  // for another
	leaves = "leaves" // goroutines, which would be measured with another
)

// A runner runs attacks, one after another. A process makes the calls of many attacks, since
// starting one takes longer than most of them. Another goes on after one that ends too early.
type runner struct {
	self, command, folder string
	timeout               time.Duration // for the work of an attack, which also makes its input
	memory                int           // MB
	slack                 float64       // how many times the promised time a call may take

	child *child // nil if the next attack needs another
}

// A child is a process that reads the names of attacks, and writes their calls.
type child struct {
	*exec.Cmd
	names  io.WriteCloser
	calls  *bufio.Scanner
	stderr bytes.Buffer
}

func (r *runner) start() (*child, error) {
	c := &child{Cmd: exec.Command(r.self)}
	c.Env = append(os.Environ(), childVariable+"=1", "GOMAXPROCS=2")
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // without this program, nothing watches it
	c.Stderr = &c.stderr
	names, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.names, c.calls = names, bufio.NewScanner(out)
	return c, c.Start()
}

// stop ends the process that waits for another attack, if there is one.
func (r *runner) stop() {
	if r.child != nil {
		r.child.names.Close()
		r.child.Wait()
		r.child = nil
	}
}

func (r *runner) run(a attack) result {
	if a.args != nil {
		return newResult(a, r.runCommand(a), r.slack)
	}
	if r.child == nil {
		c, err := r.start()
		if err != nil {
			return newResult(a, []call{{Outcome: crashed, Found: err.Error()}}, r.slack)
		}
		r.child = c
	}
	c := r.child
	var peak int
	var killed string
	var watching sync.WaitGroup
	done := make(chan struct{})
	watching.Go(func() { peak, killed = r.watch(c.Process, done) })
	fmt.Fprintln(c.names, a.name)
	calls, begun, ending := readCalls(c.calls)
	var err error
	if ending != ready {
		c.names.Close()
		err = c.Wait()
		r.child = nil
	}
	close(done)
	watching.Wait()
	if killed != "" && r.child != nil { // when it was ready
		c.Wait()
		r.child = nil
	}

	whole := calls[len(calls)-1].Outcome != ""
	if killed == "" && err == nil && whole && ending != "" {
		return newResult(a, calls, r.slack)
	}
	if whole { // it was making the input of another call
		calls, begun = append(calls, call{Call: input}), time.Now()
	}
	last := &calls[len(calls)-1]
	last.Seconds, last.Peak = time.Since(begun).Seconds(), peak
	switch {
	case killed != "":
		last.Outcome, last.Found = killedOutcome, killed
	case err != nil:
		last.Outcome, last.Found = crashed, firstLine(c.stderr.String())
	default:
		last.Outcome, last.Found = crashed, "it ended without a word"
	}
	return newResult(a, calls, r.slack)
}

// readCalls reads what a child writes about an attack: a line when a call begins, another with
// the measurements when it ends, and how the attack ended. There is at least one call. The last
// may not have ended. The ending is empty if the process ended before the attack.
func readCalls(lines *bufio.Scanner) (calls []call, begun time.Time, ending string) {
	calls, begun = []call{{Call: input}}, time.Now()
	for lines.Scan() {
		var c call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			continue
		}
		if c.Call == "" {
			return calls, begun, c.Found
		}
		if c.Outcome == "" {
			begun = time.Now()
		}
		if calls[len(calls)-1].Outcome == "" {
			calls[len(calls)-1] = c
		} else {
			calls = append(calls, c)
		}
	}
	return calls, begun, ""
}

// patience is how long a process may take by the clock, which is longer on a busy machine.
const patience = 10 * time.Minute

// watch kills a process that takes too much time or memory from now on, and returns why. It
// ends when done is closed. The peak is in bytes.
func (r *runner) watch(p *os.Process, done <-chan struct{}) (peak int, killed string) {
	pid := strconv.Itoa(p.Pid)
	worked := workOf(pid)
	hung := time.After(patience)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return peak, ""
		case <-hung:
			killed = fmt.Sprintf("after %v, in which it waited", patience)
		case <-tick.C:
			now, most := memoryOf(pid)
			peak = max(peak, most)
			if now > r.memory<<20 {
				killed = fmt.Sprintf("at %d MB", r.memory)
			} else if workOf(pid)-worked > r.timeout {
				killed = fmt.Sprintf("after %v", r.timeout)
			}
		}
		if killed != "" {
			p.Kill()
			<-done
			return peak, killed
		}
	}
}

// memoryOf reads the memory that a process has, and the most that it had, in bytes, from
// /proc/PID/status. It returns 0 if the process has ended.
func memoryOf(pid string) (now, most int) {
	text, _ := os.ReadFile("/proc/" + pid + "/status")
	return bytesIn(string(text), "VmRSS"), bytesIn(string(text), "VmHWM")
}

func bytesIn(status, line string) int {
	_, rest, _ := strings.Cut(status, line+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.Atoi(fields[0])
	return kb << 10
}

// workOf returns the time that a process has used on all cores, from /proc/PID/stat. It returns
// 0 if the process has ended.
func workOf(pid string) time.Duration {
	const user, system, tick = 11, 12, 10 * time.Millisecond // the fields after the name
	text, _ := os.ReadFile("/proc/" + pid + "/stat")
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) <= system {
		return 0
	}
	inUser, _ := strconv.Atoi(fields[user])
	inSystem, _ := strconv.Atoi(fields[system])
	return time.Duration(inUser+inSystem) * tick
}

// runCommand measures the whole process of the command.
func (r *runner) runCommand(a attack) []call {
	c := call{Call: "vmrules " + a.args[0]}
	folder, err := os.MkdirTemp(r.folder, "files")
	if err == nil {
		for name, text := range a.files() {
			err = os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)
		}
	}
	if err != nil {
		c.Outcome, c.Found = crashed, err.Error()
		return []call{c}
	}
	defer os.RemoveAll(folder)

	cmd := exec.Command(r.command, a.args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	var out sink
	cmd.Stdout, cmd.Stderr = &out, &out
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		c.Outcome, c.Found = crashed, err.Error()
		return []call{c}
	}
	var killed string
	var watching sync.WaitGroup
	done := make(chan struct{})
	watching.Go(func() { c.Peak, killed = r.watch(cmd.Process, done) })
	cmd.Wait()
	c.Seconds = time.Since(begun).Seconds()
	close(done)
	watching.Wait()
	c.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	// A child's Maxrss begins at this program's own peak, so only a larger value is the
	// child's.
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if _, own := memoryOf("self"); int(usage.Maxrss)<<10 > own {
		c.Peak = max(c.Peak, int(usage.Maxrss)<<10)
	}
	c.Outcome, c.Found = ended(cmd.ProcessState.ExitCode(), &out)
	if killed != "" {
		c.Outcome, c.Found = killedOutcome, killed
	}
	return []call{c}
}

// ended interprets an exit status of vmrules.
func ended(status int, out *sink) (outcome, found string) {
	found = fmt.Sprintf("exit status %d, %.1f MB written: %s", status, float64(out.size)/(1<<20), firstLine(string(out.head)))
	switch status {
	case 0, 1:
		return decided, found
	case 2:
		if bytes.Contains(out.head, []byte("goroutine ")) {
			return crashed, found
		}
		return problem, found
	}
	return crashed, found
}

// A sink keeps the beginning of what is written to it, and counts all bytes.
type sink struct {
	head []byte
	size int
}

func (s *sink) Write(p []byte) (int, error) {
	s.head = append(s.head, p[:min(len(p), 1<<10-len(s.head))]...)
	s.size += len(p)
	return len(p), nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return shortened(line)
}

func shortened(s string) string {
	if len(s) <= 100 {
		return s
	}
	return strings.ToValidUTF8(s[:60], "") + "…" + strings.ToValidUTF8(s[len(s)-40:], "")
}
