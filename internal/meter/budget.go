package meter

import "time"

// A Budget is a Meter, and the time that is left for what cannot be counted: regular expressions
// that backtrack. It is not safe for concurrent use.
type Budget struct {
	Meter
	// Backtracking is how long they may still be matched.
	Backtracking time.Duration
	// Waited is how long they have waited for those of other calls, which is no part of that
	// time.
	Waited time.Duration
}
