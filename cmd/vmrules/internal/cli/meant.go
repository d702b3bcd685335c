package cli

import (
	"github.com/spf13/cobra"
)

// Meant asks whether a word is one of some names, misspelt; "" if it is near none of them.
func Meant(word string, names []string) string {
	all := &cobra.Command{}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for all.SuggestionsMinimumDistance < min(2, len(word)/3) {
		all.SuggestionsMinimumDistance++
		if near := all.SuggestionsFor(word); len(near) > 0 {
			return "; did you mean " + near[0] + "?"
		}
	}
	return ""
}
