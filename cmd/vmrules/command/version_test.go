package command

import (
	"io"
	"strings"
	"testing"
)

func TestVersionFlag(t *testing.T) {
	var b strings.Builder
	if status := Main([]string{"--version"}, nil, &b, io.Discard, Build{Name: "vmrules"}); status != 0 || !strings.HasPrefix(b.String(), "vmrules ") {
		t.Errorf("exit status %d, %q", status, b.String())
	}
}
