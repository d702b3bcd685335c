package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/vmrules/vmrules/internal/keep"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmsource"
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
	about *Target
	err   error // why they cannot be used; nil: they can
}

var exempt = &ownRules{about: &Target{Coverage: CoverageExempt, Note: "the VM has the annotation " + SkipAnnotation}}

func (f *ruleFinder) of(t *target) *ownRules {
	switch source := vmsource.Of(t); source.From {
	case vmsource.Exempt:
		return exempt
	case vmsource.Own:
		return f.read(source.Text, Target{From: SourceOwn})
	case vmsource.Around:
		return f.read(source.Text, Target{From: SourceAround, Template: vmsource.NameOf(t.Template)})
	case vmsource.Unreadable:
		return f.read(source.Text, Target{})
	case vmsource.Template:
		ref := TemplateRef(source.Template)
		if f.templates[ref] == nil { // each is looked up once
			f.templates[ref] = f.lookUp(ref)
		}
		return f.templates[ref]
	}
	return &ownRules{}
}

// read reads an annotation, each text once.
func (f *ruleFinder) read(from vmsource.Text, about Target) *ownRules {
	text, isText := from.Value.(string)
	at := annotationText{from.Key, text, about.Template}
	if isText && at == f.last { // this costs nothing if the VMs share the text of their template
		return f.lastRules
	}
	given := &f.call.given
	_ = f.call.budget.Spend(len(text)/10, 0)
	found := f.texts[at]
	if !isText || found == nil {
		rules, problems := given.parse(from)
		found = f.usable(rules, problems, about)
	}
	if isText {
		f.texts[at], f.last, f.lastRules = found, at, found
	}
	return found
}

// usable returns rules that were read, or the problems with them.
func (f *ruleFinder) usable(rules Rules, problems []Problem, about Target) *ownRules {
	switch {
	case f.call.budget.Err() != nil:
		return &ownRules{about: &about, err: doubtful(DoubtBound, errors.New(tooMuchToRead(f.call.budget.Err())))}
	case len(problems) > 0:
	case rules.isWhole:
		problems = wholeProblem(vmsource.OfTemplate, ReasonInvalid, codeInvalidOption, "the rules are about whole objects, not about VMs")
	case about.From == SourceOwn:
		return &ownRules{rules: rules, about: byOwn}
	default:
		return &ownRules{rules: rules, about: &about}
	}
	about.Problems = problems
	return &ownRules{about: &about, err: unusable("the validation rules", problems)}
}

// lookUp asks the caller for the template that a VM names.
func (f *ruleFinder) lookUp(ref TemplateRef) *ownRules {
	about := Target{Template: vmsource.Join(ref.Namespace, ref.Name)}
	if f.call.given.lookUp == nil {
		about.Coverage, about.Note = CoverageNoTemplate, "nobody looked for the template "+about.Template
		return &ownRules{about: &about}
	}
	about.From = SourceTemplate
	var found *Template
	err := searchSafely(func() (err error) { found, err = f.call.given.lookUp(ref); return err })
	unread := (*ParseError)(nil)
	switch {
	case errors.As(err, &unread) && len(unread.all()) > 0:
		return f.usable(Rules{}, unread.Problems, about)
	case err != nil:
		err = fmt.Errorf("the template %s cannot be looked up: %s", about.Template, value.Shortened(err.Error()))
		return &ownRules{about: &about, err: doubtful(DoubtLookup, err)}
	case found != nil:
		about.Template = vmsource.Join(cmp.Or(found.Namespace, ref.Namespace), cmp.Or(found.Name, ref.Name))
		return f.rulesIn(found, about)
	case ref.Namespace == "":
		about.From, about.Coverage = "", CoverageNoTemplate
		about.Note = "the template " + about.Template + ", which the VM names without its namespace, is not found"
		return &ownRules{about: &about}
	}
	return &ownRules{about: &about, err: doubtful(DoubtTemplate, fmt.Errorf("the template %s, which the VM names, is not there", about.Template))}
}

func (f *ruleFinder) rulesIn(found *Template, about Target) *ownRules {
	if found.Object == nil {
		return f.usable(found.Rules, nil, about)
	}
	text, problems := templateText(found.Object, true, &f.call.budget.Meter)
	if problems != nil {
		return f.usable(Rules{}, problems, about)
	}
	return f.read(text, about)
}

// notVM returns what is known of a target without a VM that could have rules; nil for a VM, and for
// what may be or hold one.
func notVM(t *target, isPartial bool) *Target {
	switch {
	case t.Cause != vmtarget.Empty:
	case t.HasNoVM, t.VM == nil && t.Holder != nil:
		return &Target{Coverage: CoverageNotVM, Note: t.Nothing}
	case t.IsOther && (value.At(t.VM, "kind") != nil || vmsource.OwnText(t.VM).IsBlank()):
		return &Target{Coverage: CoverageNotVM, Note: "the object is not a VirtualMachine"}
	case t.VM == nil && isPartial:
		return &Target{Coverage: CoverageIncomplete, Note: errNotFilledIn.Error()}
	}
	return nil
}

// A keptText is what KeepRules keeps of a text: the rules in it, or what is wrong with it.
type keptText struct {
	rules    Rules
	problems []Problem
}

// keptRules keeps texts by their keys and what they say.
type keptRules = keep.Store[[2]string, keptText]

const maxKept = 16 << 20

// parse returns the rules of an annotation, which may be kept.
func (s *settings) parse(from vmsource.Text) (Rules, []Problem) {
	text, isText := from.Value.(string)
	if s.kept == nil || !isText {
		return parseText(from, s.reading)
	}
	if found, ok := s.kept.Find([2]string{from.Key, text}); ok {
		return found.rules, found.problems
	}
	_, before := s.reading.budget.Left()
	rules, problems := parseText(from, s.reading)
	if _, after := s.reading.budget.Left(); s.reading.budget.Err() == nil {
		text = strings.Clone(text) // which may be a part of a larger text
		s.kept.Keep([2]string{from.Key, text}, keptText{rules, problems}, 2*len(text)+before-after)
	}
	return rules, problems
}
