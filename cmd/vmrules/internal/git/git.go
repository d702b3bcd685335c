// Package git reads files of a revision by the git on the path. It checks nothing out.
package git

import (
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

const prefix = "git:"

// Is reports whether an argument names files of a revision, as git:REVISION:PATH.
func Is(arg string) bool { return strings.HasPrefix(arg, prefix) }

// Inputs yields the files that an argument names. Of a folder, it yields those that manifest.Inputs would.
func Inputs(arg string) iter.Seq2[manifest.Input, error] {
	return func(yield func(manifest.Input, error) bool) {
		files, err := read(arg)
		if err != nil {
			yield(manifest.Input{}, &manifest.Error{File: arg, Message: err.Error()})
			return
		}
		for _, f := range files {
			input, err := manifest.TextInput(f.name, f.text), error(nil)
			if f.wrong != "" {
				err = &manifest.Error{File: f.name, Message: f.wrong}
			}
			if !yield(input, err) {
				return
			}
		}
	}
}

// read returns the files that an argument names.
func read(arg string) ([]*file, error) {
	name, place, isWhole := strings.Cut(strings.TrimPrefix(arg, prefix), ":")
	if !isWhole || name == "" {
		return nil, errors.New("write git:REVISION:PATH, such as git:v1.0:templates/")
	}
	top, err := ask(isThere, name+"^{tree}")
	if err != nil {
		return nil, err
	}
	if top[0].kind != "tree" {
		return nil, fmt.Errorf("this repository has no revision %s: if another has it, run git fetch --tags first", name)
	}
	if place, err = fromTop(place); err != nil {
		return nil, err
	}
	files, err := revision{name, top[0].hash}.list(place)
	if err != nil {
		return nil, err
	}
	return files, readAll(files)
}

// fromTop returns a path from the top of the repository. As git has it, ./ and ../ begin in this folder.
func fromTop(place string) (string, error) {
	if first, _, _ := strings.Cut(place, "/"); first == "." || first == ".." {
		here, err := run("", "rev-parse", "--show-prefix")
		if err != nil {
			return "", err
		}
		place = strings.TrimSuffix(here, "\n") + place
	}
	place = path.Join(strings.TrimLeft(place, "/"), ".")
	switch {
	case place == ".." || strings.HasPrefix(place, "../"):
		return "", errors.New("the path leads out of the repository")
	case place == ".":
		return "", nil
	}
	return place, nil
}

// A revision is one that was found.
type revision struct {
	name string // as the argument has it
	hash string // of the folder at its top
}

// A file is one of a revision.
type file struct {
	name   string // as an argument would have it
	object string // what git knows it by
	isLink bool
	wrong  string // why it cannot be read
	text   string
}

// list returns the file at a path, or the files in the folder there, which it does not read.
func (r revision) list(place string) ([]*file, error) {
	found, err := ask(isThere, r.hash+":"+place)
	if err != nil {
		return nil, err
	}
	switch found[0].kind {
	case "blob":
		return []*file{{name: r.argument(place), object: found[0].hash}}, nil
	case "tree":
		return r.listFolder(place, found[0].hash)
	}
	return nil, errors.New("the revision has no such file or folder: a path begins at the top of the repository, or in this folder with ./")
}

// argument returns the argument for a path.
func (r revision) argument(place string) string { return prefix + r.name + ":" + place }

// How git says what an entry of a folder is, other than a file or a folder.
const (
	modeLink   = "120000"
	modeModule = "160000"
)

func (r revision) listFolder(folder, hash string) ([]*file, error) {
	out, err := run("", "ls-tree", "-r", "-z", "--full-tree", hash)
	if err != nil {
		return nil, err
	}
	var all []*file
	for entry := range strings.SplitSeq(out, "\x00") {
		about, below, _ := strings.Cut(entry, "\t") // MODE TYPE HASH
		mode, _, _ := strings.Cut(about, " ")
		place := path.Join(folder, below)
		f := &file{name: r.argument(place), object: about[strings.LastIndexByte(about, ' ')+1:]}
		switch {
		case mode == modeModule && manifest.IsListed(below+"/any.yaml"):
			f.wrong = "this is a submodule, another repository: give files and folders beside it"
		case !manifest.IsListed(below):
			continue
		case mode == modeLink:
			f.object, f.isLink = r.hash+":"+place, true
		}
		all = append(all, f)
	}
	if all == nil {
		return nil, errors.New(manifest.NoneListed)
	}
	slices.SortFunc(all, func(a, b *file) int {
		return slices.Compare(strings.Split(a.name, "/"), strings.Split(b.name, "/"))
	})
	return all, nil
}

// lfs begins a file that stands for one that Git LFS keeps.
const lfs = "version https://git-lfs.github.com/spec/"

// readAll reads the files that can be read.
func readAll(files []*file) error {
	var names []string
	for _, f := range files {
		names = append(names, f.object)
	}
	found, err := ask(content, names...)
	for i, o := range found {
		switch f := files[i]; {
		case f.wrong != "":
		case o.kind != "blob" && f.isLink:
			f.wrong = "this link leads to no file of the revision"
		case o.kind != "blob":
			f.wrong = "this repository does not have the content of the file"
		case strings.HasPrefix(o.text, lfs):
			f.wrong = "this is a pointer of Git LFS, without the content: check the revision out, and give that folder"
		default:
			f.text = o.text
		}
	}
	return err
}
