// Package celprice has the prices of compiling CEL with Kubernetes' code, in the units of a
// vmrules.Budget: work is about a nanosecond, size a byte that is kept. They were measured and
// rounded up.
package celprice

const (
	ProgramWork, ProgramSize = 250_000, 24_000 // each expression without declared types
	TokenWork, TokenSize     = 15_000, 200     // each token of an expression

	ValidatorWork, ValidatorSize = 1_500_000, 60_000 // each schema that has rules of x-kubernetes-validations
	RuleWork, RuleSize           = 400_000, 16_000   // each rule of x-kubernetes-validations
	RuleTokenWork                = 25_000            // each of its tokens: it is compiled several times
)

// Tokens returns roughly the number of tokens of an expression. The time to compile it
// depends on that more than on its length.
func Tokens(expression string) int {
	n, inName := 0, false
	var quote rune
	for _, c := range expression {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '"', c == '\'':
			quote = c
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_':
			if inName {
				continue
			}
			inName = true
			n++
			continue
		case c == ' ':
			inName = false
			continue
		}
		inName = false
		n++
	}
	return n + len(expression)/50
}
