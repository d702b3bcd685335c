package quantity

import (
	"strconv"
	"strings"
)

// maxMeant is how long a text may be of which Meant says what it means.
const maxMeant = 30

// Meant returns the quantities that a text such as "2 GB", "2gi" or "0x80" may mean, the likelier one
// first; nil if there is none.
func Meant(text string) []string {
	if len(text) > maxMeant {
		return nil
	}
	text = strings.Join(strings.Fields(text), "")
	if _, err := Parse(text); err == nil {
		return []string{text}
	}
	upper := strings.ToUpper(text)
	if digits, isHex := strings.CutPrefix(upper, "0X"); isHex {
		n, err := strconv.ParseUint(digits, 16, 64)
		if err != nil {
			return nil
		}
		return []string{strconv.FormatUint(n, 10)}
	}
	number := strings.TrimRight(upper, "KMGTPEIB")
	unit := upper[len(number):]
	if unit == "" || !strings.Contains("KMGTPE", unit[:1]) {
		return nil
	}
	binary, decimal := number+unit[:1]+"i", number+strings.Replace(unit[:1], "K", "k", 1)
	if _, err := Parse(binary); err != nil {
		return nil
	}
	switch unit[1:] {
	case "I", "IB":
		return []string{binary}
	case "", "B":
		return []string{binary, decimal}
	}
	return nil
}
