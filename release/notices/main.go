// Notices writes the licences of everything that is compiled into a program, for those who get
// it without its source. It fails if a package has no licence, or one under which a program
// under Apache-2.0 may not ship it.
//
//	cd release
//	go run ./notices vmrules ../cmd/vmrules linux/amd64 windows/amd64 >NOTICES
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck"
	"golang.org/x/mod/module"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: notices PROGRAM FOLDER GOOS/GOARCH...")
		os.Exit(2)
	}
	text, err := notices(os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
	os.Stdout.Write(text)
}

// own begins the paths of this repository's modules.
const own = "github.com/vmrules/vmrules"

// shippable are the licences of what a program under Apache-2.0 may contain. For MPL-2.0, the
// notices must say where the source is.
var shippable = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MPL-2.0", "Unlicense", "Zlib"}

// known is how much of a licence's text has to be known, in percent. The rest is titles and names.
const known = 80

// boring is about an object that only GOEXPERIMENT=boringcrypto links.
const boring = "/crypto/internal/boring/LICENSE"

var (
	licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)
	about   = regexp.MustCompile(licence.String() + `|(?i)^(notice|patents|copyright)([._-]|$)`)
)

// A compiled is a package of a program.
type compiled struct {
	ImportPath, Dir string
	Standard        bool
	Module          *struct{ Path, Version, Dir string }
}

func notices(program, folder string, platforms []string) ([]byte, error) {
	found := map[[2]string]bool{} // components, with their files about licences
	var errs []error
	for _, platform := range platforms {
		packages, err := list(folder, platform)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			component, root := p.component()
			if component == own {
				continue
			}
			files, err := p.files(root)
			errs = append(errs, err)
			for _, file := range files {
				found[[2]string{component, file}] = true
			}
		}
	}
	var b bytes.Buffer
	last := ""
	for _, pair := range slices.SortedFunc(maps.Keys(found), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		text, err := os.ReadFile(pair[1])
		errs = append(errs, err, judge(pair[1], text))
		if pair[0] != last {
			fmt.Fprintf(&b, "%s\n%s contains %s:\n\n", strings.Repeat("-", 80), program, pair[0])
		}
		last = pair[0]
		fmt.Fprintf(&b, "%s\n\n", bytes.TrimSpace(text))
	}
	return b.Bytes(), errors.Join(errs...)
}

// list returns the packages that are compiled for a platform.
func list(folder, platform string) (packages []compiled, err error) {
	goos, goarch, _ := strings.Cut(platform, "/")
	command := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,Module")
	command.Dir, command.Stderr = folder, os.Stderr
	command.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	out, err := command.Output()
	for decoder := json.NewDecoder(bytes.NewReader(out)); err == nil && decoder.More(); {
		var p compiled
		err = decoder.Decode(&p)
		packages = append(packages, p)
	}
	return packages, err
}

// component names what the package is a part of, and returns the folder of that.
func (p compiled) component() (name, folder string) {
	switch {
	case p.Standard:
		return "Go, whose source is https://go.dev/dl/" + runtime.Version() + ".src.tar.gz", strings.TrimSuffix(filepath.ToSlash(p.Dir), "/src/"+p.ImportPath)
	case p.Module.Path == own || strings.HasPrefix(p.Module.Path, own+"/"):
		return own, p.Module.Dir
	}
	path, _ := module.EscapePath(p.Module.Path) // Go has downloaded it by this path
	return fmt.Sprintf("%s, whose source is https://proxy.golang.org/%s/@v/%s.zip", p.Module.Path, path, p.Module.Version), p.Module.Dir
}

// files returns the files about licences from the package's folder up to that of its component,
// since it may have another licence.
func (p compiled) files(root string) (files []string, err error) {
	isLicensed := false
	for folder := p.Dir; len(folder) >= len(root); folder = filepath.Dir(folder) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			name := filepath.Join(folder, entry.Name())
			if about.MatchString(entry.Name()) && !entry.IsDir() && filepath.Ext(name) != ".go" && !strings.HasSuffix(name, boring) {
				files = append(files, name)
				isLicensed = isLicensed || licence.MatchString(entry.Name())
			}
		}
	}
	if !isLicensed {
		err = fmt.Errorf("package %s has no licence", p.ImportPath)
	}
	return files, err
}

// judge returns an error if Apache-2.0 may not ship what has this licence.
func judge(file string, text []byte) error {
	if !licence.MatchString(filepath.Base(file)) {
		return nil
	}
	found := licensecheck.Scan(text)
	if found.Percent < known {
		return fmt.Errorf("%s: only %.0f %% is the text of a known licence", file, found.Percent)
	}
	for _, match := range found.Match {
		if !slices.Contains(shippable, match.ID) {
			return fmt.Errorf("%s: Apache-2.0 may not ship %s", file, match.ID)
		}
	}
	return nil
}
