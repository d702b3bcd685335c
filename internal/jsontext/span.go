package jsontext

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// EndOf returns the end of the value, key or word that begins at an offset of a text, which may
// not be JSON. It returns the end of the next character if none of these begins there, and the
// offset itself before a blank and at the end of the text.
func EndOf(text string, start int) int {
	if start == len(text) || isBlank(text[start]) {
		return start
	}
	depth := 0
	for end := start; end < len(text); {
		switch text[end] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		end += wordLength(text[end:])
		if depth <= 0 {
			return end
		}
	}
	return start + 1 // a bracket that is never closed
}

// TokenAround returns the beginning and the end of the string, word or other character that
// holds an offset of a JSON text.
func TokenAround(text string, at int) (start, end int) {
	for end = wordLength(text); end <= at && end < len(text); {
		start, end = end, end+wordLength(text[end:])
	}
	return start, end
}

// wordLength returns the length of the string, word or other character that begins a text.
func wordLength(text string) int {
	if strings.HasPrefix(text, `"`) {
		if _, length := scanString(text); length > 0 {
			return length
		}
	}
	switch end := strings.IndexAny(text, " \t\r\n,:[]{}\""); end {
	case -1:
		return len(text)
	case 0:
		return 1
	default:
		return end
	}
}

// Inside returns the offset in a JSON text of a byte of the string that begins at start.
func Inside(text string, start, at int) int {
	start += len(`"`)
	for at > 0 && text[start] != '"' {
		written, meant := 1, 1
		if text[start] == '\\' {
			written, meant = escape(text[start:])
		}
		start, at = start+written, at-meant
	}
	return start
}

// escape returns the lengths of the escape that begins a text, and of the character that it stands for.
func escape(text string) (written, meant int) {
	if text[1] != 'u' {
		return len(`\n`), 1
	}
	first := codeUnit(text)
	if utf16.DecodeRune(first, codeUnit(text[len(`\u0000`):])) != utf8.RuneError {
		return len(`\u0000\u0000`), utf8.UTFMax
	}
	return len(`\u0000`), len(string(first)) // of half a pair, which is read as U+FFFD
}

// codeUnit returns the code unit of the escape that begins a text; -1 if there is none.
func codeUnit(text string) rune {
	if !strings.HasPrefix(text, `\u`) || len(text) < len(`\u0000`) {
		return -1
	}
	unit, err := strconv.ParseUint(text[len(`\u`):len(`\u0000`)], 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
