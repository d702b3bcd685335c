package vmrules

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/keep"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmfields"
)

// A ParseOption changes how an annotation is read.
type ParseOption interface{ changeReading(*parseOptions) }

type parseOption func(*parseOptions)

func (f parseOption) changeReading(o *parseOptions) { f(o) }

// An Option changes both how an annotation is read and how an object is validated.
type Option interface {
	ParseOption
	ValidateOption
}

type parseOptions struct {
	isOld    bool // the version is 201901-1
	detects  bool // the version
	strict   bool
	unstrict *budget     // pays for problems that only Strict finds, if they do not count; nil: they are not wanted
	ends     map[int]int // receives where the problems end that begin inside a string, by their offsets; may be nil
	others   []any       // the options of other packages
	isWhole  bool        // WholeObjects
	leaves   bool        // out what cannot be used
	kinds    []namedKind
	limits   Budget
	budget   *budget // what is left of limits

	inGo bool // the rules were built in Go, not read from an annotation
}

func parseOptionsOf(opts []ParseOption) parseOptions {
	var o parseOptions
	for _, opt := range opts {
		if opt != nil {
			opt.changeReading(&o)
		}
	}
	whole := o.limits.whole()
	o.budget = &whole
	return o
}

// Strict reports unknown keys, unknown kinds and rules without arguments as problems. Without
// Strict they are ignored, as the format demands. Use it where rules are written, not where
// objects are validated by them.
func Strict() ParseOption { return parseOption(func(o *parseOptions) { o.strict = true }) }

// V201901 reads the annotation in version 201901-1 of the format, whose paths have no prefix. Without
// V201901 or DetectVersion, it is read in the current version, 201902-2.
func V201901() ParseOption {
	return parseOption(func(o *parseOptions) { o.isOld, o.detects = true, false })
}

// DetectVersion reads the annotation in the current version if the path or valid of any rule has the
// prefix of paths, and as V201901 does otherwise. RulesFor and ValidateOwn read a template's own
// annotation in this way.
func DetectVersion() ParseOption {
	return parseOption(func(o *parseOptions) { o.isOld, o.detects = false, true })
}

// WholeObjects applies the rules to whole objects of any kind, not to the spec.template of VMs.
// Their paths begin at the object: at each item of a list, at each object of an OpenShift
// Template, and at the VM of a VirtualMachineTemplate. The fields that always exist in a VM have
// no defaults here. Use it for rules that are made from a document about whole objects.
func WholeObjects() ParseOption { return parseOption(func(o *parseOptions) { o.isWhole = true }) }

// LeaveOutUnusable makes ParseRules, NewRules and RulesFor return Rules beside their error, to find one
// rule by its name, or for the limits of package form. ValidateOwn ignores it.
//
// The rules that cannot be used are not absent: Rules.Len counts them, and in any Report they are
// Undecided, with DoubtRules, so that no object is valid. All and ByName return only the others, and
// MarshalJSON returns an error. If the annotation cannot be read at all, one rule without a name and
// with the path $ stands for all.
func LeaveOutUnusable() ParseOption { return parseOption(func(o *parseOptions) { o.leaves = true }) }

// A ValidateOption changes how an object is validated.
type ValidateOption interface{ changeJudging(*settings) }

type settings struct {
	old      map[string]any
	ratchets bool
	reading  parseOptions                         // of ValidateOwn
	kept     *keptRules                           // of KeepRules
	lookUp   func(TemplateRef) (*Template, error) // of WithTemplates; nil: nobody looks
	warning  []Doubt                              // of WarnIfUndecided
	partial  bool
	defaults []vmfields.Default
	find     func(vm map[string]any) (instancetype, preference map[string]any, err error) // nil: none are given
	alone    bool                                                                         // WithoutInstancetypes
	first    bool                                                                         // FirstViolation
	limits   Budget
}

type validateOption func(*settings)

func (f validateOption) changeJudging(s *settings) { f(s) }

// Partial validates a form that is not complete. A rule whose value or argument is missing is
// Skipped, with the note "not filled in yet". An empty string that breaks the rule, or cannot
// be its argument, counts as missing, because that is what an empty input holds. An object
// without a kind is a VirtualMachine, unless its shape is that of something else.
func Partial() ValidateOption { return validateOption(func(s *settings) { s.partial = true }) }

// A Default is the value that a field has where the object around it exists and the field is
// missing. NewDefault makes one. The zero value changes nothing.
type Default struct{ of vmfields.Default }

// NewDefault returns a Default for the field at a path. The path must consist of names and [*],
// and end in a name, such as "jsonpath::.spec.domain.devices.disks[*].io"; any other is an
// error, which has no type of its own. The value may be anything that an object may hold, and must not
// be changed afterwards. nil means that the field has no default.
func NewDefault(path Path, value any) (Default, error) {
	if path.IsZero() {
		return Default{}, errors.New("a default needs the path of a field, not the zero Path")
	}
	if !path.parsed.IsField() {
		return Default{}, fmt.Errorf("%s cannot have a default: write a path of names and [*] that ends in a name, such as %s",
			path.shown(), jsonpath.Prefix+".spec.domain.devices.disks[*].io")
	}
	return Default{vmfields.Default{Field: path.parsed, Value: value}}, nil
}

