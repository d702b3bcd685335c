// Conformance asks an implementation of validation rules, a program in any language, about each vector of this
// project, and says what it decides differently. README.md describes what the program reads and writes.
//
//	go run ./conformance [flags] COMMAND [ARGUMENT...]
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// run returns an error if the implementation decides otherwise than is expected of it.
func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	vectors := flags.String("vectors", "testdata/conformance", "the `folder` with the vectors")
	expected := flags.String("expected", "", "a `file` with the vectors that the implementation is known to fail, each with a reason")
	limit := flags.Duration("timeout", 10*time.Second, "how long the program may take for a vector")
	asJSON := flags.String("json", "", "write the score as JSON to a `file`")
	asJUnit := flags.String("junit", "", "write the results as JUnit's XML to a `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("name the command that runs the implementation")
	}
	if *asJSON != "" && filepath.Clean(*asJSON) == filepath.Clean(*asJUnit) {
		return fmt.Errorf("%s cannot be both JSON and XML: give -json and -junit different files", *asJSON)
	}
	all, err := readVectors(*vectors)
	if err != nil {
		return err
	}
	known, err := readExpected(*expected)
	if err != nil {
		return err
	}
	report := judge(all, known, &program{command: flags.Args(), limit: *limit})
	report.writeTable(out)
	for file, written := range map[string]func() []byte{*asJSON: report.json, *asJUnit: report.junit} {
		if file == "" {
			continue
		}
		if err := os.WriteFile(file, written(), 0o666); err != nil {
			return err
		}
	}
	if n := report.unexpected(); n > 0 {
		return fmt.Errorf("%d results are not as expected", n)
	}
	return nil
}
