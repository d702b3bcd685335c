package jsontext

// A Cursor counts lines and columns on its way through a text. Both begin at 1; a column is
// a code point.
type Cursor struct {
	text                 string
	offset, line, column int
}

// NewCursor returns a Cursor at the beginning of a text.
func NewCursor(text string) Cursor { return Cursor{text: text, line: 1, column: 1} }

// MoveTo moves on to an offset in bytes, which must not be before the last one or
// beyond the text, and returns its line and column.
func (c *Cursor) MoveTo(offset int) (line, column int) {
	for _, r := range c.text[c.offset:offset] {
		c.column++
		if r == '\n' {
			c.line, c.column = c.line+1, 1
		}
	}
	c.offset = offset
	return c.line, c.column
}
