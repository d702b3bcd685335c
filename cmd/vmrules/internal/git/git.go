// Package git reads files of a revision by the git on the path, which writes them to a temporary folder.
package git

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

const prefix = "git:"

// Is reports whether an argument names files of a revision, as git:REVISION:PATH.
func Is(arg string) bool { return strings.HasPrefix(arg, prefix) }

// Inputs yields the files that an argument names, as manifest.Inputs does.
func Inputs(arg string) iter.Seq2[manifest.Input, error] {
	return func(yield func(manifest.Input, error) bool) {
		if err := inputs(arg, yield); err != nil {
			yield(manifest.Input{}, &manifest.Error{File: arg, Message: err.Error()})
		}
	}
}

// inputs yields the files, or returns why it can yield none.
func inputs(arg string, yield func(manifest.Input, error) bool) error {
	revision, place, err := split(arg)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "vmrules-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	root, err := write(revision, temporary)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(place); err != nil {
		return errors.New("the revision has no such file or folder: a path begins at the top of the repository, or in this folder with ./")
	}
	manifest.InputsIn(root.FS(), place, func(name string) string { return prefix + revision + ":" + name })(yield)
	return nil
}

// split returns the revision, and the path from the top of the repository. As in git, ./ and ../ begin here.
func split(arg string) (revision, place string, err error) {
	revision, place, isWhole := strings.Cut(strings.TrimPrefix(arg, prefix), ":")
	if !isWhole || revision == "" {
		return "", "", errors.New("write git:REVISION:PATH, such as git:v1.0:templates/")
	}
	if first, _, _ := strings.Cut(place, "/"); first == "." || first == ".." {
		here, err := run(nil, "rev-parse", "--show-prefix")
		if err != nil {
			return "", "", err
		}
		place = here + "/" + place
	}
	place = path.Join(".", strings.TrimLeft(place, "/"))
	if !fs.ValidPath(place) {
		return "", "", errors.New("the path is outside the repository")
	}
	return revision, place, nil
}

// write writes the files of a revision below a folder. No link leads out of the root that it returns.
func write(revision, folder string) (*os.Root, error) {
	if _, err := run(nil, "rev-parse", "--git-dir"); err != nil {
		return nil, err
	}
	tree, err := run(nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{tree}")
	if err != nil {
		return nil, fmt.Errorf("this repository has no revision %s: if another has it, run git fetch --tags first", revision)
	}
	files := filepath.Join(folder, "files")
	if err := os.Mkdir(files, 0o700); err != nil {
		return nil, err
	}
	apart := []string{"GIT_WORK_TREE=" + files, "GIT_INDEX_FILE=" + filepath.Join(folder, "index")}
	if _, err := run(apart, "read-tree", tree); err != nil {
		return nil, err
	}
	if _, err := run(apart, "checkout-index", "--all"); err != nil {
		return nil, err
	}
	return os.OpenRoot(files)
}

// run returns what git says, without the line end, with more variables in its environment.
func run(environment []string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Env = append(os.Environ(), environment...)
	var wrong bytes.Buffer
	command.Stderr = &wrong
	said, err := command.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("git is not installed, or not on the path")
	}
	if err != nil {
		why := strings.TrimPrefix(strings.TrimSpace(wrong.String()), "fatal: ")
		err = fmt.Errorf("git says: %s", output.OneLine(output.Short(cmp.Or(why, err.Error()))))
	}
	return strings.TrimSuffix(string(said), "\n"), err
}
