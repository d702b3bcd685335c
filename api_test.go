package vmrules_test

import (
	"go/ast"
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/apitest"
)

func TestAPI(t *testing.T) {
	var codes []string
	for _, code := range vmrules.Codes {
		codes = append(codes, "code "+code)
	}
	apitest.Check(t, codes...)
}

func TestExportedNames(t *testing.T) { checkCount(t, 265) }

func TestZeroValues(t *testing.T) {
	apitest.CheckZero(t,
		vmrules.Argument{}, vmrules.Input{}, vmrules.InvalidError{}, vmrules.Kind(""), vmrules.ParseError{},
		vmrules.Path{}, vmrules.Problem{}, vmrules.Report{}, vmrules.Result{}, vmrules.Rule{}, vmrules.RuleSource{},
		vmrules.Rules{}, vmrules.Violation{},
	)
}

// checkCount prints how many names the package exports, and fails if that is more than most:
// types, functions, constants, variables, methods and fields.
func checkCount(t *testing.T, most int) {
	t.Helper()
	declared, methods, fields := 0, 0, 0
	for _, file := range apitest.Files(t) {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv == nil:
					declared++
				case apitest.Receiver(d).IsExported():
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
