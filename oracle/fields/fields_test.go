// Package tables keeps internal/vmapi/fields.txt, the table of the fields that a VM may have, equal to
// KubeVirt's Go types.
package tables

import "testing"

func TestFields(t *testing.T) {
	const table = "../../internal/vmapi/fields.txt"
	compare(t, table, generate(t, table))
}
