// Extras writes into a folder what the archives of a release have beside the command: man pages
// and completions for shells.
//
//	go run ./internal/extras FOLDER
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		fmt.Fprintln(os.Stderr, "extras:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	man, completions := filepath.Join(folder, "man"), filepath.Join(folder, "completions")
	root := command.New(command.Build{Name: "vmrules"})
	err := errors.Join(
		os.MkdirAll(man, 0o755), os.MkdirAll(completions, 0o755),
		root.GenBashCompletionFileV2(filepath.Join(completions, "vmrules.bash"), true),
		root.GenZshCompletionFile(filepath.Join(completions, "_vmrules")),
		root.GenFishCompletionFile(filepath.Join(completions, "vmrules.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(completions, "vmrules.ps1")),
	)
	if err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	root.SetHelpCommand(&cobra.Command{Hidden: true}) // the pages are the help
	for _, c := range append(root.Commands(), root) {
		c.Long = markdown(c.Long)
	}
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "vmrules", Manual: "vmrules"}, man)
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
