package jsontext

import (
	"encoding/json"
	"strings"
)

// scanToken returns the token at the beginning of text and its length, which is 0 if there
// is no token. It uses encoding/json for escapes and numbers.
func scanToken(text string) (any, int) {
	switch {
	case text == "":
		return nil, 0
	case text[0] == '[' || text[0] == '{':
		return json.Delim(text[0]), 1
	case text[0] == '"':
		s, length := scanString(text)
		return s, length
	}
	end := strings.IndexAny(text, " \t\r\n,:;[]{}\"")
	if end < 0 {
		end = len(text)
	}
	switch word := text[:end]; {
	case word == "null":
		return nil, end
	case word == "true" || word == "false":
		return word == "true", end
	case json.Valid([]byte(word)): // only a number is left
		return json.Number(word), end
	}
	return nil, 0
}

// scanString does the same for a string.
func scanString(text string) (string, int) {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ':
			return "", 0
		case c == '"':
			return text[1:i], i + 1
		case c == '\\':
			return scanEscaped(text)
		}
	}
	return "", 0
}

// scanEscaped does the same for a string that has escapes.
func scanEscaped(text string) (string, int) {
	end := 1
	for end < len(text) && text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(text) {
		return "", 0
	}
	var s string
	if json.Unmarshal([]byte(text[:end+1]), &s) != nil {
		return "", 0
	}
	return s, end + 1
}
