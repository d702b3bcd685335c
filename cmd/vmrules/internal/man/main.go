// Man writes the man pages of vmrules into a folder, for the archives of a release.
//
//	go run ./internal/man FOLDER
package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/vmrules/vmrules/cmd/vmrules/command"
)

func main() {
	err := errors.New("name a folder")
	if len(os.Args) == 2 {
		err = write(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root := command.Build{Name: "vmrules"}.Command()
	root.DisableAutoGenTag = true
	root.SetHelpCommand(&cobra.Command{Hidden: true}) // the pages are the help
	for _, c := range append(root.Commands(), root) {
		c.Long = markdown(c.Long)
	}
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "vmrules", Manual: "vmrules"}, folder)
}

var (
	indented = regexp.MustCompile(`(?m)^  `)
	special  = regexp.MustCompile("(?m)^([^ \n].*)$")
	marks    = regexp.MustCompile("[*_<`\\[\\\\]")
)

// markdown returns a help text as Markdown, which cobra reads: what is indented is kept as it is,
// and no other character has a meaning.
func markdown(text string) string {
	text = special.ReplaceAllStringFunc(text, func(line string) string { return marks.ReplaceAllString(line, `\$0`) })
	return indented.ReplaceAllString(text, "    ")
}
