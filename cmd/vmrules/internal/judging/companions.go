package judging

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

// AboutInstancetypes describes in help texts where instance types come from.
const AboutInstancetypes = `
A VM that names an instance type or a preference is judged as KubeVirt expands it. Give these in
the same FILE as the VM, in any order, or by --with. If one is missing, rules about fields that it
may set are undecided.
`

// A companions holds the instance types and preferences that VMs may name.
type companions struct {
	Set    instancetypes.Set
	Counts func(manifest.Document) bool // what a stream must hold, if no object has a kind; nil: nothing
}

// WithFlag adds the flag for files with instance types.
func WithFlag(command *cobra.Command, files *[]string) {
	command.Flags().StringArrayVar(files, "with", nil, "file or folder with instance types and preferences that VMs name")
}

// Read reads the files of --with, and returns all their errors.
func (c *companions) Read(files []string, stdin io.Reader) error {
	var wrong []error
	for _, name := range files {
		none := true
		for o, err := range c.Objects(manifest.Read([]string{name}, stdin)) {
			if err != nil {
				wrong = append(wrong, err)
			}
			none = none && err == nil && !instancetypes.Holds(o.Kind)
		}
		if none {
			wrong = append(wrong, fmt.Errorf("--with %s: no instance type or preference found", name))
		}
	}
	return errors.Join(wrong...)
}

// maxRead is the largest size in bytes of all files together. Their objects are kept until
// the instance types in all of them are known.
const maxRead = 256 << 20

// Objects yields the objects in files, and adds the instance types and preferences among them
// to the set. It continues after an error, which is a *manifest.Error.
func (c *companions) Objects(files iter.Seq2[*manifest.File, error]) iter.Seq2[manifest.Object, error] {
	return func(yield func(manifest.Object, error) bool) {
		size := 0
		for file, err := range files {
			if err == nil && c.Counts != nil {
				err = file.Nothing(c.Counts)
			}
			if err != nil {
				if !yield(manifest.Object{}, err) {
					return
				}
				continue
			}
			if size += file.Size(); size > maxRead {
				yield(manifest.Object{}, &manifest.Error{File: file.Name, Message: fmt.Sprintf(
					"the files up to here have more than %d bytes: check fewer files at a time, or use vmrules audit", maxRead)})
				return
			}
			for _, o := range file.Objects() {
				if err := c.Set.AddObject(o); err != nil && !yield(o, err) || !yield(o, nil) {
					return
				}
			}
		}
	}
}

// Warn writes what is wrong with the instance types and preferences.
func (c *companions) Warn(stderr io.Writer) {
	for _, warning := range c.Set.Warnings {
		fmt.Fprintln(stderr, "vmrules: warning:", output.OneLine(warning.Error()))
	}
}
