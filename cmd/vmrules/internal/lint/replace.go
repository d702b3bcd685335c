package lint

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// replace replaces a file, as it was read, at once with another text. It leaves alone a file that may
// not be written, or that has changed since. For a symbolic link, it replaces the file to which that leads.
func replace(file *manifest.File, text string) error {
	path, err := filepath.EvalSymlinks(file.Name)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode()&0o222 == 0 {
		return errors.New("the file is read-only")
	}
	made, err := os.CreateTemp(filepath.Dir(path), ".vmrules-*")
	if err != nil {
		return err
	}
	defer os.Remove(made.Name()) // unless it is renamed
	_, err = made.WriteString(text)
	err = cmp.Or(err, made.Chmod(info.Mode().Perm()), made.Close())
	if err != nil {
		return err
	}
	now, err := os.ReadFile(path)
	if err == nil && string(now) != file.Raw {
		err = errors.New("the file has changed since it was read: try again")
	}
	if err != nil {
		return err
	}
	return os.Rename(made.Name(), path)
}
