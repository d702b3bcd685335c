package instancetype_test

import (
	"testing"

	"github.com/vmrules/vmrules/internal/apitest"
)

func TestAPI(t *testing.T) { apitest.Check(t) }
