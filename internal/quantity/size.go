package quantity

import (
	"fmt"
	"strings"
)

// units are those in which people say sizes, and their bases. A size is said in the first that needs at most two
// decimal places.
var units = []struct {
	base  int64
	names []string
}{
	{1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB"}},
	{1000, []string{"kB", "MB", "GB", "TB", "PB"}},
}

// Size returns n as people say a size in bytes, such as "1.5 GiB"; false if n is no number of bytes. It does not
// round.
func (n Number) Size() (string, bool) {
	bytes, ok := n.Int64()
	if !ok || bytes < 0 {
		return "", false
	}
	for _, of := range units {
		unit := of.base
		for range len(of.names) - 1 {
			unit *= of.base
		}
		for i := len(of.names) - 1; i >= 0; i, unit = i-1, unit/of.base {
			whole, rest := bytes/unit, bytes%unit
			if 1 <= whole && whole < 10*of.base && rest*100%unit == 0 {
				decimals := strings.TrimRight(fmt.Sprintf(".%02d", rest*100/unit), ".0")
				return fmt.Sprintf("%d%s %s", whole, decimals, of.names[i]), true
			}
		}
	}
	return fmt.Sprintf("%d B", bytes), true
}

// IsSize reports whether the text of a quantity says a size: it has a suffix of at least a thousand.
func IsSize(text string) bool {
	return strings.HasSuffix(text, "i") || text != "" && strings.Contains("kMGTPE", text[len(text)-1:])
}
