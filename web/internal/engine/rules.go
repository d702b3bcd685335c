package engine

import (
	"container/list"
	"runtime"
	"strings"

	"github.com/vmrules/vmrules"
)

// A cache keeps the rules that were used last, by a number. It is bounded, so that nobody has
// to release what it keeps: rules that are not kept any more are read again. Since a regex may
// take a thousand times the memory of its text, the whole heap is bounded, too.
type cache struct {
	last int
	used *list.List // of *kept, the last used first
	by   map[int]*list.Element
	of   map[string]*list.Element // by the keys of those that have one
	size int
}

type kept struct {
	Read
	key   string
	size  int
	rules vmrules.Rules
}

const (
	maxKept     = 64
	maxKeptText = 1 << 20   // bytes of annotations and templates
	ruleText    = 256       // bytes of the text of a rule
	maxHeap     = 128 << 20 // bytes
)

func newCache() *cache {
	return &cache{used: list.New(), by: map[int]*list.Element{}, of: map[string]*list.Element{}}
}

// add keeps rules, and returns their number, which is never 0. If there is a key, they can be found
// by it.
func (c *cache) add(rules vmrules.Rules, size int, key string) Read {
	c.last++
	c.size += size
	read := Read{c.last, rules.Len()}
	c.by[c.last] = c.used.PushFront(&kept{read, key, size, rules})
	if key != "" {
		c.of[key] = c.by[c.last]
	}
	limit := maxKept
	if heap() > maxHeap {
		limit = 1
	}
	for c.used.Len() > limit || c.size > maxKeptText && c.used.Len() > 1 {
		oldest := c.used.Remove(c.used.Back()).(*kept)
		c.size -= oldest.size
		delete(c.by, oldest.Rules)
		delete(c.of, oldest.key)
	}
	return read
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func (c *cache) find(number int) (vmrules.Rules, error) {
	element, ok := c.by[number]
	if !ok {
		return vmrules.Rules{}, errGone
	}
	c.used.MoveToFront(element)
	return element.Value.(*kept).rules, nil
}

// rules returns the rules that the request names.
func (c *call) rules() (vmrules.Rules, error) { return c.engine.read.find(c.number("rules")) }

func (c *call) parseOptions() []vmrules.ParseOption {
	var opts []vmrules.ParseOption
	if Root(c.text("root")) == RootObject {
		opts = append(opts, vmrules.WholeObjects())
	}
	switch version := Version(c.text("version")); version {
	case "":
	case VDetected:
		opts = append(opts, vmrules.DetectVersion())
	default:
		opts = append(opts, vmrules.WithVersion(vmrules.Version(version)))
	}
	if c.is("strict") {
		opts = append(opts, vmrules.Strict())
	}
	return opts
}

// Read is the answer to a request for rules.
type Read struct {
	Rules  int `json:"rules"` // their number, for other requests
	Length int `json:"length"`
}

func parseRules(c *call) (any, error) {
	text := strings.Clone(c.text("annotation")) // the rules would keep all texts of the call
	return c.keep(len(text), "")(vmrules.ParseRules(text, c.parseOptions()...))
}

func rulesFor(c *call) (any, error) {
	vm, err := c.object("vm")
	if err != nil {
		return nil, err
	}
	key := c.templateKey(vm)
	if known, ok := c.engine.read.of[key]; ok {
		c.engine.read.used.MoveToFront(known)
		return known.Value.(*kept).Read, nil
	}
	template, err := c.object("template")
	if err != nil {
		return nil, err
	}
	rules, err := vmrules.RulesFor(vm, template, c.parseOptions()...)
	return c.keep(len(key)+ruleText*rules.Len(), key)(rules, err)
}

// templateKey returns what stands for the rules of a VM if they are those of the template alone:
// many VMs have the same. Otherwise it returns "".
func (c *call) templateKey(vm map[string]any) string {
	template := c.text("template")
	from := vmrules.SourceOf(vm).From
	if template == "" || from != "" && from != vmrules.SourceTemplate {
		return ""
	}
	return strings.Join([]string{c.text("root"), c.text("version"), c.text("strict"), template}, " ")
}

func (c *call) keep(size int, key string) func(vmrules.Rules, error) (any, error) {
	return func(rules vmrules.Rules, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		return c.engine.read.add(rules, size, key), nil
	}
}

// rulesOf returns the rules as an annotation of the current version.
func rulesOf(c *call) (any, error) {
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	return rules, nil
}

// A TemplateName says which template a VM was made from.
type TemplateName struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

func templateOf(c *call) (any, error) {
	vm, err := c.object("vm")
	if err != nil {
		return nil, err
	}
	namespace, name, ok := vmrules.TemplateOf(vm)
	if !ok {
		return nil, nil
	}
	return TemplateName{namespace, name}, nil
}

func sourceOf(c *call) (any, error) {
	vm, err := c.object("vm")
	if err != nil {
		return nil, err
	}
	return vmrules.SourceOf(vm), nil
}
