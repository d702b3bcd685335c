package form

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// generator matches a part of an OpenShift expression that is replaced with random characters,
// such as [a-z0-9]{16} or [\w]{8}.
var generator = regexp.MustCompile(`\[([a-zA-Z0-9\-\\]+)\]\{([0-9]+)\}`)

const (
	maxPart      = 255    // characters that a part may be replaced with, or have in its brackets
	maxGenerated = 10_000 // characters of an expression, or of all parts that are replaced
)

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	symbols = "~!@#$%^&*()-_+={}[]\\|<,>.?/\"';:`"
)

// classes holds the characters of each escape, by the letter behind the backslash.
var classes = map[byte]string{'w': letters + digits + "_", 'd': digits, 'a': letters + digits, 'A': symbols}

// generated returns a value that matches the parameter's expression. The value depends on the
// parameter alone, so that repeated checks of a template agree.
func (p Parameter) generated() (string, error) {
	if p.Generate != "expression" {
		return "", fmt.Errorf("parameter %s: the generator %q is not known: write expression", p.Name, p.Generate)
	}
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s=%s", p.Name, p.From)
	random := rand.New(rand.NewPCG(hash.Sum64(), 0))
	if len(p.From) > maxGenerated {
		return "", fmt.Errorf("parameter %s: its expression has more than %d characters: write a shorter one", p.Name, maxGenerated)
	}
	length := 0
	var wrong error
	value := generator.ReplaceAllStringFunc(p.From, func(part string) string {
		found := generator.FindStringSubmatch(part)
		characters, err := alphabet(found[1])
		n, tooMany := strconv.Atoi(found[2])
		if err == nil && (tooMany != nil || n < 1 || n > maxPart) {
			err = fmt.Errorf("the length in %s is out of range: write a length from 1 to %d", part, maxPart)
		}
		if length += n; err == nil && length > maxGenerated {
			err = fmt.Errorf("its expression generates more than %d characters: write smaller lengths", maxGenerated)
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

// alphabet returns all characters that the text between two brackets allows.
func alphabet(written string) (string, error) {
	if len(written) > maxPart {
		return "", fmt.Errorf("[%.20s…] has more than %d characters in its brackets: write ranges, such as a-z", written, maxPart)
	}
	var all strings.Builder
	for i := 0; i < len(written); i++ {
		c := written[i]
		switch {
		case c == '\\' && i+1 < len(written) && classes[written[i+1]] != "":
			i++
			all.WriteString(classes[written[i]])
		case c == '\\':
			return "", fmt.Errorf(`[%s] has a backslash that does not begin \w, \d, \a or \A: write one of these`, written)
		case i+2 < len(written) && written[i+1] == '-':
			if written[i+2] < c {
				return "", fmt.Errorf("[%s] has a range that ends before it begins: write %c-%c", written, written[i+2], c)
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
