// Package templates is a repository of templates, whose test validates the VM in each of them. CI needs no more
// than go test.
package templates

import (
	"os"
	"testing"

	"github.com/vmrules/vmrules/cmd/vmrules/vmrulestest"
)

func TestTemplates(t *testing.T) {
	vmrulestest.Templates(t, os.DirFS("templates"), vmrulestest.WithParameters(map[string]string{"CORES": "4"}))
}
