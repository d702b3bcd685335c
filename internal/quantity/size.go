package quantity

import (
	"strconv"
	"strings"
)

// units are those in which people say sizes. A size is said in the first that is no larger, of which it has fewer
// than most, and in which it needs at most two decimal places.
var units = []struct {
	size, most int64
	name       string
}{
	{1 << 50, 10240, " PiB"}, {1 << 40, 10240, " TiB"}, {1 << 30, 10240, " GiB"}, {1 << 20, 10240, " MiB"}, {1 << 10, 10240, " KiB"},
	{1e15, 10000, " PB"}, {1e12, 10000, " TB"}, {1e9, 10000, " GB"}, {1e6, 10000, " MB"}, {1e3, 10000, " kB"},
	{1, 1 << 62, " B"},
}

// AppendSize appends n as people say a size in bytes, such as "1.5 GiB"; false if n is no number of bytes. It
// does not round.
func (n Number) AppendSize(b []byte) ([]byte, bool) {
	bytes, ok := n.Int64()
	if !ok || bytes < 0 {
		return b, false
	}
	unit := units[len(units)-1]
	for _, u := range units {
		if whole := bytes / u.size; 1 <= whole && whole < u.most && bytes%u.size*100%u.size == 0 {
			unit = u
			break
		}
	}
	b = strconv.AppendInt(b, bytes/unit.size, 10)
	if decimals := bytes % unit.size * 100 / unit.size; decimals > 0 {
		b = append(b, '.', byte('0'+decimals/10))
		if decimals%10 > 0 {
			b = append(b, byte('0'+decimals%10))
		}
	}
	return append(b, unit.name...), true
}

// IsSize reports whether the text of a quantity says a size: it has a suffix of at least a thousand.
func IsSize(text string) bool {
	return strings.HasSuffix(text, "i") || text != "" && strings.IndexByte("kMGTPE", text[len(text)-1]) >= 0
}
