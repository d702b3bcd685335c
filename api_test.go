package vmrules_test

import (
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

func TestExportedNames(t *testing.T) { checkCount(t, 230) }

func TestZeroValues(t *testing.T) {
	apitest.CheckZero(t,
		vmrules.Argument{}, vmrules.Input{}, vmrules.InvalidError{}, vmrules.Kind(""), vmrules.ParseError{},
		vmrules.Path{}, vmrules.Problem{}, vmrules.Report{}, vmrules.Result{}, vmrules.Rule{}, vmrules.RuleSource{},
		vmrules.Rules{}, vmrules.Violation{},
	)
}
