package vmrules_test

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/lint"
	"github.com/vmrules/vmrules/policy"
)

var updateAPI = flag.Bool("update-api", false, "rewrite the files in testdata/api; read the difference before you commit it")

// testHelpers has the folders of packages that others can import, but shall not.
var testHelpers = []string{"cmd/vmrules/scripttest"}

// TestAPI checks that packages keep their promises: what a file in testdata/api says never changes once it
// is released. New lines may be added. There is a file for each public package of the repository, with a
// line for each exported constant, variable, function, type, method and field, and for each code and check.
func TestAPI(t *testing.T) {
	more := map[string][]string{}
	for _, code := range codes(t) {
		more["."] = append(more["."], "code "+code)
	}
	for _, c := range lint.Checks() {
		more["lint"] = append(more["lint"], fmt.Sprintf("check %s: %s", c.ID, c.Severity))
	}
	for _, d := range declarations(filesIn(t, "cmd/vmrules/internal/build", isNoTest)) {
		if of, _, _ := strings.Cut(d.name, "."); of == "Build" || of == "DocumentReader" { // which command only gives other names
			more["cmd/vmrules/command"] = append(more["cmd/vmrules/command"], d.line)
		}
	}
	var golden []string
	for folder, files := range publicPackages(t) {
		lines := more[folder]
		for _, d := range declarations(files) {
			lines = append(lines, d.line)
		}
		file := "testdata/api/" + strings.ReplaceAll(folder, "/", "_") + ".txt"
		if folder == "." {
			file = "testdata/api/vmrules.txt"
		}
		golden = append(golden, file)
		t.Run(folder, func(t *testing.T) { checkLines(t, file, lines) })
	}
	if _, err := os.Stat("cmd/vmrules/go.mod"); err != nil {
		return // this is the module alone, without the folders of the others
	}
	there, _ := filepath.Glob("testdata/api/*")
	slices.Sort(golden)
	if diff := cmp.Diff(golden, there); diff != "" {
		t.Errorf("each public package has a file, and nothing else has (-packages +files):\n%s", diff)
	}
}

// checkLines compares lines with those of a file.
func checkLines(t *testing.T, file string, lines []string) {
	t.Helper()
	slices.Sort(lines)
	if *updateAPI {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), lines); diff != "" {
		t.Errorf("programs depend on what %s lists (-promised +now):\n%s", file, diff)
	}
}

// TestExportedNames limits how many names the root exports: types, functions, constants, variables, methods
// and fields.
func TestExportedNames(t *testing.T) {
	const most = 261
	if all := exportedNames(t); len(all) > most {
		t.Errorf("the package exports %d names, more than %d", len(all), most)
	}
}

// exportedNames returns the names that the root exports, sorted. That of a method or field has its type in
// front.
func exportedNames(t *testing.T) (names []string) {
	t.Helper()
	for _, d := range declarations(filesIn(t, ".", isNoTest)) {
		if d.name != "" {
			names = append(names, d.name)
		}
	}
	slices.Sort(names)
	return names
}

// TestCodes checks that the documentation of Problem lists all codes, and that there are problems with
// each of them.
func TestCodes(t *testing.T) {
	var documented []string
	for line := range strings.Lines(docOfType(t, "Problem")) {
		if code, isCode := strings.CutPrefix(line, "\t"); isCode && code[0] != ' ' {
			documented = append(documented, strings.Fields(code)[0])
		}
	}
	slices.Sort(documented)
	if diff := cmp.Diff(codes(t), documented); diff != "" {
		t.Errorf("the documentation of Problem lists other codes (-all +documented):\n%s", diff)
	}
	for _, code := range documented {
		var p vmrules.Problem
		if err := problemWith(code); !errors.As(err, &p) || p.Code != code {
			t.Errorf("code %s: got %q of the error %v", code, p.Code, err)
		}
	}
}

