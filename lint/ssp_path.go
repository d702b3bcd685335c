package lint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/fieldpath"
	"github.com/vmrules/vmrules/internal/constraint"
	"github.com/vmrules/vmrules/internal/jsonpath"
	"github.com/vmrules/vmrules/internal/jsontext"
	"github.com/vmrules/vmrules/internal/rulekey"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmapi"
	"github.com/vmrules/vmrules/lint/ssp"
)

// sspPath checks the text of a path. KubeVirt's template validator appends it to
// ".spec.template", and gives that to the JSONPath package of Kubernetes' client.
func (l *linter) sspPath(r *rule, key string, at jsontext.Node, p vmrules.Path) {
	text, _ := at.Value.(string)
	why := l.sspRefusal(r, key, text, p)
	if why == "" {
		return
	}
	meant := ""
	if steps := spelled(p); len(steps) > 0 && !slices.ContainsFunc(steps, isForeignBracket) {
		meant = jsonpath.Prefix + jsonpath.LeadingDot(strings.Join(steps, ""))
		why += " (write " + value.Shortened(meant) + ")"
	}
	f := l.add(r, key, "ssp-path", "KubeVirt's template validator %s", why)
	f.Offset, f.Suggestion = at.Start, meant
}

// sspRefusal says what KubeVirt's template validator does with a path that it cannot use; "" if it can,
// or need not. It reads all paths, but searches only those of path, valid and the kind's arguments.
func (l *linter) sspRefusal(r *rule, key, text string, p vmrules.Path) string {
	key = sspKey(r.at(key).Key)
	expression, hasPrefix := strings.CutPrefix(text, jsonpath.Prefix)
	relative := strings.TrimPrefix(expression, "$")
	isSearched := key == rulekey.Valid || r.isUsedBySSP(key)
	switch {
	case key == "", key == constraint.Regex, !hasPrefix && key == constraint.Values && !isSearched:
		return ""
	case !hasPrefix && key == constraint.Values:
		return "compares with the text of a path that does not begin with jsonpath::"
	case !hasPrefix:
		return "refuses an annotation with a path that does not begin with jsonpath::"
	case strings.HasPrefix(strings.TrimSpace(relative), "{"):
		return "refuses an annotation with a path in braces"
	case isSearched && relative != "" && !strings.ContainsAny(relative[:1], ".["):
		return "finds nothing with a path that does not begin with a dot"
	case slices.ContainsFunc(written(p), isForeignBracket) && (isSearched || l.sspRefuses(text)):
		return "cannot use brackets with double quotes or blanks, or with a name that has a comma"
	}
	return ""
}

// sspRefuses reports whether KubeVirt's template validator refuses an annotation with a path.
func (l *linter) sspRefuses(path string) bool {
	return l.budget.Spend(sspPathWork*len(path), sspPathSize*len(path)) == nil && ssp.CheckPath(path) != nil
}

// ownBracket matches what Kubernetes' client reads in brackets as it is meant.
var ownBracket = regexp.MustCompile(`^(?:'[^'"\s]*'|\*|[-0-9:]*)$`)

// isForeignBracket reports whether a step has brackets that Kubernetes' client does not accept, or in which
// it finds nothing. It splits them at each comma.
func isForeignBracket(step string) bool {
	inside, isBracket := strings.CutPrefix(strings.TrimPrefix(step, ".."), "[")
	if !isBracket || strings.HasPrefix(inside, "?") {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(inside, "]"), ",")
	return slices.ContainsFunc(parts, func(part string) bool {
		if len(parts) > 1 {
			part = strings.TrimSpace(part)
		}
		return !ownBracket.MatchString(part)
	})
}

// sspSelected checks what a path selects, of which KubeVirt's template validator knows the
// type in Go.
func (l *linter) sspSelected(r *rule, key string, at jsontext.Node, p vmrules.Path, s *pathSearch) {
	fields := s.fields
	if key == rulekey.Path {
		l.sspUnset(r, s)
	}
	if !r.isUsedBySSP(key) || key == constraint.Regex {
		return
	}
	if key != rulekey.Path && selectsSeveral(p) {
		l.sspSeveral(r, key, at)
		return
	}
	hasLength := !r.MinLength.IsZero() || !r.MaxLength.IsZero()
	isNumber := r.Kind == vmrules.KindInteger || key == constraint.MinLength || key == constraint.MaxLength
	switch {
	case len(fields) == 0, !constraint.IsKind(r.Kind), !slices.ContainsFunc(fields, func(f *field) bool { return f.Shape == vmapi.Scalar }):
	case isNumber && !slices.ContainsFunc(fields, sspReadsNumber):
		l.add(r, key, "ssp-field", "KubeVirt's template validator cannot read this field as a number, because %s: it rejects every VM to which the rule applies", sspTypeOf(fields)).Offset = at.Start
	case !isNumber && !slices.ContainsFunc(fields, sspReadsText):
		l.add(r, key, "ssp-comparison", "KubeVirt's template validator reads a name such as <uint32 Value> instead of the value, because %s", sspTypeOf(fields)).Offset = at.Start
	case r.Kind == vmrules.KindString && key == rulekey.Path && hasLength && isFreeText(p):
		l.add(r, key, "ssp-bytes", "KubeVirt's template validator counts bytes here, and not characters: a letter beyond ASCII has several").Offset = at.Start
	}
}

