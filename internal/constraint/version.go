package constraint

// PresentKey returns the present key of an argument that version 201901-1 called otherwise; ""
// for any other key.
func PresentKey(key string) string {
	for _, a := range Arguments {
		if a.OldName == key && key != "" {
			return a.Key
		}
	}
	return ""
}