// problemWith returns an error whose first problem has a code.
func problemWith(code string) error {
	parse := func(text string, opts ...vmrules.ParseOption) error {
		_, err := vmrules.ParseRules(text, opts...)
		return err
	}
	ruleWith := func(more string) string {
		return `[{"name": "n", "message": "m", "path": "jsonpath::.spec", ` + more + `}]`
	}
	switch code {
	case "unreadable":
		return parse("[")
	case "invalid-option":
		return parse("[]", vmrules.WithKind("", nil))
	case "no-template":
		_, err := vmrules.RulesFor(nil, nil)
		return err
	case "different-rules":
		vm := func(rules string) any {
			return map[string]any{"kind": "VirtualMachine", "metadata": map[string]any{"annotations": map[string]any{vmrules.Annotation: rules}}}
		}
		_, err := vmrules.RulesFor(nil, map[string]any{"kind": "Template", "objects": []any{vm("[]"), vm("[ ]")}})
		return err
	case "unwritable":
		_, err := vmrules.NewRules([]vmrules.Rule{{Name: "\xff"}})
		return err
	case "missing-key":
		return parse("[{}]")
	case "wrong-type":
		return parse("{}")
	case "duplicate":
		return parse(ruleWith(`"rule": "string", "rule": "string"`))
	case "too-long":
		return parse("[" + strings.Repeat(" ", 300_000))
	case "invalid-path":
		return parse(ruleWith(`"rule": "string", "valid": ".spec"`))
	case "invalid-regex":
		return parse(ruleWith(`"rule": "regex", "regex": "("`))
	case "invalid-argument":
		return parse(ruleWith(`"rule": "integer", "min": "many"`))
	case "misspelt-key":
		return parse(ruleWith(`"rule": "integer", "min": 1, "Max": 2`), vmrules.Strict())
	case "unknown-key":
		return parse(ruleWith(`"rule": "integer", "min": 1, "owner": "me"`), vmrules.Strict())
	case "misspelt-kind":
		return parse(ruleWith(`"rule": "integr", "min": 1`), vmrules.Strict())
	case "unknown-kind":
		return parse(ruleWith(`"rule": "weekday", "min": 1`), vmrules.Strict())
	case "no-arguments":
		return parse(ruleWith(`"rule": "integer"`), vmrules.Strict())
	}
	return nil
}

// codes returns the codes of problems, sorted.
func codes(t *testing.T) (all []string) {
	t.Helper()
	for _, spec := range specs(filesIn(t, ".", isNoTest)) {
		constant, ok := spec.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(constant.Names[0].Name, "code") || len(constant.Values) != 1 {
			continue
		}
		if literal, ok := constant.Values[0].(*ast.BasicLit); ok {
			code, _ := strconv.Unquote(literal.Value)
			all = append(all, code)
		}
	}
	slices.Sort(all)
	return all
}

// publicPackages returns the files of the packages of the repository that other programs are meant to
// import, by their folders.
func publicPackages(t *testing.T) map[string][]*ast.File {
	t.Helper()
	all := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil || !entry.IsDir() || slices.Contains(testHelpers, path):
			return err
		case path != "." && strings.HasPrefix(name, "."), name == "internal", name == "testdata", name == "node_modules":
			return filepath.SkipDir
		}
		if files := filesIn(t, path, isNoTest); len(files) > 0 && files[0].Name.Name != "main" {
			all[path] = files
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// isNested reports whether a folder belongs to another module than that of the root.
func isNested(folder string) bool {
	for ; folder != "."; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return true
		}
	}
	return false
}

func isTest(name string) bool   { return strings.HasSuffix(name, "_test.go") }
func isNoTest(name string) bool { return !isTest(name) }

// filesIn returns the files of a folder whose names fit.
func filesIn(t *testing.T, folder string, fits func(name string) bool) (all []*ast.File) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, name := range names {
		if !fits(name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file)
	}
	return all
}