// sspUnset finds a rule for which a VM has to set a field here, but not for KubeVirt's template
// validator, which counts a field that is not set as 0 or "".
func (l *linter) sspUnset(r *rule, s *pathSearch) {
	if l.profile != SSP || !constraint.IsKind(r.Kind) || !r.isForAll() || !s.mayBeUnset(r.Path) {
		return
	}
	zero, isPlain := value.FromString(""), sspReadsText
	if r.Kind == vmrules.KindInteger {
		zero, _ = value.ScalarOf(0)
		isPlain = sspReadsNumber
	}
	isOther := func(f *field) bool { return f.Shape != vmapi.Scalar || !isPlain(f) }
	if len(s.fields) == 0 || slices.ContainsFunc(s.fields, isOther) || !l.sspAllows(r, zero) {
		return
	}
	l.add(r, rulekey.Path, "ssp-unset", "KubeVirt's template validator counts a field that is not set as %[1]s, which satisfies the rule, but here the field is missing: add valid, or do not allow %[1]s", value.Describe(zero.Canonical()))
}

// mayBeUnset reports whether the validator finds a field where a VM does not set it, and this library
// does not: one of the VM's spec itself, or anywhere in its domain.
func (s *pathSearch) mayBeUnset(p vmrules.Path) bool {
	isMap := func(f *field) bool { return f.Shape == vmapi.Map }
	steps := fieldpath.Steps(p)
	if len(steps) < 2 || !namesField(p) || len(s.found) > 0 || slices.ContainsFunc(s.around, isMap) || len(steps) > 2 && !fieldpath.BeginsWith(p, domain) {
		return false
	}
	_, isMember := steps[len(steps)-2].(fieldpath.Name)
	return isMember || impliedAt(p).Default() == nil && steps[len(steps)-1] != fieldpath.Name("name") // which items must have
}

var domain = vmrules.MustParsePath("jsonpath::.spec.domain")

// sspAllows reports whether a value satisfies the arguments of the rule's kind, none of which is a path.
func (l *linter) sspAllows(r *rule, v value.Scalar) bool {
	for key := range r.Arguments() {
		if !r.isUsedBySSP(key) {
			continue
		}
		c := r.literal.Get(key)
		if c == nil { // the argument has a path
			return false
		}
		if ok, err := c.Holds(&v, &l.budget); !ok || err != nil {
			return false
		}
	}
	// Without an argument of its kind, ssp-no-argument says what that validator does.
	_, own := r.argumentCount()
	return own > 0 || r.Kind == vmrules.KindInteger || r.Kind == vmrules.KindString
}

func (l *linter) sspSeveral(r *rule, key string, at jsontext.Node) {
	l.add(r, key, "ssp-argument", "KubeVirt's template validator rejects every VM in which this path does not select exactly one value: write a path to one value").Offset = at.Start
}

// sspReadsNumber reports whether KubeVirt's template validator can read a field as a number.
func sspReadsNumber(f *field) bool {
	sort := f.Type.Value().Sort
	return f.Shape == vmapi.Any || f.Shape == vmapi.Scalar && (sort == vmapi.Quantity || sort == vmapi.Integer && f.Type.Pointee == nil)
}

// sspReadsText reports whether KubeVirt's template validator can read a field as a string.
func sspReadsText(f *field) bool {
	return f.Shape == vmapi.Any || f.Shape == vmapi.Scalar && f.Type.Sort == vmapi.Text && f.Type.Pointee == nil
}

// sspTypeOf says what the type of the first scalar is in Go.
func sspTypeOf(fields []*field) string {
	i := slices.IndexFunc(fields, func(f *field) bool { return f.Shape == vmapi.Scalar })
	names := map[vmapi.Sort]string{
		vmapi.Text: "a string", vmapi.Integer: "a number", vmapi.Boolean: "a boolean", vmapi.Quantity: "a quantity",
		vmapi.Time: "a time", vmapi.IntegerOrText: "a number or a string",
	}
	name := names[fields[i].Type.Value().Sort]
	if fields[i].Type.Pointee != nil {
		name = "a pointer to " + name
	}
	return "its type in Go is " + name
}

// selectsSeveral reports whether a path may select several values. A filter usually selects
// one, by its name.
func selectsSeveral(p vmrules.Path) bool {
	return slices.ContainsFunc(fieldpath.Steps(p), func(step fieldpath.Step) bool {
		switch step := step.(type) {
		case fieldpath.Items, fieldpath.Wildcard, fieldpath.Slice, fieldpath.Union, fieldpath.Descent:
			return true
		case fieldpath.Filter:
			return step.Operator() != "=="
		}
		return false
	})
}

// freeText has the fields that hold text for people, or of the guest, which may have any
// characters. Kubernetes and KubeVirt allow only ASCII in most other fields.
var freeText = []vmrules.Path{
	vmrules.MustParsePath("jsonpath::.metadata.annotations"),
	vmrules.MustParsePath("jsonpath::.spec.domain.chassis"),
	vmrules.MustParsePath("jsonpath::.spec.domain.firmware.kernelBoot.kernelArgs"),
}

// freeNames are the names of such fields in volumes.
var freeNames = []fieldpath.Step{fieldpath.Name("userData"), fieldpath.Name("networkData")}

func isFreeText(p vmrules.Path) bool {
	steps := fieldpath.Steps(p)
	return slices.ContainsFunc(freeText, func(q vmrules.Path) bool { return fieldpath.BeginsWith(p, q) }) ||
		len(steps) > 0 && slices.Contains(freeNames, steps[len(steps)-1])
}
