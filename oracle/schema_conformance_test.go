package oracle

import (
	"testing"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/oracle/internal/conformance"
)

// TestSchemaConformance: a JSON Schema of the rules decides as the scoreboard says, in the validator of another
// project. What a schema lists as not expressed, it leaves to Validate.
func TestSchemaConformance(t *testing.T) {
	conformance.Test(t, "../conformance", "schema", func(q conformance.Question) conformance.Answer {
		var opts []vmrules.ValidateOption
		if q.Partial {
			opts = append(opts, vmrules.Partial())
		}
		ready := newSchemaReady(t, schemaOf(q.Rules, q.Object, opts...))
		accepts := ready.compiled.Validate(throughJSON(t, q.Object)) == nil
		if accepts && len(ready.listed) > 0 {
			return conformance.Answer{Skipped: "JSON Schema cannot express it: " + ready.listed[0].Reason}
		}
		return conformance.Answer{Valid: accepts}
	})
}
