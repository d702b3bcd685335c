package vmrules

import (
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/vmrules/vmrules/internal/conformance"
	"github.com/vmrules/vmrules/internal/racetest"
)

// A vector is one case of testdata/conformance.
type vector struct{ conformance.Vector }

func readVectors(t testing.TB) map[string][]vector {
	t.Helper()
	all := map[string][]vector{}
	for file, vectors := range conformance.Read(t, "testdata/conformance") {
		for _, v := range vectors {
			all[file] = append(all[file], vector{v})
		}
	}
	return all
}

// A judgedVector is a vector of Validate with its rules.
type judgedVector struct {
	vector
	rules Rules
}

// judgedVectors yields the vectors of Validate whose rules can be read, by their file and name.
func judgedVectors(t testing.TB) iter.Seq2[string, judgedVector] {
	return func(yield func(string, judgedVector) bool) {
		for file, vectors := range readVectors(t) {
			for _, v := range vectors {
				if v.Call != "" && v.Call != "validate" {
					continue
				}
				rules, err := ParseRules(v.Text(t), v.parseOptions()...)
				if err == nil && !yield(file+"/"+v.Name, judgedVector{v, rules}) {
					return
				}
			}
		}
	}
}

func (v vector) parseOptions() []ParseOption {
	var opts []ParseOption
	if v.Version != "" {
		opts = append(opts, WithVersion(Version(v.Version)))
	}
	if v.Options.Strict {
		opts = append(opts, Strict())
	}
	if v.Options.Root == "object" {
		opts = append(opts, WholeObjects())
	}
	return opts
}

func (v vector) validateOptions(t testing.TB, decode func(json.RawMessage) map[string]any) []ValidateOption {
	opts := []ValidateOption{withTime}
	if v.Options.Partial {
		opts = append(opts, Partial())
	}
	if v.Options.Ratcheting {
		opts = append(opts, Ratcheting())
	}
	if v.Old != nil {
		opts = append(opts, WithOldObject(decode(v.Old)))
	}
	if v.Instancetype != nil || v.Preference != nil {
		opts = append(opts, WithInstancetype(decode(v.Instancetype), decode(v.Preference)))
	}
	if v.Cluster != nil {
		opts = append(opts, WithInstancetypes(v.Find(decode)))
	}
	for path, value := range v.Options.Defaults {
		opts = append(opts, defaultOf(t, path, value))
	}
	return opts
}

// withTime lets a regex that backtracks match on a machine that is busy.
var withTime = WithBudget(Budget{Backtracking: time.Minute})

// run makes the call of the vector, with objects from this decoder.
func (v vector) run(t testing.TB, decode func(json.RawMessage) map[string]any) (*Report, error) {
	object := decode(v.Object)
	switch v.Call {
	case "", "validate":
		rules, err := ParseRules(v.Text(t), v.parseOptions()...)
		if err != nil {
			return nil, err
		}
		return Validate(rules, object, v.validateOptions(t, decode)...), nil
	case "rulesFor":
		rules, err := RulesFor(object, decode(v.Template), v.parseOptions()...)
		if err != nil {
			return nil, err
		}
		return Validate(rules, object, v.validateOptions(t, decode)...), nil
	case "validateOwn":
		return ValidateOwn(object, v.validateOptions(t, decode)...)
	}
	t.Fatalf("unknown call %q", v.Call)
	return nil, nil
}

func TestConformance(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				conformance.Run(t, v.Vector,
					func(decode func(json.RawMessage) map[string]any) (*Report, error) { return v.run(t, decode) })
			})
		}
	}
}

var decodeExactly, decodeOddly = conformance.DecodeExactly, conformance.DecodeOddly

type (
	namedString string
	namedMap    map[namedString]any
	namedList   []any

	resourceQuantity struct{ text string } // has MarshalJSON, as resource.Quantity does
	broken           struct{}              // has a MarshalJSON that fails
	point            struct{ X int }
)

func (q resourceQuantity) MarshalJSON() ([]byte, error) { return json.Marshal(q.text) }
func (broken) MarshalJSON() ([]byte, error)             { return nil, errors.New("no") }

func pointerTo[T any](v T) *T { return &v }
