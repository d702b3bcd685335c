// Package command implements the vmrules command. There are two builds: vmrules, which knows
// only the format and has few dependencies, and vmrules-full. Each subcommand is a package.
package command

import (
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/audit"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/check"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/diff"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/explain"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/export"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/limits"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/lint"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/test"
)

// A Build is a build of the command, with what it knows beyond the format.
type Build = build.Build

// A DocumentReader converts a JSON document to rules about whole objects. Its error should
// be a *vmrules.ParseError.
type DocumentReader = build.DocumentReader

// Main runs the command as a process would, and returns its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, b Build) int {
	return cli.Execute(New(b), args, cli.Streams{In: stdin, Out: stdout, Err: stderr})
}

// New returns the command with all of its subcommands.
func New(b Build) *cobra.Command {
	command := &cobra.Command{
		Use:   b.Name,
		Short: "Check KubeVirt VMs by the rules of their templates, and the rules themselves",
	}
	command.AddCommand(check.Command(b), lint.Command(b), audit.Command(b), limits.Command(b), export.Command(b), test.Command(b), diff.Command(b), explain.Command())
	command.SetHelpCommand(newHelp())
	command.Version = b.Version(debug.ReadBuildInfo())
	command.Flags().Bool("version", false, "print the version") // without the short form -v
	command.SetVersionTemplate("{{.Version}}\n")
	if name, isPlugin := strings.CutPrefix(filepath.Base(os.Args[0]), "kubectl-"); isPlugin {
		command.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl " + strings.ReplaceAll(name, "_", "-")}
	}
	return command
}

// newHelp returns the command help. That of cobra succeeds for a command that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(command *cobra.Command, args []string) error {
			about, _, err := command.Root().Find(args)
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
