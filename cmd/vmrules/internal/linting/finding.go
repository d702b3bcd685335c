package linting

import "github.com/vmrules/vmrules/cmd/vmrules/internal/output"

// A Finding is a finding in a file, with the fix that it may have.
type Finding struct {
	output.Finding
	fix *fix // nil if there is none, or none is wanted
}

// excerptSide is the number of code points of a long line that are shown on each side of a
// finding. In a JSON file, an annotation is a single line.
const excerptSide = 50
