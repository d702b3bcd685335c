package vmrules

import (
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/door"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/meter"
)

// Internal is for the packages of this module: only they have the key that it asks for.
var Internal internal

type internal struct{}

// Open returns what this package shares with the others of its module.
func (internal) Open(key *door.Key) insides {
	if key != door.Opened {
		panic("vmrules: only the packages of this module may open it")
	}
	return insides{}
}

type insides struct{}

// Parsed returns a path as it was read.
func (insides) Parsed(p Path) *jsonpath.Path { return p.parsed }

// Option returns an option of another package, for functions that take ParseOptions.
func (insides) Option(v any) ParseOption {
	return parseOption(func(o *parseOptions) { o.others = append(o.others, v) })
}

// Options returns the Budget among options, and those of other packages.
func (insides) Options(opts []ParseOption) (limits Budget, others []any) {
	o := parseOptionsOf(opts)
	return o.limits, o.others
}

// A readRule is a rule without problems, with its place in the annotation.
type readRule struct {
	Rule
	Index   int
	Node    jsontext.Node
	Literal constraint.Set // from its kind, and the arguments that are literals
}

// Read reads an annotation. It returns the rules that can be used, also if others cannot, and all
// problems, with those that only Strict finds. Unless Strict is among the options, these are paid
// from a budget of their own, and do not count.
func (insides) Read(text string, opts []ParseOption, unstrict *meter.Budget) (usable []readRule, problems, strict []Problem) {
	o := parseOptionsOf(opts)
	o.unstrict = unstrict
	rules, nodes, all := readRules(text, o)
	isWrong := map[int]bool{}
	for _, p := range all {
		isWrong[p.Index] = isWrong[p.Index] || !isOfStrict(p.Code)
		if isOfStrict(p.Code) && !o.strict {
			strict = append(strict, p)
		} else {
			problems = append(problems, p)
		}
	}
	for i := range rules {
		if r := &rules[i]; !isWrong[i] && !isWrong[-1] {
			usable = append(usable, readRule{r.Rule.clone(), i, nodes[i], r.literal})
		}
	}
	return usable, problems, strict
}
