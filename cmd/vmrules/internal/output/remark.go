package output

import (
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// Remarks are what a command says about files, for the formats in which it is shown beside
// their lines.
type Remarks struct {
	All      []Remark
	Topics   []Topic // of all remarks, and perhaps of others
	Unusable []*manifest.Error
}

// A Remark is about a place in a file.
type Remark struct {
	File         string
	lint.Finding                // its ID is that of a topic, and the end is 0 if it is not known
	Fixes        []lint.Finding // each with a place, and what to write there
}

// A Topic is what remarks with one ID have in common.
type Topic struct {
	ID, Meaning, Help string // help is a URL
	Severity          lint.Severity
	Advice            string // in Markdown
}
