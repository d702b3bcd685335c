package quantity

import (
	"regexp"
	"strconv"
	"strings"
)

// maxMeant is how long a text may be of which Meant says what it means.
const maxMeant = 30

// inGroups matches a number whose digits are in groups of three.
var inGroups = regexp.MustCompile(`^[0-9]{1,3}(?:(?:[,_'][0-9]{3})+|(?:\.[0-9]{3}){2,})$`)

// Meant returns the quantities that a text such as "2 GB", "2gi" or "0x80" may mean, the likelier one
// first; nil if there is none.
func Meant(text string) []string {
	if len(text) > maxMeant {
		return nil
	}
	text = strings.Join(strings.Fields(text), "")
	if inGroups.MatchString(text) {
		text = strings.NewReplacer(",", "", "_", "", "'", "", ".", "").Replace(text)
	}
	if _, err := Parse(text); err == nil {
		return []string{text}
	}
	upper := strings.ToUpper(text)
	if n, err := strconv.ParseUint(text, 0, 64); err == nil && strings.HasPrefix(upper, "0X") {
		return []string{strconv.FormatUint(n, 10)}
	}
	short, isBinary := strings.CutSuffix(strings.TrimSuffix(upper, "B"), "I")
	binary := short + "i"
	if _, err := Parse(binary); err != nil {
		return nil
	}
	if isBinary {
		return []string{binary}
	}
	return []string{binary, strings.Replace(short, "K", "k", 1)}
}