// WithDefaults sets defaults of fields. They add to the defaults of the format and override
// them. If a field has two defaults, the later one counts.
// Spec: Optional Keys, valid.
func WithDefaults(defaults ...Default) ValidateOption {
	return validateOption(func(s *settings) {
		for _, d := range defaults {
			if d.of.Field != nil { // not the zero value
				s.defaults = append(s.defaults, d.of)
			}
		}
	})
}

// WithOldObject gives the object as it was before an update, for Ratcheting, and for kinds that
// compare it with the new one. The kinds of the format do not.
func WithOldObject(object map[string]any) ValidateOption {
	return validateOption(func(s *settings) { s.old = object })
}

// WithParseOptions sets how ValidateOwn reads annotations, for instance with which kinds. It
// ignores WholeObjects, because the rules are always about a VM's spec.template, and LeaveOutUnusable.
func WithParseOptions(opts ...ParseOption) ValidateOption {
	return validateOption(func(s *settings) {
		for _, opt := range opts {
			if opt != nil {
				opt.changeReading(&s.reading)
			}
		}
		s.reading.isWhole, s.reading.leaves, s.kept = false, false, nil
	})
}

// KeepRules is WithParseOptions for many calls of ValidateOwn: it keeps the rules that it has read,
// by the key and text of the annotation. Make the option once. It keeps up to 16 MiB, of what was
// used last, and nothing that a Budget was too small to read. It may be used concurrently.
func KeepRules(opts ...ParseOption) ValidateOption {
	kept, reading := keep.NewStore[[2]string, keptText](maxKept), WithParseOptions(opts...)
	return validateOption(func(s *settings) {
		s.reading = parseOptions{}
		reading.changeJudging(s)
		s.kept = kept
	})
}

// A Template is what WithTemplates finds: the rules of a template.
type Template struct {
	// Namespace and Name are those of the template; "" means those that were asked for.
	Namespace, Name string
	Rules           Rules
	// Object is the template itself, if Rules shall be read from it, as RulesFor does. KeepRules keeps
	// them.
	Object map[string]any
}

// A TemplateRef is how a VM names a template.
type TemplateRef struct {
	Namespace   string // "" if the VM does not say it
	Name        string
	VMNamespace string // of the VM, or of the pool or replica set that makes it
}

// WithTemplates lets ValidateOwn find the templates that VMs name. It asks once for each
// TemplateRef in a call, and only for VMs that have no rules of their own or around them. The
// function returns nil if there is no such template, and an error if it cannot know that; a *ParseError
// means that the template's rules cannot be read.
//
// The labels of a VM do not say of which kind its template is. In a cluster, look for an OpenShift Template
// first, and else for a VirtualMachineTemplate, as package admission does.
func WithTemplates(find func(TemplateRef) (*Template, error)) ValidateOption {
	return validateOption(func(s *settings) {
		if s.lookUp = find; find == nil {
			s.lookUp = func(TemplateRef) (*Template, error) { return nil, errors.New("the function of WithTemplates is nil") }
		}
	})
}

// WithInstancetype gives the instance type and the preference that the VMs of the call name.
// Either may be nil. A VM that names one of them is validated as KubeVirt expands it, which
// package instancetype does. The Origin of a violation says which object its value comes from.
//
// If the objects conflict with the VM, KubeVirt refuses it: rules that need them are Undecided, with
// DoubtConflict. An object that is not the one that the VM names, or cannot be used, does not count: rules
// about the fields that it may set are then Undecided. So are rules about what a preference sets if the
// instance type is not given. A VM that leaves a name to a volume (inferFromVolume) takes any object.
func WithInstancetype(instancetype, preference map[string]any) ValidateOption {
	return WithInstancetypes(func(map[string]any) (map[string]any, map[string]any, error) {
		return instancetype, preference, nil
	})
}

// WithInstancetypes is WithInstancetype with a function that finds the objects for a VM that names
// one, and has a rule that cannot be decided without them or is of another kind than those of the
// format. It returns nil for an object that it does not find, and may say why in an error, which
// messages then quote. A panic counts as an error. It must not change the VM.
func WithInstancetypes(find func(vm map[string]any) (instancetype, preference map[string]any, err error)) ValidateOption {
	return validateOption(func(s *settings) { s.find, s.alone = find, false })
}

// WithoutInstancetypes validates a VM by what it says alone, as if it named no instance type and no
// preference, for programs that may not read these. Without it, a rule about a field that they may
// set is Undecided.
//
// It misses what KubeVirt makes of the VM: one passes whose instance type gives it more memory than a
// rule allows, and one fails that leaves a field to it which a rule requires. WarnIfUndecided lets such
// VMs pass, but warns. Of this option and WithInstancetypes, the later one counts.
func WithoutInstancetypes() ValidateOption {
	return validateOption(func(s *settings) { s.find, s.alone = nil, true })
}

