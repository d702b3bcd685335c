package jsontext

import "fmt"

// An Error is something that is wrong with a text.
type Error struct {
	Offset  int // bytes
	Kind    ErrorKind
	Item    int    // the index in the outermost array; -1 outside of it, or if the text cannot be read
	Key     string // the key in that item; "" outside its members
	Message string // what is wrong, and what would be right
}

// Error returns the message.
func (e Error) Error() string { return e.Message }

// An ErrorKind says what an Error is about.
type ErrorKind uint8

// The kinds of Errors.
const (
	Invalid   ErrorKind = iota // not JSON, not Unicode, or beyond a limit of the Format
	Duplicate                  // a duplicate key of an object
	TooCostly                  // the meter refused; the message comes from the meter
)

// flaw records an Error that leaves the rest of the text readable.
func (r *reader) flaw(offset int, kind ErrorKind, format string, args ...any) {
	if r.meter.Spend(errorWork, errorSize) != nil {
		return // the meter is empty, so that the next token stops the reader
	}
	r.errors = append(r.errors, Error{offset, kind, r.item, r.itemKey, fmt.Sprintf(format, args...)})
}

// stop records an Error that makes the text unreadable. It replaces all other Errors.
func (r *reader) stop(offset int, kind ErrorKind, format string, args ...any) {
	r.stopped = true
	r.errors = []Error{{Offset: offset, Kind: kind, Item: -1, Message: fmt.Sprintf(format, args...)}}
}
