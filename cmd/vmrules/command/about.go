package command

import (
	"fmt"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// An about says which object of a file a result is about.
type about struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`

	title string
}

func aboutObject(o manifest.Object) about {
	return about{o.File.Name, o.Line, o.Kind, o.Namespace, o.Name, short(o.String())}
}

// String returns the place and the name of the object, for the beginning of a line.
func (a about) String() string {
	return fmt.Sprintf("%s:%d: %s", oneLine(a.File), a.Line, oneLine(a.title))
}

// wrong returns an error about the object.
func (a about) wrong(err error) *manifest.Error {
	return &manifest.Error{File: a.File, Line: a.Line, Column: 1, Message: a.title + ": " + err.Error()}
}