// specs yields what general declarations declare, each with its declaration.
func specs(files []*ast.File) iter.Seq2[*ast.GenDecl, ast.Spec] {
	return func(yield func(*ast.GenDecl, ast.Spec) bool) {
		for _, file := range files {
			for _, d := range file.Decls {
				general, ok := d.(*ast.GenDecl)
				for i := 0; ok && i < len(general.Specs); i++ {
					if !yield(general, general.Specs[i]) {
						return
					}
				}
			}
		}
	}
}

// exportedFunctions yields the functions and methods that other packages can call.
func exportedFunctions(files []*ast.File) iter.Seq[*ast.FuncDecl] {
	return func(yield func(*ast.FuncDecl) bool) {
		for _, file := range files {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if ok && f.Name.IsExported() && (f.Recv == nil || ast.IsExported(receiver(f))) && !yield(f) {
					return
				}
			}
		}
	}
}

// receiver returns the name of the type of a method.
func receiver(f *ast.FuncDecl) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*"), "[")
	return name
}

// A declaration is an exported name, such as Rule.Min, with a line that says what programs can depend on.
// The name is "" for what cannot be named.
type declaration struct{ name, line string }

// declarations returns what the files of a package export.
func declarations(files []*ast.File) (all []declaration) {
	for f := range exportedFunctions(files) {
		name, word := f.Name.Name, "func "
		if f.Recv != nil {
			name = receiver(f) + "." + name
			word = "method (" + types.ExprString(f.Recv.List[0].Type) + ") "
		}
		all = append(all, declaration{name, word + f.Name.Name + typeParameters(f.Type) + signature(f.Type)})
	}
	for general, spec := range specs(files) {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			all = append(all, values(general.Tok, spec)...)
		case *ast.TypeSpec:
			all = append(all, members(spec)...)
		}
	}
	return all
}

// typeParameters returns the type parameters of a function, in brackets.
func typeParameters(of *ast.FuncType) string {
	if of.TypeParams == nil {
		return ""
	}
	asParameters := &ast.FuncType{Params: of.TypeParams}
	return "[" + strings.TrimSuffix(signature(asParameters)[1:], ")") + "]"
}

// signature returns the parameters and results of a function.
func signature(of *ast.FuncType) string { return strings.TrimPrefix(types.ExprString(of), "func") }

// values returns the exported constants or variables of a specification.
func values(tok token.Token, spec *ast.ValueSpec) (all []declaration) {
	for i, name := range spec.Names {
		if !name.IsExported() {
			continue
		}
		line := tok.String() + " " + name.Name
		if spec.Type != nil {
			line += " " + types.ExprString(spec.Type)
		}
		if tok == token.CONST {
			line += " = " + types.ExprString(spec.Values[i]) // with iota, write the number
		}
		all = append(all, declaration{name.Name, line})
	}
	return all
}

// members returns a type with its fields, or the methods of an interface.
func members(spec *ast.TypeSpec) []declaration {
	if !spec.Name.IsExported() {
		return nil
	}
	line := "type " + spec.Name.Name
	if spec.Assign.IsValid() {
		line += " ="
	}
	list := &ast.FieldList{}
	switch of := spec.Type.(type) {
	case *ast.StructType:
		line, list = line+" struct", of.Fields
	case *ast.InterfaceType:
		line, list = line+" interface", of.Methods
	default:
		line += " " + types.ExprString(of)
	}
	all := []declaration{{spec.Name.Name, line}}
	hidden := ""
	for _, field := range list.List {
		text := " " + types.ExprString(field.Type)
		if method, ok := field.Type.(*ast.FuncType); ok && strings.HasSuffix(line, " interface") {
			text = signature(method)
		}
		if field.Tag != nil {
			text += " " + field.Tag.Value
		}
		for _, name := range field.Names {
			if name.IsExported() {
				all = append(all, declaration{spec.Name.Name + "." + name.Name, line + ", " + name.Name + text})
			} else {
				hidden = line + ", and what is not exported"
			}
		}
		if len(field.Names) == 0 {
			all = append(all, declaration{"", line + ", embedded" + text})
		}
	}
	if hidden != "" {
		all = append(all, declaration{"", hidden})
	}
	return all
}

