package jsontext

import "encoding/json"

// Size returns how many bytes a value takes in JSON, with a comma behind it. A value without a JSON
// form takes none, since writing it is an error.
func Size[E any](v *E) int {
	text, _ := json.Marshal(v)
	return len(text) + len(",")
}

// Room is how many bytes may still be written. Once something does not fit, no room is left,
// so that later items need not be measured.
type Room struct{ Left int }

// Takes reports whether there is room for that many bytes, and uses it.
func (r *Room) Takes(bytes int) bool {
	if bytes > r.Left {
		r.Left = 0
		return false
	}
	r.Left -= bytes
	return true
}

// Fit returns the items of a list that fit, and always the decisive one, if it is not -1; and how many do not fit.
func Fit[E any](r *Room, list []E, decisive int, size func(*E) int) (kept []E, omitted int) {
	if decisive >= 0 {
		r.Takes(min(size(&list[decisive]), r.Left))
	}
	kept = []E{}
	for i := range list {
		if i == decisive || r.Left > 0 && r.Takes(size(&list[i])) {
			kept = append(kept, list[i])
		}
	}
	return kept, len(list) - len(kept)
}
