package output

import (
	"fmt"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// An About says which object of a file a result is about.
type About struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`

	Title string `json:"-"`
}

// AboutObject returns what names an object.
func AboutObject(o manifest.Object) About {
	return About{o.File.Name, o.Line, o.Kind, o.Namespace, o.Name, Short(o.String())}
}

// String returns the place and the name of the object, for the beginning of a line.
func (a About) String() string {
	return fmt.Sprintf("%s:%d: %s", OneLine(a.File), a.Line, OneLine(a.Title))
}

// Wrong returns an error about the object.
func (a About) Wrong(err error) *manifest.Error {
	return &manifest.Error{File: a.File, Line: a.Line, Column: 1, Message: a.Title + ": " + err.Error()}
}

// Where people find more about a remark.
const (
	AboutCommand = "https://pkg.go.dev/github.com/vmrules/vmrules/cmd/vmrules"
	AboutBounds  = "https://github.com/vmrules/vmrules/blob/main/docs/bounds.md"
	AboutChecks  = "https://github.com/vmrules/vmrules/blob/main/docs/checks.md#"
	AboutRules   = "https://pkg.go.dev/github.com/vmrules/vmrules#Rule"
)
