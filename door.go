package vmrules

import (
	"github.com/vmrules/vmrules/internal/door"
	"github.com/vmrules/vmrules/internal/jsonpath"
)

// Internal is for the packages of this module: only they have the key that it asks for.
var Internal internal

type internal struct{}

// Open returns what this package shares with the others of its module.
func (internal) Open(key *door.Key) insides {
	if key != door.Opened {
		panic("vmrules: only the packages of this module may open it")
	}
	return insides{}
}

type insides struct{}

// Parsed returns a path as it was read.
func (insides) Parsed(p Path) *jsonpath.Path { return p.parsed }
