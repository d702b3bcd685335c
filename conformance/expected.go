package main

import (
	"fmt"
	"os"
	"strings"
)

// A failure is one that an implementation is known for.
type failure struct {
	reason, id string // the id may end in "*"
	isSeen     bool
}

// readExpected reads a file with a reason and the id of a vector in each line.
func readExpected(name string) (all []*failure, err error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		reason, id, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("%s:%d: write a reason, a space and the id of a vector", name, i+1)
		}
		all = append(all, &failure{reason: reason, id: strings.TrimSpace(id)})
	}
	return all, nil
}

func (f *failure) isOf(id string) bool {
	prefix, isPattern := strings.CutSuffix(f.id, "*")
	return id == f.id || isPattern && strings.HasPrefix(id, prefix)
}
