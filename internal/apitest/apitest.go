// Package apitest checks that a package keeps its promises: the values of its exported
// constants and the JSON of its exported types never change. New ones may be added. And no
// exported method panics on a zero value or a nil pointer.
package apitest

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update-api", false, "rewrite testdata/api.txt; read the difference before you commit it")

const golden = "testdata/api.txt"

// Check compares the package in the working directory with testdata/api.txt, which has a
// line for each exported string constant and for each JSON member. The lines in more are
// about other promises.
func Check(t *testing.T, more ...string) {
	t.Helper()
	got := append(linesOf(t), more...)
	slices.Sort(got)
	if *update {
		if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.FromSlash(golden))
	if err != nil {
		t.Fatal(err)
	}
	promised := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if diff := cmp.Diff(promised, got); diff != "" {
		t.Errorf("programs depend on what %s lists (-promised +now):\n%s", golden, diff)
	}
}

// linesOf returns the lines about the constants and types in the working directory.
func linesOf(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, file := range Files(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				return n.Tok != token.VAR
			case *ast.FuncDecl:
				return false
			case *ast.ValueSpec:
				lines = append(lines, constants(n)...)
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok && n.Name.IsExported() {
					lines = append(lines, members(n.Name.Name, s)...)
				}
			}
			return true
		})
	}
	return lines
}

// Files returns the files of the package in the working directory, without its tests.
func Files(t *testing.T) []*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file)
	}
	return all
}

// constants returns the lines of constants with a string literal.
func constants(spec *ast.ValueSpec) []string {
	var lines []string
	for i, name := range spec.Names {
		if !name.IsExported() || i >= len(spec.Values) {
			continue
		}
		if literal, ok := spec.Values[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			lines = append(lines, fmt.Sprintf("const %s = %s", name, literal.Value))
		}
	}
	return lines
}

// members returns the lines of the fields that are in the JSON.
func members(name string, s *ast.StructType) []string {
	var lines []string
	for _, field := range s.Fields.List {
		if field.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(field.Tag.Value)
		if json := reflect.StructTag(tag).Get("json"); json != "" {
			lines = append(lines, fmt.Sprintf("json %s: %s", name, json))
		}
	}
	return lines
}
