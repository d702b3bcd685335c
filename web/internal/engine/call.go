package engine

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/vmrules/vmrules"
)

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

// A call is an operation with its texts: annotations as they are, objects and settings as JSON. A
// setting that is a string is as it is, too.
type call struct {
	operation string
	engine    *Engine
	texts     map[string][]string

	// Why the result does not count: what is wrong with objects, or else the first of other errors.
	wrong, failed error
}

// newCall reads the header of a call: the operation, and in each other line a name and the length
// of a text in bytes. The texts follow one after the other. A name may appear several times.
func newCall(e *Engine, header, texts string) (*call, error) {
	operation, lines, _ := strings.Cut(header, "\n")
	c := &call{operation: operation, engine: e, texts: map[string][]string{}}
	for line := range strings.Lines(lines) {
		name, size, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		length, err := strconv.Atoi(size)
		if err != nil || length < 0 || length > len(texts) {
			return nil, fmt.Errorf("the text %q has %q bytes, but %d follow", name, size, len(texts))
		}
		c.texts[name] = append(c.texts[name], texts[:length])
		texts = texts[length:]
	}
	if root := Root(c.text("root")); root != RootTemplate && root != RootObject {
		return nil, fmt.Errorf("there is no root %q: use %q, or leave it out", root, RootObject)
	}
	switch version := Version(c.text("version")); version {
	case "", V201902, V201901, VDetected:
	default:
		return nil, fmt.Errorf("the format has no version %q: use %q, %q or %q", version, V201902, V201901, VDetected)
	}
	return c, nil
}

func (c *call) is(name string) bool { return c.text(name) == "true" }

func (c *call) text(name string) string {
	if list := c.texts[name]; len(list) > 0 {
		return list[0]
	}
	return ""
}

func (c *call) object(name string) map[string]any {
	if all := c.objects(name); len(all) > 0 {
		return all[0]
	}
	return nil
}

// fail keeps the first error, with what it is about. A result that is made nevertheless does not count.
func (c *call) fail(about string, err error) {
	if err != nil && about != "" {
		err = fmt.Errorf("%s: %w", about, err)
	}
	c.failed = cmp.Or(c.failed, err)
}

// objects returns the objects with a name; none after an error that is not about objects.
func (c *call) objects(name string) (all []map[string]any) {
	if c.failed != nil {
		return nil
	}
	for _, text := range c.texts[name] {
		object, err := parse(name, text)
		c.wrong = errors.Join(c.wrong, err)
		all = append(all, object)
	}
	return all
}

func parse(name, text string) (map[string]any, error) {
	object, err := vmrules.ParseObject([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return object, nil
}