// FirstViolation ends a rule for a target at its first violation, for programs that only ask whether an object
// is Valid: the verdict is the same. It has no effect under Ratcheting, where the first violation may be
// forgiven and not the next, nor on what the Checker of another kind returns.
func FirstViolation() ValidateOption {
	return validateOption(func(s *settings) { s.first = true })
}

// WarnIfUndecided makes a rule that is Undecided for these reasons alone warn instead of fail. It
// takes DoubtInstancetype, DoubtPreference, DoubtParameter and DoubtTemplate, and ignores others,
// which a VM could bring about to escape a rule. Of several WarnIfUndecided, the last one counts.
func WarnIfUndecided(doubts ...Doubt) ValidateOption {
	return validateOption(func(s *settings) {
		s.warning = nil
		for _, d := range doubts {
			switch d {
			case DoubtInstancetype, DoubtPreference, DoubtParameter, DoubtTemplate:
				s.warning = append(s.warning, d)
			}
		}
	})
}

// Ratcheting makes an update fail only by what it changes. It has no effect without WithOldObject,
// as when an object is created.
//
// A violation is a warning if the old object has it too: by the same rule, argument, limit and
// value at the same place, or by a value that is missing in both. Items of disks, volumes,
// interfaces and networks are the same if they have the same name, and items of other lists if
// they have the same index. A rule that is Undecided in both objects for the same reason is
// Warned, unless the reason is DoubtBound, DoubtLookup or DoubtRules. The Note of a rule with nothing else
// wrong is "not changed by this update". Nothing is forgiven if the update adds a doubt: a value or an
// argument that cannot be decided any more, or another instance type or preference that is not given.
//
// The same rules validate both objects. If those of ValidateOwn come from another text or template than
// before, the VM is validated in full. A VM whose own rules cannot be read is Warned if neither they nor its
// spec change, and one whose template is not there if it named the same before. WithInstancetypes expands each
// object with what it names itself.
func Ratcheting() ValidateOption { return validateOption(func(s *settings) { s.ratchets = true }) }

// A Budget is what one call may spend: on reading all rules of an annotation, on validating an
// object with all its targets and rules, or in ValidateOwn on both. Beyond it, reading reports a
// problem, and validating leaves the rule Undecided.
//
// Time or Memory that is 0 or less means the default. With the default, any call ends within
// 2 seconds and 256 MB on two cores, for an annotation of 256 KiB and an object of
// 1.5 MB. It is enough for 1,000 rules, for 10,000 values of an enum, and for lists of
// 10,000 VMs. On 32-bit platforms, more than 2 seconds or 2 GiB counts as about that.
type Budget struct {
	// Time is about how long the call may work on a usual core. It counts steps and reads no clock, so
	// that the same call always ends the same way. Only its order of magnitude is promised.
	Time time.Duration
	// Memory is about how many bytes the rules and the report may hold.
	Memory int64
	// Backtracking is how long all regular expressions that backtrack may take together. The default
	// is 500 ms; a negative value means no time at all. The last of them may take 200 ms longer. Others
	// take nothing from Backtracking, only from Time.
	//
	// At most as many calls as there are cores match such expressions at the same time. Waiting
	// for the others does not count, but after a second of it the rule is Undecided. On Unix, the
	// time in which other processes have the cores does not count either, up to 30 seconds a call.
	Backtracking time.Duration
}

// WithBudget sets what one call may spend on reading or on validating.
func WithBudget(b Budget) Option { return b }

func (b Budget) changeReading(o *parseOptions) { o.limits = b }
func (b Budget) changeJudging(s *settings)     { s.limits = b }

// A budget is what a call has left of its Budget. It is not safe for concurrent use.
type budget = meter.Budget

// whole returns the Budget with nothing spent.
func (b Budget) whole() budget {
	return budget{Meter: meter.OrDefault(b.Time, b.Memory), Backtracking: cmp.Or(b.Backtracking, 500*time.Millisecond)}
}

// WithKind adds a kind of rule beyond those of the format, whose programs ignore it. The compiler reads the
// keys that belong to the kind, and its Checker checks what the rule's path selects. All kinds share name, path,
// valid, message and justWarning, and the arguments of the format, which constrain the values once the Checker
// is satisfied.
//
// If a kind has two compilers, the later one counts. It is a Problem if the name is empty
// or that of a kind of the format, or if the compiler is nil.
func WithKind(kind Kind, c KindCompiler) ParseOption {
	return parseOption(func(o *parseOptions) { o.kinds = append(o.kinds, namedKind{kind, c}) })
}

// problems returns what is wrong with the options themselves.
func (o *parseOptions) problems() []Problem {
	var all []Problem
	for _, k := range o.kinds {
		why := ""
		switch {
		case k.kind == "":
			why = "WithKind needs the name of the kind"
		case k.kind.isOfFormat():
			why = fmt.Sprintf("WithKind cannot redefine the kind %s, which belongs to the format", k.kind)
		case k.compiler == nil:
			why = fmt.Sprintf("WithKind has no compiler for the kind %s", value.Quoted(string(k.kind)))
		default:
			continue
		}
		all = append(all, Problem{Index: -1, Line: 1, Column: 1, Reason: ReasonNotSupported, Code: codeInvalidOption, Message: why})
	}
	return all
}
