package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// TestSnippets compiles the Go code in the READMEs of the kinds. It is in this
// module because this module requires all packages that they import.
func TestSnippets(t *testing.T) {
	for _, page := range []string{"../../kinds/crd/README.md", "../../kinds/kyverno/README.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := goBlock.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			t.Errorf("%s has no Go code", page)
		}
		for _, block := range blocks {
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(program(t, block[1])), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s%s", page, err, out, block[1])
			}
		}
	}
}

// program returns a program that contains a snippet: a function, or statements.
func program(t *testing.T, snippet string) string {
	t.Helper()
	if !strings.HasPrefix(snippet, "func ") {
		snippet = "func snippet(schema, policy []byte, object map[string]any) {\n" +
			snippet + uses(t, snippet) + "}\n"
	}
	imports := ""
	for _, path := range []string{
		"os", "github.com/vmrules/vmrules",
		"github.com/vmrules/vmrules/kinds/crd", "github.com/vmrules/vmrules/kinds/kyverno",
	} {
		if regexp.MustCompile(`\b` + filepath.Base(path) + `\.[A-Z]`).MatchString(snippet) {
			imports += "import \"" + path + "\"\n"
		}
	}
	return "package main\n" + imports + snippet + "func main() {}\n"
}

// uses returns statements that use all variables that a snippet declares.
func uses(t *testing.T, snippet string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+snippet+"}\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	used := ""
	for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
		assignment, ok := statement.(*ast.AssignStmt)
		if !ok || assignment.Tok != token.DEFINE {
			continue
		}
		for _, variable := range assignment.Lhs {
			used += "_ = " + variable.(*ast.Ident).Name + "\n"
		}
	}
	return used
}
