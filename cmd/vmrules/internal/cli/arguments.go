// Package cli has what subcommands share of a command line: arguments, flags, streams and the exit status.
package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run returns what a subcommand does, which gets its arguments as files.
func Run(files *[]string, do func(Streams) error) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		*files = args
		return do(Streams{command.InOrStdin(), command.OutOrStdout(), command.ErrOrStderr()})
	}
}

// Arguments accepts from least to most arguments. Otherwise, the message says what to give.
func Arguments(least, most int, message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return errors.New(message)
		}
		return nil
	}
}

// SomeFile accepts one argument or more.
var SomeFile = Arguments(1, math.MaxInt, "name a file, a folder or - for standard input")

// Inputs describes in help texts what the commands read.
const Inputs = `
FILE is YAML or JSON with any number of objects, or - for the standard input. If it is
a folder, all .yaml, .yml and .json files in it and below it are read, but not those in
hidden folders or behind links.
`

// InputTwice returns an error if the standard input or a pipe is named more than once. The second
// reader would find nothing to check, and pass, or wait for ever.
func InputTwice(files ...[]string) error {
	named := map[string]bool{}
	for _, name := range slices.Concat(files...) {
		stream := manifest.StreamOf(name)
		switch {
		case named[stream] && name == "-":
			return errors.New("standard input can be read only once: give - only once")
		case named[stream]:
			return fmt.Errorf("%s is a pipe or a device, which can be read only once: give it only once", name)
		}
		named[stream] = stream != ""
	}
	return nil
}

// Meant asks whether a word is one of some names, misspelt; "" if it is near none of them.
func Meant(word string, names []string) string {
	all := &cobra.Command{}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for all.SuggestionsMinimumDistance < min(2, len(word)/3) {
		all.SuggestionsMinimumDistance++
		if near := all.SuggestionsFor(word); len(near) > 0 {
			return "; did you mean " + near[0] + "?"
		}
	}
	return ""
}
