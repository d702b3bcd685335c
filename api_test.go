package vmrules_test

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

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/lint"
)

var updateAPI = flag.Bool("update-api", false, "rewrite the files testdata/api.txt; read the difference before you commit it")

// api has the packages that others import, by their folders, with a value of each type that has methods.
var api = map[string][]any{
	".": {
		vmrules.Argument{}, vmrules.Input{}, vmrules.InvalidError{}, vmrules.Kind(""), vmrules.ParseError{},
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
	"lint/ssp":     nil,
	"openreports":  nil,
}

// TestAPI checks that packages keep their promises: the values of their exported constants and the
// JSON of their exported types never change. New ones may be added. testdata/api.txt of each has a
// line for each exported string constant and for each JSON member.
func TestAPI(t *testing.T) {
	more := map[string][]string{}
	for _, code := range vmrules.Codes {
		more["."] = append(more["."], "code "+code)
	}
	for _, c := range lint.Checks() {
		more["lint"] = append(more["lint"], fmt.Sprintf("check %s: %s", c.ID, c.Severity))
	}
	for folder := range api {
		t.Run(folder, func(t *testing.T) { checkLines(t, folder, more[folder]) })
	}
}

func checkLines(t *testing.T, folder string, more []string) {
	t.Helper()
	golden := filepath.Join(folder, "testdata/api.txt")
	got := append(linesOf(t, folder), more...)
	slices.Sort(got)
	if *updateAPI && got != nil {
		if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil && got != nil {
		t.Fatal(err)
	}
	var promised []string
	for line := range strings.Lines(string(text)) {
		promised = append(promised, strings.TrimSuffix(line, "\n"))
	}
	if diff := cmp.Diff(promised, got); diff != "" {
		t.Errorf("programs depend on what %s lists (-promised +now):\n%s", golden, diff)
	}
}

func TestExportedNames(t *testing.T) { checkCount(t, 264) }

// TestZeroValues: no exported method panics on a zero value or a nil pointer.
func TestZeroValues(t *testing.T) {
	for folder, values := range api {
		t.Run(folder, func(t *testing.T) { checkZero(t, folder, values) })
	}
}

// linesOf returns the lines about the constants and types of a package.
func linesOf(t *testing.T, folder string) []string {
	t.Helper()
	var lines []string
	for _, file := range filesIn(t, folder) {
		for _, d := range file.Decls {
			if general, ok := d.(*ast.GenDecl); ok {
				lines = append(lines, declared(general)...)
			}
		}
	}
	return lines
}

// filesIn returns the files of a package, without its tests.
func filesIn(t *testing.T, folder string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
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

func declared(d *ast.GenDecl) []string {
	var lines []string
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			if d.Tok == token.CONST {
				lines = append(lines, constants(spec)...)
			}
		case *ast.TypeSpec:
			if s, ok := spec.Type.(*ast.StructType); ok && spec.Name.IsExported() {
				lines = append(lines, members(spec.Name.Name, s)...)
			}
		}
	}
	return lines
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
		if json := reflect.StructTag(tag).Get("json"); json != "" && json != "-" {
			lines = append(lines, fmt.Sprintf("json %s: %s", name, json))
		}
	}
	return lines
}

// checkZero calls the methods of all exported types of a package on their zero value and, if it is
// not copied, on a nil pointer. The arguments are zero values, too, except for functions. It fails
// if one panics. The values are one of each type that has methods.
func checkZero(t *testing.T, folder string, values []any) {
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
	if diff := cmp.Diff(receivers(t, folder), given); diff != "" {
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
func receivers(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	for _, file := range filesIn(t, folder) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				continue
			}
			if name := receiver(f); name.IsExported() {
				names = append(names, name.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// receiver returns the name of the type of a method.
func receiver(f *ast.FuncDecl) *ast.Ident {
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	return of.(*ast.Ident)
}

// checkCount prints how many names the package exports, and fails if that is more than most:
// types, functions, constants, variables, methods and fields.
func checkCount(t *testing.T, most int) {
	t.Helper()
	declared, methods, fields := 0, 0, 0
	for _, file := range filesIn(t, ".") {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv == nil:
					declared++
				case receiver(d).IsExported():
					methods++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					n, m := exported(spec)
					declared, fields = declared+n, fields+m
				}
			}
		}
	}
	all := declared + methods + fields
	t.Logf("%d exported names: %d declared, %d methods, %d fields", all, declared, methods, fields)
	if all > most {
		t.Errorf("the package exports %d names, more than %d", all, most)
	}
}

// exported counts the names that a specification declares, and the fields and methods of types.
func exported(spec ast.Spec) (declared, fields int) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		return count(spec.Names), 0
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return 0, 0
		}
		var list *ast.FieldList
		switch of := spec.Type.(type) {
		case *ast.StructType:
			list = of.Fields
		case *ast.InterfaceType:
			list = of.Methods
		default:
			return 1, 0
		}
		for _, f := range list.List {
			fields += count(f.Names)
		}
		return 1, fields
	}
	return 0, 0
}

func count(names []*ast.Ident) (n int) {
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}
