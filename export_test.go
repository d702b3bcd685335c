package vmrules

// SettablePaths returns the paths of the fields that others may set.
func SettablePaths() []string {
	var all []string
	for _, s := range settableFields {
		all = append(all, s.Path)
	}
	return all
}
