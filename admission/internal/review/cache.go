package review

import (
	"slices"

	"k8s.io/utils/lru"

	"github.com/vmrules/vmrules"
)

// The cache of rules holds at most cachedTemplates × cachedSize bytes. Users write templates
// too, so both are bounded. The rules of real templates take some kilobytes.
const (
	cachedTemplates = 128
	cachedSize      = 1 << 20
)

// A ruleCache reads the rules of templates, and keeps those that are small. It is safe for
// concurrent use.
type ruleCache struct {
	small []vmrules.ParseOption // with which only rules that may be kept can be read
	known *lru.Cache            // of version: vmrules.Rules
}

// A version identifies a template and what it says.
type version struct{ apiVersion, kind, uid, namespace, name, resourceVersion string }

func newRuleCache(opts []vmrules.ParseOption) *ruleCache {
	small := append(slices.Clip(opts), vmrules.WithBudget(vmrules.Budget{Kept: cachedSize}))
	return &ruleCache{small: small, known: lru.New(cachedTemplates)}
}

// rulesOf returns the rules of a template, read with options if they are not kept. Rules that cannot be used, or are large, are read
// each time.
func (c *ruleCache) rulesOf(template map[string]any, opts []vmrules.ParseOption) (vmrules.Rules, error) {
	key, ok := versionOf(template)
	if !ok {
		return vmrules.RulesFor(nil, template, opts...)
	}
	if rules, ok := c.known.Get(key); ok {
		return rules.(vmrules.Rules), nil
	}
	rules, err := vmrules.RulesFor(nil, template, opts...)
	if err != nil {
		return rules, err
	}
	if _, tooLarge := vmrules.RulesFor(nil, template, c.small...); tooLarge == nil {
		c.known.Add(key, rules)
	}
	return rules, nil
}

// versionOf returns the version of a template; false for a template that does not come from
// an API server.
func versionOf(template map[string]any) (version, bool) {
	of := func(key string) string { return TextAt(template, "metadata", key) }
	v := version{TextAt(template, "apiVersion"), TextAt(template, "kind"), of("uid"), of("namespace"), of("name"), of("resourceVersion")}
	return v, v.resourceVersion != ""
}
