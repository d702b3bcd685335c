package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules"
)

// A header holds the settings of all operations. Each uses some of them.
type header struct {
	Operation string `json:"operation"`
	// Texts are the texts of the call in their order. A name may appear several times.
	Texts []struct {
		Name   string `json:"name"`
		Length int    `json:"length"` // in bytes
	} `json:"texts"`

	// For reading rules.
	Strict  bool    `json:"strict"`
	Version Version `json:"version"`
	Root    Root    `json:"root"`
	Profile string  `json:"profile"`

	Format string `json:"format"` // for one value

	// For judging by rules that have been read.
	Rules      int                        `json:"rules"`
	Index      int                        `json:"index"`
	Partial    bool                       `json:"partial"`
	Ratcheting bool                       `json:"ratcheting"`
	Defaults   map[string]json.RawMessage `json:"defaults"`
}

// A Version is a version of the annotation format, or says that the annotation shows it.
type Version string

const (
	V201902   Version = "201902-2"
	V201901   Version = "201901-1"
	VDetected Version = "detected"
)

// A Root is what rules call $: the spec.template of a VM, or the whole object.
type Root string

const (
	RootTemplate Root = ""
	RootObject   Root = "object"
)

// A call is a header with its texts.
type call struct {
	header
	engine *Engine
	texts  map[string][]string
}

func newCall(e *Engine, header, texts string) (*call, error) {
	c := &call{engine: e, texts: map[string][]string{}}
	decoder := json.NewDecoder(strings.NewReader(header))
	decoder.DisallowUnknownFields() // an option that is misspelt
	if err := decoder.Decode(&c.header); err != nil {
		return nil, fmt.Errorf("the options cannot be used: %w", err)
	}
	if c.Root != RootTemplate && c.Root != RootObject {
		return nil, fmt.Errorf("there is no root %q: use %q, or leave it out", c.Root, RootObject)
	}
	for _, t := range c.Texts {
		if t.Length < 0 || t.Length > len(texts) {
			return nil, fmt.Errorf("the text %q has %d bytes, but %d follow", t.Name, t.Length, len(texts))
		}
		c.texts[t.Name] = append(c.texts[t.Name], texts[:t.Length])
		texts = texts[t.Length:]
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
