// Package jsontext reads JSON that people write by hand. It keeps the place of every value
// in the text. If the text is not JSON, it says what to change.
//
// Read returns the value of a text as a tree of Nodes. A Node has the offsets of its start
// and end, a number with every digit as it was written, and all members of an object in the
// order of the text, including those with a duplicate key.
//
// An Error has an offset and a message for people. There are two sorts:
//
//   - The text is not JSON (RFC 8259), not UTF-8, or beyond a limit. Nothing after that
//     place is read, and Read returns one Error and no Node.
//   - An object has a duplicate key, or a string contains half of a surrogate pair. Decoders
//     ignore these silently, so that the value is not what its author sees. The rest remains
//     readable: Read returns all such Errors together with the Node.
//
// A decoder reports where it fails, which is often after the mistake. Read looks for the
// mistakes that people make: typographic, single or no quotes, comments, a byte order mark, other
// blanks than those of JSON, YAML, words of Python, expressions of templates, units, a missing comma
// or bracket or one too many, a lone backslash, a line end in a string. It says what the mistake is,
// where it is, and how to correct it.
//
// The text may be hostile. The Format limits the depth and the number of items. Read pays
// from a meter for each value and each Error before it creates them. It never panics, and
// takes time in proportion to the text.
//
// [Marshal] writes JSON for people. [Fit] returns as much of a list as fits into a size that its JSON may
// have.
package jsontext
