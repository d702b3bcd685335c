// Prepare writes the version of a release into the repository, and says how to tag it:
//
//	cd release
//	go run ./prepare v0.1.0
//
// It sets the version that the nested modules require of each other in go.mod, and the sums
// of these versions in go.sum. The sums of a module depend on its files only, so they are
// known before the module is published, and a single commit has all tags.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/mod/module"
)

func main() {
	repository := flag.String("repository", "..", "the root of the repository")
	proxy := flag.String("proxy", "", "the `folder` to which the modules are written as a module proxy serves them")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: prepare [flags] VERSION")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*repository, *proxy, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "prepare:", err)
		os.Exit(1)
	}
}

func run(repository, proxy, version string) error {
	if err := isFresh(repository); err != nil {
		return err
	}
	r, err := newRelease(repository, version)
	if err != nil {
		return err
	}
	if proxy == "" {
		if proxy, err = os.MkdirTemp("", "vmrules-release-"); err != nil {
			return err
		}
		defer os.RemoveAll(proxy)
	}
	if err := r.write(proxy); err != nil {
		return err
	}
	fmt.Print(r.instructions())
	return nil
}

// isFresh returns an error if the repository has files that are not committed: they would
// be in the sums, but not in the release. A copy without .git is taken as it is.
func isFresh(repository string) error {
	if _, err := os.Stat(filepath.Join(repository, ".git")); err != nil {
		return nil
	}
	out, err := exec.Command("git", "-C", repository, "status", "--porcelain", "--ignored").Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("git status: %s", exit.Stderr)
	}
	if err != nil {
		return err
	}
	if len(out) > 0 {
		return fmt.Errorf("these files are not committed, use a fresh clone:\n%s", out)
	}
	return nil
}

// checkVersion returns an error unless a module without a major version in its path can
// have the version.
func checkVersion(version string) error {
	if version != module.CanonicalVersion(version) {
		return fmt.Errorf("%q is not a version such as v0.1.0", version)
	}
	if err := module.CheckPathMajor(version, ""); err != nil {
		return fmt.Errorf("the module paths have no major version: %w", err)
	}
	return nil
}
