// Package jsontext reads JSON as people write it by hand: it keeps the place of
// every value in the text, and where the text is not JSON it says what to change.
//
// Read returns the value that a text holds as a tree of Nodes. A Node has the
// offsets at which it starts and ends, its number with every digit as written, and
// all members of an object, in the order of the text, also those whose key is
// there twice.
//
// An Error has an offset and a sentence for people. There are two sorts:
//
//   - The text is not JSON (RFC 8259), not UTF-8, or beyond a limit. Nothing after
//     that place is read, no Node is returned, and there is one Error.
//   - A key is given twice in one object, or a string holds half of a surrogate
//     pair. Decoders pass over these without a word, so that the value is not what
//     its author sees. They leave the rest readable: all of them are returned
//     together, beside the Node.
//
// A decoder reports where it stumbles, which is often behind the mistake. Read
// looks for what people do write: typographic or single quotes, comments, a byte
// order mark, YAML, a comma too many or too few, a lone backslash, a line end in a
// string. It names that, its place, and the cure.
//
// The text may be hostile. Read is bounded by the depth and the number of items
// that the Format allows, and pays from a meter for each value and each Error
// before it makes them. It never panics, and takes time in proportion to the text.
//
// [Marshal] writes JSON for people. [TextsSize] and [ValueSize] return beforehand how long
// JSON is that encoding/json writes.
package jsontext
