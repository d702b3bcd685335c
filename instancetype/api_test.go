package instancetype_test

import (
	"testing"

	"github.com/vmrules/vmrules/instancetype"
	"github.com/vmrules/vmrules/internal/apitest"
)

func TestAPI(t *testing.T) { apitest.Check(t) }

func TestZeroValues(t *testing.T) {
	apitest.CheckZero(t, instancetype.Meter{}, instancetype.Named{})
}
