package apitest

import (
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// CheckZero calls the methods of all exported types of the package in the working directory on
// their zero value and, if it is not copied, on a nil pointer. The arguments are zero values,
// too, except for functions. It fails if one panics. The values are one of each type that has
// methods.
func CheckZero(t *testing.T, values ...any) {
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
	if diff := cmp.Diff(receivers(t), given); diff != "" {
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
			arguments = append(arguments, always(in))
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

// always returns a function that returns true, or zero values of other types.
func always(t reflect.Type) reflect.Value {
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

// receivers returns the sorted names of the exported types with exported methods.
func receivers(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, file := range Files(t) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				continue
			}
			if name := Receiver(f); name.IsExported() {
				names = append(names, name.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Receiver returns the name of the type of a method.
func Receiver(f *ast.FuncDecl) *ast.Ident {
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	return of.(*ast.Ident)
}
