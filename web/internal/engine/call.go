package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules"
)

// A request holds the settings of all operations. Each uses some of them.
type request struct {
	Texts []string `json:"texts"` // the names of the call's texts; one may appear several times

	// For reading rules.
	Strict  bool            `json:"strict"`
	Version vmrules.Version `json:"version"`
	Root    vmrules.Root    `json:"root"`
	Profile string          `json:"profile"`

	// For judging by rules that have been read.
	Rules      int                        `json:"rules"`
	Index      int                        `json:"index"`
	Partial    bool                       `json:"partial"`
	Ratcheting bool                       `json:"ratcheting"`
	Defaults   map[string]json.RawMessage `json:"defaults"`
}

// A call is a request with its texts.
type call struct {
	request
	engine *Engine
	texts  map[string][]string
}

func newCall(e *Engine, text string, texts []string) (*call, error) {
	c := &call{engine: e, texts: map[string][]string{}}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields() // an option that is misspelt
	if err := decoder.Decode(&c.request); err != nil {
		return nil, fmt.Errorf("the options cannot be used: %w", err)
	}
	if len(texts) != len(c.Texts) {
		return nil, fmt.Errorf("the request names %d texts, but has %d", len(c.Texts), len(texts))
	}
	length := len(text)
	for i, t := range texts {
		length += len(t)
		c.texts[c.Texts[i]] = append(c.texts[c.Texts[i]], t)
	}
	if length > maxText {
		return nil, fmt.Errorf("the call has %d bytes of JSON: there may be at most %d", length, maxText)
	}
	return c, nil
}

// text returns the text with a name; "" if there is none.
func (c *call) text(name string) string {
	if list := c.texts[name]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// object returns the object with a name; nil if there is none.
func (c *call) object(name string) (map[string]any, error) {
	all, err := c.objects(name)
	if len(all) == 0 {
		return nil, err
	}
	return all[0], err
}

func (c *call) objects(name string) ([]map[string]any, error) {
	var all []map[string]any
	for _, text := range c.texts[name] {
		object, err := vmrules.ParseObject([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, object)
	}
	return all, nil
}

// A reader reads several objects of a call, and keeps the first error.
type reader struct {
	*call
	err error
}

func (r *reader) object(name string) map[string]any {
	object, err := r.call.object(name)
	r.err = errors.Join(r.err, err)
	return object
}
