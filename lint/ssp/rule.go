package ssp

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/value"
)

// A rule is one of an annotation, as encoding/json reads it for the validator: keys in any letter
// case, and the last of several counts.
type rule struct {
	Kind        string     `json:"rule"`
	Name        string     `json:"name"`
	Path        path       `json:"path"`
	Message     string     `json:"message"`
	Valid       *path      `json:"valid"`
	JustWarning bool       `json:"justWarning"`
	Values      []argument `json:"values"`
	Min         *bound     `json:"min"`
	Max         *bound     `json:"max"`
	MinLength   *bound     `json:"minLength"`
	MaxLength   *bound     `json:"maxLength"`
	Regex       string     `json:"regex"`
}

// A path is a path of a rule. It has no steps if the key is missing.
type path struct {
	written string
	steps   []step
}

func (p *path) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &p.written); err != nil {
		return err
	}
	steps, err := readPath(p.written)
	if err != nil {
		return fmt.Errorf("the path %s cannot be read: %w", value.Shortened(p.written), err)
	}
	p.steps = steps
	return nil
}

// A bound is a number, rounded to an integer, or a path.
type bound struct {
	number int64
	from   *path
}

func (b *bound) UnmarshalJSON(text []byte) error {
	var number float64
	if json.Unmarshal(text, &number) == nil {
		*b = bound{number: int64(math.Round(number))}
		return nil
	}
	*b = bound{}
	if err := json.Unmarshal(text, &b.from); err != nil {
		return fmt.Errorf("a bound is %s, which is neither a number nor a path: %w", value.Shortened(string(text)), err)
	}
	return nil
}

// An argument is one of values: a text or a path.
type argument struct {
	text string
	from *path
}

func (a *argument) UnmarshalJSON(text []byte) error {
	*a = argument{}
	if err := json.Unmarshal(text, &a.text); err != nil {
		return fmt.Errorf("an item of values is %s, which is not a string", value.Shortened(string(text)))
	}
	if !strings.HasPrefix(a.text, jsonpath.Prefix) {
		return nil
	}
	return json.Unmarshal(text, &a.from)
}
