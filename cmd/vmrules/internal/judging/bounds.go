package judging

import (
	"github.com/vmrules/vmrules"
)

// MaxKeptWeight is the largest size of all reports, counted in results. A violation counts
// as ten results.
const MaxKeptWeight = 500_000

// Weight returns the size of a report.
func Weight(r *vmrules.Report) int {
	results := r.Results()
	all := len(results)
	for _, result := range results {
		all += 10 * len(result.Violations)
	}
	return all
}
