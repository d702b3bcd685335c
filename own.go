package vmrules

import (
	"cmp"
	"container/list"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

// A ruleFinder finds the rules of the VMs in one call of ValidateOwn.
type ruleFinder struct {
	call      *evaluation
	last      annotationText
	lastRules *ownRules
	texts     map[annotationText]*ownRules
	templates map[TemplateRef]*ownRules
}

// An annotationText is a text, under which key it is, and the template that has it.
type annotationText struct{ key, text, template string }

// ownRules are the rules of a VM and whose they are, or why it has none. They are shared.
type ownRules struct {
	rules Rules
	about *account
	err   error // why they cannot be used; nil: they can
}

var exempt = &ownRules{about: &account{coverage: CoverageExempt, note: "the VM has the annotation " + SkipAnnotation}}

// of returns the rules for the VM of a target.
func (f *ruleFinder) of(t *target) *ownRules {
	if isExempt(t) {
		return exempt
	}
	if own := ownAnnotation(t, "VM"); !own.isBlank() {
		return f.read(own, "", account{from: SourceOwn})
	}
	if around := annotationAt(t.Template, OldAnnotation, "template"); !around.isBlank() {
		name := nameOf(t.Template)
		return f.read(around, name, account{from: SourceAround, template: name})
	}
	wrong := cmp.Or(misshapenIn(t.VM, "labels"), unreadableName(t.VM))
	if wrong != nil {
		return f.read(annotation{value: wrong, key: TemplateLabel, source: "VM"}, "", account{})
	}
	namespace, name, _ := templateOf(t.VM)
	if name == "" {
		return &ownRules{}
	}
	ref := TemplateRef{namespace, name, vmNamespace(t)}
	found := f.templates[ref]
	if found == nil {
		found = f.lookUp(ref)
		if f.templates == nil {
			f.templates = map[TemplateRef]*ownRules{}
		}
		f.templates[ref] = found
	}
	return found
}

// read reads an annotation, each text once.
func (f *ruleFinder) read(a annotation, template string, about account) *ownRules {
	text, isText := a.value.(string)
	at := annotationText{a.key, text, template}
	if isText && at == f.last { // this costs nothing if the VMs share the text of their template
		return f.lastRules
	}
	given := &f.call.given
	_ = f.call.budget.Spend(len(text)/10, 0)
	found := f.texts[at]
	if !isText || found == nil {
		rules, problems := given.kept.parse(a, given.reading)
		found = f.usable(rules, problems, about)
	}
	if isText {
		f.texts[at], f.last, f.lastRules = found, at, found
	}
	return found
}

// usable returns rules that were read, or the problems with them.
func (f *ruleFinder) usable(rules Rules, problems []Problem, about account) *ownRules {
	doubt := DoubtRules
	switch {
	case f.call.isSpent():
		doubt = DoubtBound
		if problems == nil { // the rules were kept
			problems = []Problem{{Index: -1, Reason: ReasonTooLong, Code: codeTooLong, Message: tooMuchToRead(f.call.budget.Err())}}
		}
	case len(problems) > 0:
	case rules.isWhole:
		problems = []Problem{{Index: -1, Reason: ReasonInvalid, Code: codeInvalidOption, Source: "template", Message: "the rules are about whole objects, not about VMs"}}
	case about.from == SourceOwn:
		return &ownRules{rules: rules, about: ownAccount}
	default:
		return &ownRules{rules: rules, about: &about}
	}
	about.problems = problems
	return &ownRules{about: &about, err: doubtError{doubt, errors.New(listed(problems))}}
}

// listed returns problems in one line.
func listed(problems []Problem) string {
	text := "the validation rules cannot be used: " + problems[0].Error()
	if more := len(problems) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// lookUp asks the caller for the template that a VM names.
func (f *ruleFinder) lookUp(ref TemplateRef) *ownRules {
	about := account{template: join(ref.Namespace, ref.Name)}
	if f.call.given.lookUp == nil {
		about.coverage, about.note = CoverageNoTemplate, "nobody looked for the template "+about.template
		return &ownRules{about: &about}
	}
	about.from = SourceTemplate
	found, err := lookUpSafely(f.call.given.lookUp, ref)
	var unreadable *ParseError
	switch {
	case errors.As(err, &unreadable) && len(unreadable.Problems) > 0:
		return f.usable(Rules{}, unreadable.Problems, about)
	case err != nil:
		err = fmt.Errorf("the template %s cannot be looked up: %s", about.template, value.Shortened(err.Error()))
		return &ownRules{about: &about, err: doubtError{DoubtLookup, err}}
	case found != nil:
		about.template = join(cmp.Or(found.Namespace, ref.Namespace), cmp.Or(found.Name, ref.Name))
		return f.usable(found.Rules, nil, about)
	case ref.Namespace == "":
		about.from, about.coverage = "", CoverageNoTemplate
		about.note = "the template " + about.template + ", which the VM names without its namespace, is not found"
		return &ownRules{about: &about}
	}
	return &ownRules{about: &about, err: doubtError{DoubtTemplate, fmt.Errorf("the template %s, which the VM names, is not there", about.template)}}
}

// lookUpSafely recovers if the caller's function panics, so that it does not stop the program.
func lookUpSafely(find lookUpFunc, ref TemplateRef) (found *Template, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			found, err = nil, fmt.Errorf("the search panics: %v", failure)
		}
	}()
	return find(ref)
}

