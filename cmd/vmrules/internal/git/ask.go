package git

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// An object is what git has by a name. Its kind is that of git, such as "blob", or "" if there is none.
type object struct{ kind, hash, text string }

// A question is what to ask about objects, as an option of git cat-file.
type question string

const (
	isThere question = "--batch-check"
	content question = "--batch"
)

// ask asks git about objects, and follows symbolic links. The names are no arguments, which might be
// read as options.
func ask(q question, names ...string) ([]object, error) {
	for _, name := range names {
		if strings.Contains(name, "\n") {
			return nil, fmt.Errorf("git cannot look up %q, because of the line end", name)
		}
	}
	out, err := run(strings.Join(names, "\n")+"\n", "cat-file", string(q), "--follow-symlinks")
	if err != nil {
		return nil, err
	}
	var all []object
	for range names {
		var o object
		o, out = cutAnswer(out, q)
		all = append(all, o)
	}
	return all, nil
}

// cutAnswer cuts an answer from what git writes: "HASH KIND SIZE", and the content if that is asked for.
// If there is no such object, it is "NAME missing" or, for a link, such as "loop SIZE" and a text.
func cutAnswer(out string, q question) (o object, rest string) {
	line, rest, _ := strings.Cut(out, "\n")
	words := strings.Split(line, " ")
	size, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return object{}, rest
	}
	if len(words) == 3 {
		o.hash, o.kind = words[0], words[1]
	}
	if len(words) == 3 && q == isThere {
		return o, rest
	}
	size = min(size, len(rest))
	o.text = rest[:size]
	return o, strings.TrimPrefix(rest[size:], "\n")
}

// run returns what git writes when it reads a text.
func run(in string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	var out, wrong bounded
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(in), &out, &wrong
	err := command.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed, or not on the path")
	case out.isFull:
		return "", fmt.Errorf("the files have more than %d bytes together: give fewer", maxOutput)
	case err != nil:
		said := strings.TrimPrefix(strings.TrimSpace(wrong.text.String()), "fatal: ")
		return "", fmt.Errorf("git says: %s", output.OneLine(output.Short(cmp.Or(said, err.Error()))))
	}
	return out.text.String(), nil
}

// maxOutput is how many bytes are read of what git writes.
const maxOutput = 256 << 20

// A bounded keeps up to maxOutput bytes.
type bounded struct {
	text   strings.Builder
	isFull bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.isFull = b.isFull || b.text.Len()+len(p) > maxOutput; b.isFull {
		return 0, errors.New("too much")
	}
	return b.text.Write(p)
}
