package tables

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readConstants returns the values of KubeVirt's string types: those of their constants, in
// the order of the source.
func readConstants(t *testing.T) map[string][]string {
	t.Helper()
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", "kubevirt.io/api/core/v1").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), "*.go"))
	if err != nil || files == nil {
		t.Fatalf("KubeVirt's types have no source in %s: %v", folder, err)
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, file := range files {
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	// The types of other packages do not matter here, so their imports may fail.
	check := types.Config{Importer: importer.ForCompiler(set, "gc", nil), Error: func(error) {}}
	info := types.Info{Defs: map[*ast.Ident]types.Object{}}
	_, _ = check.Check("v1", set, parsed, &info)
	return valuesByType(info.Defs)
}

func valuesByType(defined map[*ast.Ident]types.Object) map[string][]string {
	var constants []*types.Const
	for _, object := range defined {
		if c, ok := object.(*types.Const); ok && c.Val().Kind() == constant.String {
			constants = append(constants, c)
		}
	}
	slices.SortFunc(constants, func(a, b *types.Const) int { return int(a.Pos()) - int(b.Pos()) })
	values := map[string][]string{}
	for _, c := range constants {
		of, ok := c.Type().(*types.Named)
		if value := constant.StringVal(c.Val()); ok && value != "" && !strings.Contains(value, " ") {
			values[of.Obj().Name()] = append(values[of.Obj().Name()], value)
		}
	}
	return values
}
