package ssp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
)

// A Verdict is what KubeVirt's template validator says of a VM.
type Verdict struct {
	// Accepted reports whether the validator lets the VM pass.
	Accepted bool `json:"accepted"`
	// Refused says why the validator refuses the annotation, or the VM, without validating by the
	// rules; "" if it validates.
	Refused string `json:"refused,omitempty"`
	// Pointer is the JSON Pointer of the value for which the VM is refused; "" if there is none.
	Pointer string `json:"pointer,omitempty"`
	// Failed has the names of the rules that fail, in the order of the annotation, also of those
	// that only warn.
	Failed []string `json:"failed"`
	// Warned has those of these names that do not refuse the VM, because their rules have
	// justWarning.
	Warned []string `json:"warned,omitempty"`
	// Why says for each of these names why the first rule of this name fails that does.
	Why map[string]string `json:"why"`
	// Key has for each of these names the key of the rule that this is about; "" for the whole rule.
	Key map[string]string `json:"-"`
}

// maxAnnotation is the length in bytes that Kubernetes allows for all annotations of an object.
const maxAnnotation = 256 << 10

// Judge validates a VirtualMachine by the rules of an annotation, as KubeVirt's template validator
// does after KubeVirt's mutating webhook. It needs no parameter filled in: a reference such as
// ${CORES} is text, as it is for the validator.
func Judge(annotation string, vm map[string]any) Verdict {
	if len(annotation) > maxAnnotation {
		return refusal(errors.New("the annotation is longer than Kubernetes allows"))
	}
	var rules []rule
	if err := json.Unmarshal([]byte(annotation), &rules); err != nil && annotation != "" {
		return refusal(err)
	}
	if len(rules) == 0 {
		return accepting()
	}
	template, err := templateOf(vm)
	if err != nil {
		return refusal(err)
	}
	budget := meter.OrDefault(0, 0)
	j := &judgement{budget: &budget, template: template}
	return j.verdict(rules)
}

func accepting() Verdict {
	return Verdict{Accepted: true, Failed: []string{}, Why: map[string]string{}, Key: map[string]string{}}
}

func refusal(why error) Verdict {
	v := accepting()
	v.Accepted, v.Refused = false, why.Error()
	if m := (*misfit)(nil); errors.As(why, &m) {
		v.Pointer = m.at.Pointer()
	}
	return v
}

var errNoTemplate = errors.New("the VM has no spec.template")

// templateOf returns the VM's spec.template as JSON that its Go type can hold.
func templateOf(vm map[string]any) (any, error) {
	if vm["spec"] == nil {
		return nil, errNoTemplate
	}
	spec, err := vmrules.ToObject(vm["spec"])
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	template, ok := spec["template"].(map[string]any)
	if !ok {
		return nil, errNoTemplate
	}
	return template, node{templateType(), template}.check(jsonpath.Members("spec", "template"))
}

// A judgement validates one VM.
type judgement struct {
	budget   *meter.Meter
	template any
}

// A violation is why a value does not satisfy a rule. Any other error means that the validator
// cannot use the rule, so that justWarning does not count.
type violation string

func (v violation) Error() string { return string(v) }

// A flaw is an error about a key of a rule.
type flaw struct {
	key string
	error
}

func (j *judgement) verdict(rules []rule) Verdict {
	v := accepting()
	seen := map[string]bool{}
	for i := range rules {
		r := &rules[i]
		err := j.judge(r, seen[r.Name])
		seen[r.Name] = true
		if err == nil {
			continue
		}
		of, _ := err.(flaw)
		if _, isViolated := of.error.(violation); isViolated && r.JustWarning {
			v.Warned = append(v.Warned, r.Name)
		} else {
			v.Accepted = false
		}
		v.Failed = append(v.Failed, r.Name)
		if v.Why[r.Name] == "" {
			v.Why[r.Name], v.Key[r.Name] = err.Error(), of.key
		}
	}
	return v
}

func (j *judgement) judge(r *rule, isTwice bool) error {
	switch {
	case isTwice:
		return errors.New("an earlier rule has the same name")
	case !constraint.IsKind(r.Kind):
		return flaw{rulekey.Rule, fmt.Errorf("the kind %s is unknown", value.Describe(r.Kind))}
	case r.Message == "":
		return errors.New("the rule has no message")
	case r.Valid != nil:
		found, err := find(j.budget, r.Valid.steps, j.template)
		if errors.Is(err, meter.ErrWork) || errors.Is(err, meter.ErrKept) {
			return err
		}
		if err != nil || len(found) == 0 {
			return nil
		}
	}
	check, err := j.checkOf(r)
	if err != nil {
		return err
	}
	values, err := j.lookUp(&r.Path)
	switch {
	case err != nil:
		return flaw{rulekey.Path, err}
	case len(values) == 0:
		return flaw{rulekey.Path, fmt.Errorf("%s selects nothing", r.Path.written)}
	}
	return check(values)
}

// lookUp returns what a path selects in the VM, or else in the VM of the validator.
func (j *judgement) lookUp(p *path) ([]node, error) {
	if p.steps == nil {
		return nil, errors.New("the rule has no path")
	}
	found, err := find(j.budget, p.steps, j.template)
	if err != nil {
		found, err = find(j.budget, p.steps, referenceVM)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.written, err)
	}
	return found, nil
}