// nameOf returns the namespace and name of an object.
func nameOf(v any) string {
	metadata := value.At(v, "metadata")
	return join(value.StringAt(metadata, "namespace"), value.StringAt(metadata, "name"))
}

func join(namespace, name string) string { return strings.TrimPrefix(namespace+"/"+name, "/") }

// vmNamespace returns the namespace of the VM of a target, or of what makes it.
func vmNamespace(t *target) string {
	of := func(v any) string { return value.StringAt(value.At(v, "metadata"), "namespace") }
	return cmp.Or(of(t.VM), of(t.Holder))
}

// notVM returns the account of a target without a VM that could have rules; nil for a VM, and for
// what may be or hold one.
func notVM(t *target, isPartial bool) *account {
	switch {
	case t.Cause != vmtarget.Empty:
	case t.HasNoVM, t.VM == nil && t.Holder != nil:
		return &account{coverage: CoverageNotVM, note: t.Nothing}
	case t.IsOther && (value.At(t.VM, "kind") != nil || ownAnnotation(t, "").isBlank()):
		return &account{coverage: CoverageNotVM, note: "the object is not a VirtualMachine"}
	case t.VM == nil && isPartial:
		return &account{coverage: CoverageIncomplete, note: errNotFilledIn.Error()}
	}
	return nil
}

// maxKept is how many bytes KeepRules keeps.
const maxKept = 16 << 20

// keptRules are what KeepRules keeps. They are safe for concurrent use.
type keptRules struct {
	mutex sync.Mutex
	left  int        // bytes
	all   *list.List // of *keptText; what was used last is in front
	known map[annotationText]*list.Element
}

// A keptText is a text with the rules in it, or with what is wrong with it.
type keptText struct {
	at       annotationText
	rules    Rules
	problems []Problem
	size     int
}

func newKeptRules() *keptRules {
	return &keptRules{left: maxKept, all: list.New(), known: map[annotationText]*list.Element{}}
}

// parse returns the rules of an annotation, which may be kept. A nil k keeps nothing.
func (k *keptRules) parse(a annotation, o parseOptions) (Rules, []Problem) {
	text, isText := a.value.(string)
	if k == nil || !isText {
		return a.parse(o)
	}
	at := annotationText{key: a.key, text: text}
	if found := k.find(at); found != nil {
		return found.rules, found.problems
	}
	_, before := o.budget.Left()
	rules, problems := a.parse(o)
	_, after := o.budget.Left()
	if o.budget.Err() == nil {
		k.keep(&keptText{at, rules, problems, 2*len(text) + before - after})
	}
	return rules, problems
}

func (k *keptRules) find(at annotationText) *keptText {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	e := k.known[at]
	if e == nil {
		return nil
	}
	k.all.MoveToFront(e)
	return e.Value.(*keptText)
}

// keep keeps a text, and drops what was not used for longest.
func (k *keptRules) keep(t *keptText) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if t.size > maxKept || k.known[t.at] != nil {
		return
	}
	t.at.text = strings.Clone(t.at.text) // which may be a part of a larger text
	k.known[t.at] = k.all.PushFront(t)
	for k.left -= t.size; k.left < 0; {
		last := k.all.Back()
		dropped := k.all.Remove(last).(*keptText)
		delete(k.known, dropped.at)
		k.left += dropped.size
	}
}