// docOfType returns the documentation of a type of the root.
func docOfType(t *testing.T, name string) string {
	t.Helper()
	for general, spec := range specs(filesIn(t, ".", isNoTest)) {
		if of, ok := spec.(*ast.TypeSpec); ok && of.Name.Name == name {
			return general.Doc.Text()
		}
	}
	t.Fatalf("there is no type %s", name)
	return ""
}

// notInExamples has what no example with an output can use: packages by their folders, and functions. The
// reason is what shows their use instead.
var notInExamples = map[string]string{
	"cmd/vmrules/command":     "main.go of cmd/vmrules and cmd/vmrules-full",
	"cmd/vmrules/vmrulestest": "its tests, since it needs a *testing.T",
	"crd.CEL":                 "Kinds, which passes it to WithKind",
	"crd.Schema":              "Kinds, which passes it to WithKind",
	"kyverno.Pattern":         "Kinds, which passes it to WithKind",
	"kyverno.Resource":        "Kinds, which passes it to WithKind",
	"admission.NewManager":    "run.go of cmd/vmrules-webhook, since it needs a cluster",
	"admission.NewValidator":  "an example without an output, since it needs a cluster",
	"admission.WithReports":   "config.go of cmd/vmrules-webhook, since New ignores it",
}

// TestExamples checks that an example with an output uses each exported function, options included.
func TestExamples(t *testing.T) {
	for folder, files := range publicPackages(t) {
		if notInExamples[folder] != "" {
			continue
		}
		name := files[0].Name.Name
		used := usedInExamples(filesIn(t, folder, isTest), name)
		for f := range exportedFunctions(files) {
			full := name + "." + f.Name.Name
			switch isUsed := used[f.Name.Name]; {
			case f.Recv != nil:
			case isUsed && notInExamples[full] != "":
				t.Errorf("an example uses %s: remove the reason why none does", full)
			case !isUsed && notInExamples[full] == "":
				t.Errorf("no example with an output uses %s", full)
			}
		}
	}
}

// usedInExamples returns the names of a package that examples with an output use.
func usedInExamples(files []*ast.File, name string) map[string]bool {
	used := map[string]bool{}
	for _, example := range doc.Examples(files...) {
		ast.Inspect(example.Code, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok && example.Output != "" {
				of, isName := selector.X.(*ast.Ident)
				used[selector.Sel.Name] = used[selector.Sel.Name] || isName && of.Name == name
			}
			return true
		})
	}
	return used
}

// saysType finds in a documentation what the type of an error is.
var saysType = regexp.MustCompile(`\*(vmrules\.)?(ParseError|InvalidError)\b|no\s+type\s+of\s+its\s+own|error\s+is\s+always\s+nil|encoding/json`)

// TestErrorTypes checks that the documentation of each exported function with an error says which type that
// has.
func TestErrorTypes(t *testing.T) {
	for folder, files := range publicPackages(t) {
		for f := range exportedFunctions(files) {
			if f.Type.Results == nil {
				continue
			}
			results := f.Type.Results.List
			if types.ExprString(results[len(results)-1].Type) == "error" && !saysType.MatchString(f.Doc.Text()) {
				t.Errorf("%s: the documentation of %s does not say which type its error has", folder, f.Name.Name)
			}
		}
	}
}

// TestReasons checks that each exported name has a reason for which a user wants it, in a line of its own.
func TestReasons(t *testing.T) {
	text, err := os.ReadFile("testdata/reasons.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		name, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !strings.HasPrefix(reason, "to ") {
			t.Errorf("%q does not say what the name is wanted for", name)
		}
		names = append(names, name)
	}
	want := exportedNames(t)
	slices.Sort(names)
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("testdata/reasons.txt has a line for each exported name (-exported +reasons):\n%s", diff)
	}
}

