// Is a build of the command with another name, and checks the quickstart.
package main

import (
	"os"

	"github.com/vmrules/vmrules/cmd/vmrules/command"
	_ "github.com/vmrules/vmrules/cmd/vmrules/vmrulestest"
)

func main() {
	args := []string{"check", os.Getenv("QUICKSTART") + "/template.yaml"}
	os.Exit(command.Main(args, os.Stdin, os.Stdout, os.Stderr, command.Build{Name: "rehearsal"}))
}
