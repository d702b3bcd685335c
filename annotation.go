package vmrules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// ValidateOwn judges every VM inside an object by the rules in its own annotation or, if it
// has none, in the annotation of the template around it. VMs that SkipAnnotation exempts,
// and VMs without rules, have no results. Any error is a *ParseError with the problems of
// all annotations that cannot be used; the report is then about the other VMs.
//
// The VM of a replica set has its annotations in the metadata of spec.template, and that of
// a pool in the metadata of spec.virtualMachineTemplate.
//
// WithParseOptions sets how the annotations are read; each text is read once. One Budget
// pays for reading and judging all VMs. What Checkers share, they share for all VMs.
func ValidateOwn(object map[string]any, opts ...ValidateOption) (*Report, error) {
	e := newEvaluation(opts)
	defer e.release()
	report := &Report{judged: true}
	var problems []Problem
	e.reading.budget = &e.budget
	reader := ownReader{options: e.reading, known: map[annotationText]ownRules{}}
	targets := e.appendTargets(nil, value.Resolve(object), RootTemplate)
	if e.isSpent() {
		report.addUnjudged("", targets[0].Nothing)
		return report, nil
	}
	for i := range targets {
		rest := e.share(len(targets) - i)
		rules, wrong := reader.read(&targets[i])
		problems = append(problems, wrong...)
		e.judgeAll(report, &rules, &targets[i])
		e.settle(rest)
	}
	return report, asParseError(problems)
}

// RulesFor returns the rules for a VM. If SkipAnnotation exempts the VM, there are none. If
// the VM's own annotation is not blank, its rules are those. Otherwise they are those of the
// template: an OpenShift Template or a KubeVirt VirtualMachineTemplate, which has them on the
// VirtualMachine inside it or in its own OldAnnotation. The VM of a replica set has its
// annotations in the metadata of spec.template, and that of a pool in the metadata of
// spec.virtualMachineTemplate. Either argument may be nil. Any error is a *ParseError, whose
// problems say whose annotation is wrong. It is an error if the VMs inside the template have
// different annotations.
func RulesFor(vm, template map[string]any, opts ...ParseOption) (Rules, error) {
	o := parseOptionsOf(opts)
	own := vmtarget.Append(nil, value.Resolve(vm), &o.budget.Meter)
	found, err := common(own, "VM")
	if err == nil && found.isBlank() && !isExempt(&own[0]) {
		found, err = templateAnnotation(template, o.budget)
	}
	if o.budget.Err() != nil {
		return Rules{}, asParseError([]Problem{{Index: -1, Reason: ReasonTooLong, Message: vmtarget.TooMany(o.budget.Err())}})
	}
	if err != nil || isExempt(&own[0]) {
		return Rules{}, err
	}
	rules, problems := found.parse(o)
	return rules, asParseError(problems)
}

// templateAnnotation returns the one annotation of a template.
func templateAnnotation(template map[string]any, b *budget) (annotation, error) {
	v := value.Resolve(template)
	found, err := common(vmtarget.Append(nil, v, &b.Meter), "template")
	if err == nil && found.isBlank() {
		found = annotationAt(v, OldAnnotation, "template")
	}
	return found, err
}

// common returns the annotation that all VMs inside an object share, apart from those
// without one.
func common(targets []target, source string) (annotation, error) {
	var found annotation
	for i := range targets {
		t := &targets[i]
		a := annotationAt(t.VM, Annotation, source)
		differs := !a.isBlank() && !found.isBlank() && !reflect.DeepEqual(a.value, found.value)
		if differs || isExempt(t) != isExempt(&targets[0]) {
			return annotation{}, asParseError([]Problem{{
				Index: -1, Reason: ReasonInvalid, Source: source,
				Message: "the VirtualMachines inside have different rules: use ValidateOwn, which judges each by its own rules",
			}})
		}
		if !a.isBlank() {
			found = a
		}
	}
	return found, nil
}

// An ownReader reads the rules of the VMs inside an object, each text once.
type ownReader struct {
	options parseOptions
	last    annotationText // the text of rules
	rules   ownRules
	known   map[annotationText]ownRules
}

type annotationText struct{ key, text string }

// ownRules are the rules of one text, or what is wrong with it.
type ownRules struct {
	rules    Rules
	problems []Problem
}

// read reads the rules for the VM of a target.
func (r *ownReader) read(t *target) (Rules, []Problem) {
	if isExempt(t) {
		return Rules{}, nil
	}
	found := annotationFor(t)
	text, isText := found.value.(string)
	if !isText {
		return found.parse(r.options)
	}
	read := r.readText(annotationText{found.key, text}, found)
	return read.rules, r.problemsOf(found.source, read.problems)
}

func (r *ownReader) readText(text annotationText, found annotation) ownRules {
	if text == r.last { // this costs nothing if the VMs share the text of their template
		return r.rules
	}
	_ = r.options.budget.Spend(len(text.text)/10, 0)
	rules, ok := r.known[text]
	if !ok {
		rules.rules, rules.problems = found.parse(r.options)
		r.known[text] = rules
	}
	r.last, r.rules = text, rules
	return rules
}

// problemsOf returns the problems of a text as those of one more VM.
func (r *ownReader) problemsOf(source string, problems []Problem) []Problem {
	if len(problems) == 0 {
		return nil
	}
	if err := r.options.budget.Spend(len(problems)*problemWork, len(problems)*problemSize); err != nil {
		return []Problem{{Index: -1, Reason: ReasonTooLong, Source: source, Message: tooMuchToRead(err)}}
	}
	all := slices.Clone(problems)
	for i := range all {
		all[i].Source = source
	}
	return all
}

// annotationFor returns the annotation for the VM of a target: its own, or its template's.
func annotationFor(t *target) annotation {
	found := annotationAt(t.VM, Annotation, strings.TrimSpace("VM "+t.Name))
	if found.isBlank() {
		found = annotationAt(t.Template, OldAnnotation, strings.TrimSpace("template "+t.TemplateName()))
	}
	return found
}

// isExempt reports whether the VM of a target is exempt from all rules.
func isExempt(t *target) bool {
	return value.At(t.VM, "metadata", "annotations", SkipAnnotation) != nil
}

// An annotation is the text of rules and whose it is.
type annotation struct {
	value  any // nil: absent
	key    string
	source string
}

func annotationAt(v any, key, source string) annotation {
	return annotation{value.At(v, "metadata", "annotations", key), key, source}
}

func (a annotation) isBlank() bool {
	s, isString := a.value.(string)
	return a.value == nil || isString && strings.TrimSpace(s) == ""
}

// parse reads the rules. A template's own annotation is of version 201901-1,
// unless some path in it has the prefix of 201902-2.
func (a annotation) parse(o parseOptions) (Rules, []Problem) {
	if a.value == nil {
		return Rules{}, nil
	}
	s, ok := a.value.(string)
	if !ok {
		return Rules{}, []Problem{{
			Index: -1, Reason: ReasonTypeInvalid, Source: a.source,
			Message: fmt.Sprintf("the annotation %s must be a string that holds JSON, not %s", a.key, value.Describe(a.value)),
		}}
	}
	if a.key == OldAnnotation && o.version == "" {
		o.version = VDetected
	}
	rules, problems := parseRules(s, o)
	for i := range problems {
		problems[i].Source = a.source
	}
	return rules, problems
}