// zeros has a value of each type that has methods, by the folder of its package.
var zeros = map[string][]any{
	".": {
		vmrules.Argument{}, vmrules.Input{}, vmrules.InvalidError{}, vmrules.ParseError{},
		vmrules.Path{}, vmrules.Problem{}, vmrules.Report{}, vmrules.Result{}, vmrules.Rule{}, vmrules.RuleSource{},
		vmrules.Rules{}, vmrules.Violation{},
	},
	"fieldpath": {
		fieldpath.Descent{}, fieldpath.Filter{}, fieldpath.Index(0), fieldpath.Items{}, fieldpath.Name(""),
		fieldpath.Operand{}, fieldpath.Slice{}, fieldpath.Union{}, fieldpath.Wildcard{},
	},
	"form":         {form.Filler{}, form.Resolved{}, form.ValueChecker{}},
	"instancetype": {instancetype.Named{}},
	"lint":         {lint.Finding{}},
	"policy":       {policy.Untranslated{}},
}

// TestZeroValues: no exported method of this module panics on a zero value or a nil pointer.
func TestZeroValues(t *testing.T) {
	for folder, files := range publicPackages(t) {
		if !isNested(folder) {
			t.Run(folder, func(t *testing.T) { checkZero(t, files, zeros[folder]) })
		}
	}
}

// checkZero calls the methods of all exported types of a package on their zero value and, if it is
// not copied, on a nil pointer. The arguments are zero values, too, except for functions. It fails
// if one panics. The values are one of each type that has methods.
func checkZero(t *testing.T, files []*ast.File, values []any) {
	t.Helper()
	var given []string
	for _, v := range values {
		zero := reflect.New(reflect.TypeOf(v)) // a pointer has the methods of its value, too
		given = append(given, zero.Type().Elem().Name())
		for i := range zero.NumMethod() {
			name := zero.Type().Method(i).Name
			checkCall(t, fmt.Sprintf("%T{}.%s", v, name), zero.Method(i))
			if _, isCopied := zero.Type().Elem().MethodByName(name); !isCopied {
				checkCall(t, fmt.Sprintf("(*%T)(nil).%s", v, name), reflect.Zero(zero.Type()).Method(i))
			}
		}
	}
	slices.Sort(given)
	if diff := cmp.Diff(receivers(files), given); diff != "" {
		t.Errorf("exported types with methods (-all +given):\n%s", diff)
	}
}

// checkCall calls a function with zero values, and then ranges over what it returns.
func checkCall(t *testing.T, name string, f reflect.Value) {
	t.Helper()
	defer func() {
		if failure := recover(); failure != nil {
			t.Errorf("%s panics: %v", name, failure)
		}
	}()
	var arguments []reflect.Value
	for i := range f.Type().NumIn() {
		in := f.Type().In(i)
		switch {
		case f.Type().IsVariadic() && i == f.Type().NumIn()-1:
		case in.Kind() == reflect.Func:
			arguments = append(arguments, allTrue(in))
		default:
			arguments = append(arguments, reflect.Zero(in))
		}
	}
	for _, result := range f.Call(arguments) {
		if result.Kind() == reflect.Func {
			checkCall(t, name, result)
		}
	}
}

// allTrue returns a function that returns true, or zero values of other types.
func allTrue(t reflect.Type) reflect.Value {
	return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
		var results []reflect.Value
		for i := range t.NumOut() {
			result := reflect.New(t.Out(i)).Elem()
			if result.Kind() == reflect.Bool {
				result.SetBool(true)
			}
			results = append(results, result)
		}
		return results
	})
}

// receivers returns the sorted names of the exported types of a package with exported methods.
func receivers(files []*ast.File) (names []string) {
	for f := range exportedFunctions(files) {
		if f.Recv != nil {
			names = append(names, receiver(f))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