// checkOf reads the arguments of a rule's kind, and returns what checks its values.
func (j *judgement) checkOf(r *rule) (func([]node) error, error) {
	switch vmrules.Kind(r.Kind) {
	case vmrules.KindInteger:
		hold, err := j.interval("the value %d", constraint.Min, r.Min, constraint.Max, r.Max)
		return func(values []node) error {
			numbers, err := numbersOf(values)
			if err != nil {
				return err
			}
			return eachOf(hold)(numbers)
		}, err
	case vmrules.KindString:
		hold, err := j.interval("its length in bytes, %d,", constraint.MinLength, r.MinLength, constraint.MaxLength, r.MaxLength)
		return eachOf(func(v node) error { return hold(int64(len(v.string()))) }), err
	case vmrules.KindEnum:
		allowed, err := j.allowed(r.Values)
		if err != nil {
			return nil, flaw{constraint.Values, err}
		}
		return eachOf(func(v node) error {
			if !slices.Contains(allowed, v.string()) {
				return flaw{constraint.Values, violation(v.shown() + " is not among values")}
			}
			return nil
		}), nil
	}
	if err := j.budget.Spend(meter.Times(sizeOf(r.Regex), compileWork), 0); err != nil {
		return nil, err
	}
	pattern, err := regexp.Compile(r.Regex)
	if err != nil {
		return nil, flaw{constraint.Regex, fmt.Errorf("RE2 cannot read the regex: %w", err)}
	}
	return eachOf(func(v node) error {
		if err := j.budget.Spend(meter.Times(matchWork*sizeOf(r.Regex), len(v.string())), 0); err != nil {
			return err
		}
		if !pattern.MatchString(v.string()) {
			return flaw{constraint.Regex, violation(v.shown() + " does not match the regex")}
		}
		return nil
	}), nil
}

func eachOf[V any](judge func(V) error) func([]V) error {
	return func(values []V) error {
		for _, v := range values {
			if err := judge(v); err != nil {
				return err
			}
		}
		return nil
	}
}

// interval reads the bounds of a rule, and returns what checks a number, which a format describes.
func (j *judgement) interval(what, minKey string, least *bound, maxKey string, most *bound) (func(int64) error, error) {
	low, err := j.number(minKey, least)
	if err != nil {
		return nil, err
	}
	high, err := j.number(maxKey, most)
	return func(n int64) error {
		switch {
		case low != nil && n < *low:
			return flaw{minKey, violation(fmt.Sprintf(what+" is less than %d", n, *low))}
		case high != nil && n > *high:
			return flaw{maxKey, violation(fmt.Sprintf(what+" is more than %d", n, *high))}
		}
		return nil
	}, err
}

// number returns a bound; nil if there is none.
func (j *judgement) number(key string, b *bound) (*int64, error) {
	if b == nil {
		return nil, nil
	}
	if b.from == nil {
		return &b.number, nil
	}
	found, err := j.lookUp(b.from)
	if err != nil {
		return nil, flaw{key, err}
	}
	numbers, err := numbersOf(found)
	if err != nil {
		return nil, flaw{key, err}
	}
	if len(numbers) != 1 {
		return nil, flaw{key, fmt.Errorf("%s selects %d values instead of one", b.from.written, len(numbers))}
	}
	return &numbers[0], nil
}

func (j *judgement) allowed(values []argument) ([]string, error) {
	var all []string
	for _, a := range values {
		if a.from == nil {
			all = append(all, a.text)
			continue
		}
		found, err := j.lookUp(a.from)
		if err != nil {
			return nil, err
		}
		if len(found) != 1 {
			return nil, fmt.Errorf("%s selects %d values instead of one", a.from.written, len(found))
		}
		all = append(all, found[0].string())
	}
	return all, nil
}

// numbersOf returns values as integers, if all have a type that the validator reads so.
func numbersOf(values []node) ([]int64, error) {
	var all []int64
	for _, v := range values {
		i, err := v.number()
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

func (n node) number() (int64, error) {
	quantity, isThere := n.indirect()
	switch {
	case quantity.typ.shape == quantum && !isThere:
		return 0, errors.New("the quantity is not set")
	case quantity.typ.shape == quantum:
		i, ok := quantity.amount()
		if ok {
			return i, nil
		}
		return 0, fmt.Errorf("%s arrives as %s, which cannot be read as a whole number%s", value.Describe(quantity.json), quantity.arrived(), quantity.cure())
	case n.typ.isInteger() && string(n.typ.shape) == n.typ.name && n.typ.shape != byteShape:
		i, _ := n.integer()
		return i, nil
	}
	return 0, fmt.Errorf("its type in Go is %s, which cannot be read as a number", n.typ.name)
}

// The cost of a regex for each byte of its size: of compiling it, and of matching one byte.
const (
	compileWork = 100
	matchWork   = 10
)

// sizeOf returns the size of a regex. One with braces may repeat parts of itself.
func sizeOf(regex string) int {
	if strings.Contains(regex, "{") {
		return 200 * len(regex)
	}
	return len(regex)
}
