package manifest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// generator is a part of OpenShift's expressions that stands for some
// characters: [a-z0-9]{16}, [\w]{8}.
var generator = regexp.MustCompile(`\[([a-zA-Z0-9\-\\]+)\]\{([0-9]+)\}`)

// maxPart is how many characters a part may stand for, and how many may be in its
// brackets; maxGenerated is how many bytes a value may have.
const (
	maxPart      = 255
	maxGenerated = 10_000
)

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	symbols = "~!@#$%^&*()-_+={}[]\\|<,>.?/\"';:`"
)

// classes are the short names for characters in a part.
var classes = map[byte]string{'w': letters + digits + "_", 'd': digits, 'a': letters + digits, 'A': symbols}

// generated makes up a value that fits the expression. It follows from the
// parameter alone, so that what comes out of a check does not change by itself.
func (p Parameter) generated() (string, error) {
	if p.generate != "expression" {
		return "", fmt.Errorf("parameter %s: nothing is known to generate %q: write expression", p.Name, p.generate)
	}
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s=%s", p.Name, p.from)
	random := rand.New(rand.NewPCG(hash.Sum64(), 0))
	if len(p.from) > maxGenerated {
		return "", fmt.Errorf("parameter %s: its expression has more than %d characters", p.Name, maxGenerated)
	}
	length := 0
	var wrong error
	value := generator.ReplaceAllStringFunc(p.from, func(part string) string {
		found := generator.FindStringSubmatch(part)
		characters, err := alphabet(found[1])
		n, tooMany := strconv.Atoi(found[2])
		if err == nil && (tooMany != nil || n < 1 || n > maxPart) {
			err = fmt.Errorf("%s stands for 1 to %d characters", part, maxPart)
		}
		if length += n; err == nil && length > maxGenerated {
			err = fmt.Errorf("its expression stands for more than %d characters", maxGenerated)
		}
		if err != nil {
			wrong = fmt.Errorf("parameter %s: %w", p.Name, err)
			return part
		}
		var s strings.Builder
		for range n {
			s.WriteByte(characters[random.IntN(len(characters))])
		}
		return s.String()
	})
	return value, wrong
}

// alphabet is what is between brackets, written out.
func alphabet(written string) (string, error) {
	if len(written) > maxPart {
		return "", fmt.Errorf("[%.20s…] has more than %d characters in its brackets", written, maxPart)
	}
	var all strings.Builder
	for i := 0; i < len(written); i++ {
		c := written[i]
		switch {
		case c == '\\' && i+1 < len(written) && classes[written[i+1]] != "":
			i++
			all.WriteString(classes[written[i]])
		case c == '\\':
			return "", fmt.Errorf(`[%s] has a backslash that is not \w, \d, \a or \A`, written)
		case i+2 < len(written) && written[i+1] == '-':
			if written[i+2] < c {
				return "", fmt.Errorf("[%s] has a range that ends before it begins", written)
			}
			for ; c <= written[i+2]; c++ {
				all.WriteByte(c)
			}
			i += 2
		default:
			all.WriteByte(c)
		}
	}
	return all.String(), nil
}
