package engine

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/vmrules/vmrules"
)

// A store keeps what was read lately.
type store struct {
	read map[source]reading
	size int // of the texts
}

// A source is what rules are read from: an annotation, what a VM and a template have, or what a
// template alone has, which is found by its name.
type source struct{ options, from, text, template string }

// A reading is rules, with the name of the template that has them, or why they cannot be used.
type reading struct {
	vmrules.Template
	noObject error // a text that must be an object is none
	err      error
}

const (
	maxKept = 4 << 20   // bytes of texts
	maxHeap = 128 << 20 // bytes: a regex may take a thousand times the memory of its text
)

// keep keeps a reading. When there is no room, it forgets all others, which are then read again.
func (s *store) keep(from source, r reading) {
	if s.size += from.size(); s.read == nil || s.size > maxKept || heap() > maxHeap {
		s.read, s.size = map[source]reading{}, from.size()
	}
	s.read[from] = r
}

func (s source) size() int { return len(s.text) + len(s.template) }

func heap() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// read reads rules, or returns those that are kept.
func (c *call) read(from, text, template string) reading {
	key := source{c.readOptions(), from, text, template}
	read, ok := c.engine.kept.read[key]
	if !ok {
		key.text, key.template = strings.Clone(text), strings.Clone(template) // which are in the memory of the call
		read = key.read(c)
		c.engine.kept.keep(key, read)
	}
	return read
}

// readOptions returns what parseOptions depend on.
func (c *call) readOptions() string {
	return c.text("root") + " " + c.text("version") + " " + c.text("strict")
}

func (s source) read(c *call) (r reading) {
	if s.from == "annotation" {
		r.Rules, r.err = vmrules.ParseRules(s.text, c.parseOptions()...)
		return r
	}
	var vm, template map[string]any
	var err1, err2 error
	if s.text != "" {
		vm, err1 = parse("vm", s.text)
	}
	if s.template != "" {
		template, err2 = parse("template", s.template)
	}
	if r.noObject = errors.Join(err1, err2); r.noObject != nil {
		return r
	}
	r.Namespace, r.Name = nameIn(template, "namespace"), nameIn(template, "name")
	r.Rules, r.err = vmrules.RulesFor(vm, template, c.parseOptions()...)
	return r
}

func nameIn(object map[string]any, key string) string {
	metadata, _ := object["metadata"].(map[string]any)
	text, _ := metadata[key].(string)
	return text
}

// rules returns the rules that the call gives: those of an annotation, or for a VM and a template.
func (c *call) rules() vmrules.Rules {
	var r reading
	if texts := c.texts["annotation"]; texts != nil {
		r = c.read("annotation", texts[0], "")
	} else {
		r = c.read("objects", c.given("vm"), c.given("template"))
	}
	c.fail("", cmp.Or(r.noObject, r.err))
	return r.Rules
}

// given returns a text that is not "" if the call has it.
func (c *call) given(name string) string {
	if c.texts[name] == nil {
		return ""
	}
	return cmp.Or(c.text(name), " ")
}

func (c *call) parseOptions() []vmrules.ParseOption {
	var opts []vmrules.ParseOption
	if Root(c.text("root")) == RootObject {
		opts = append(opts, vmrules.WholeObjects())
	}
	switch Version(c.text("version")) {
	case VDetected:
		opts = append(opts, vmrules.DetectVersion())
	case V201901:
		opts = append(opts, vmrules.V201901())
	}
	if c.is("strict") {
		opts = append(opts, vmrules.Strict())
	}
	return opts
}

// lookUp returns a function that finds what VMs name among the templates of the call.
func (c *call) lookUp() func(vmrules.TemplateRef) (*vmrules.Template, error) {
	all := make([]reading, 0, len(c.texts["templates"]))
	for i, text := range c.texts["templates"] {
		r := c.read("objects", "", cmp.Or(text, " "))
		c.fail(fmt.Sprintf("templates[%d]", i), r.noObject)
		all = append(all, r)
	}
	return func(ref vmrules.TemplateRef) (*vmrules.Template, error) { return find(all, ref) }
}

// find returns the template that a VM names. One that does not say its namespace may be in any.
func find(all []reading, ref vmrules.TemplateRef) (*vmrules.Template, error) {
	var there, maybe []reading
	for _, r := range all {
		switch {
		case r.Name != ref.Name:
		case r.Namespace == cmp.Or(ref.Namespace, ref.VMNamespace):
			there = append(there, r)
		case r.Namespace == "" || ref.Namespace == "":
			maybe = append(maybe, r)
		}
	}
	if there == nil {
		there = maybe
	}
	if there == nil {
		return nil, nil
	}
	for _, other := range there[1:] {
		if there[0].err != nil || other.err != nil || !there[0].Rules.Equal(other.Rules) {
			return nil, fmt.Errorf("%d templates here have that name, and not the same rules", len(there))
		}
	}
	return &there[0].Template, there[0].err
}
