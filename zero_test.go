package vmrules_test

import (
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/lint"
	"github.com/vmrules/vmrules/policy"
)

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
