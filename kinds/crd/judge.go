package crd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vmrules/vmrules"
)

// Check implements vmrules.Checker.
func (j *judge) Check(in *vmrules.Input) vmrules.Verdict {
	f := &findings{in: in}
	for i := range in.Values {
		j.value(f, i)
	}
	return f.verdict()
}

func (j *judge) value(f *findings, i int) {
	m := f.in.Values[i]
	object, err := j.prepared(m.Value, f)
	if err != nil {
		f.doubt("%s: %w", m.Field, err)
		return
	}
	errs := validation.ValidateCustomResource(nil, object, j.values)
	errs = append(errs, validateMeta(object, j.structural)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, j.structural, object)...)
	p := placer{findings: f, value: i, judge: j, object: object}
	for _, e := range errs {
		p.add(e, "", "")
	}
	if j.expressions == nil && j.duplicates == nil {
		return
	}
	if slices.ContainsFunc(errs, func(e *field.Error) bool { return slices.Contains(blocking, e.Type) }) {
		f.doubt("the rules of x-kubernetes-validations, because the value does not fit the rest of the schema")
		return
	}
	j.rules(p)
}

// validateMeta calls objectmeta.Validate, which takes a context from Kubernetes 0.37 on.
func validateMeta(object any, s *structural.Structural) field.ErrorList {
	validate := any(objectmeta.Validate)
	if before, ok := validate.(func(*field.Path, any, *structural.Structural, bool) field.ErrorList); ok {
		return before(nil, object, s, false)
	}
	type withContext = func(context.Context, *field.Path, any, *structural.Structural, bool) field.ErrorList
	return validate.(withContext)(context.Background(), nil, object, s, false)
}

// blocking has the types of errors that keep the API server from evaluating the rules of
// x-kubernetes-validations, which rely on the rest of the schema.
var blocking = []field.ErrorType{
	field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
}

func (j *judge) rules(p placer) {
	var old any
	if p.in.OldValue != nil {
		prepared, err := j.prepared(p.in.OldValue, p.findings)
		if err != nil {
			p.doubt("the old value: %w", err)
			return
		}
		old = prepared
	}
	if j.usesOld && p.in.OldObjectUnknown {
		p.doubt("the rules of x-kubernetes-validations: %s", oldUnknown)
		return
	}
	if err := j.payTexts(p.findings, p.object, old); err != nil {
		p.doubt("the rules of x-kubernetes-validations: %w", err)
		return
	}
	for _, v := range []*cel.Validator{j.expressions, j.duplicates} {
		if v != nil {
			j.rulesOf(v, p, old)
		}
	}
}

func (j *judge) rulesOf(v *cel.Validator, p placer, old any) {
	if err := p.in.Spend(evaluationWork, 0); err != nil {
		p.doubt("the rules of x-kubernetes-validations: %w", err)
		return
	}
	ctx, done := context.WithTimeout(context.Background(), maxEvaluation)
	defer done()
	errs, left := v.Validate(ctx, nil, j.structural, p.object, old, maxValueCost)
	if err := p.payCost(ctx, maxValueCost-max(left, 0)); err != nil {
		p.doubt("the rules of x-kubernetes-validations: %w", err)
		return
	}
	if last := len(errs) - 1; left < 0 && last >= 0 { // the last error says that the cost is exceeded
		tooDear := boundErrorf("together they cost more than %d, the limit for one value", maxValueCost)
		if strings.Contains(errs[last].Detail, "call cost exceeds limit") {
			tooDear = boundErrorf("one of them costs more than %d, the limit for one expression", maxExpressionCost)
		}
		p.doubt("the rules of x-kubernetes-validations: %w", tooDear)
		errs = errs[:last]
	}
	for _, e := range errs {
		if v == j.duplicates && !j.isRuntimeError(e) {
			e.Type = field.ErrorTypeDuplicate
		}
		p.addRule(e)
	}
}

// payTexts pays for work that Kubernetes' costs do not count: matching and formatting the strings
// in a value. It returns an error if a list is too long for a loop, or if a rule reads quantities and
// the value may have a hostile one.
func (j *judge) payTexts(f *findings, object, old any) error {
	now, before := measureOf(object), measureOf(old)
	length := now.text + before.text
	steps := now.values + before.values + length*int64(j.regexes)/10
	if j.quantities {
		steps += length / 10
	}
	if err := f.work(steps); err != nil {
		return err
	}
	if j.loops {
		if err := cmp.Or(now.loopable(), before.loopable()); err != nil {
			return err
		}
	}
	if j.formats {
		if err := f.in.Spend(0, min(length, math.MaxInt32)*int64(max(now.longest, before.longest))); err != nil {
			return err
		}
	}
	if j.quantities && (hasHostileQuantity(object) || hasHostileQuantity(old)) {
		return errHostileQuantity
	}
	return nil
}

// prepared returns a copy of a value in the form in which the API server validates it: without
// unknown fields, and with defaults. It returns an error if the value cannot be decided.
func (j *judge) prepared(v any, f *findings) (map[string]any, error) {
	m, err := f.measured(v)
	if err != nil {
		return nil, err
	}
	if err := f.work(m.values); err != nil {
		return nil, err
	}
	if m.copied > maxCopy {
		return nil, boundErrorf("a copy of the value takes more than %d MiB", maxCopy>>20)
	}
	object := runtime.DeepCopyJSON(map[string]any{valueField: v})
	toNumbers(object, j.schema)
	pruning.Prune(object, j.structural, false)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, j.structural)
	e := estimate{findings: f, patterns: j.patterns}
	if e.judging(j.schema, object, 0); e.err != nil {
		return nil, e.err
	}
	defaulting.Default(object, j.structural)
	return object, nil
}

// A placer turns errors of the API server's validators into violations.
type placer struct {
	*findings
	value  int
	judge  *judge
	object map[string]any
}

// add adds a violation. If detail is "", the violation has the detail of the error.
func (p placer) add(e *field.Error, detail, message string) {
	if e.Type == field.ErrorTypeInternal {
		p.doubt("%s", plainWords(e.Detail, e.Field))
		return
	}
	if len(p.violations) >= maxViolations {
		p.more++
		return
	}
	if p.payError(e) != nil {
		return // the rule is Undecided, whatever else is found
	}
	path := fieldOf(e)
	detail = cmp.Or(detail, plainDetail(e))
	steps, ambiguous := locate(path, p.object, p.judge.schema, e.Type == field.ErrorTypeRequired)
	if len(steps) > 0 {
		steps, path = steps[1:], strings.TrimPrefix(strings.TrimPrefix(path, valueField), ".")
	}
	if ambiguous {
		detail += " (at " + shortened(path) + ")"
	}
	reason := vmrules.Reason(e.Type)
	if e.Type == field.ErrorTypeTooMany { // package vmrules has no such reason
		reason = vmrules.ReasonInvalid
	}
	p.violate(p.value, steps, reason, detail, message)
}

// fieldOf returns the field that an error is about. Some errors have it only in their text.
func fieldOf(e *field.Error) string {
	path := e.Field
	if e.Type == field.ErrorTypeNotSupported { // its text is a list of values, which may be long
		return path
	}
	for _, inDetail := range []*regexp.Regexp{forbiddenField, failedSchema, notInRange} {
		if m := inDetail.FindStringSubmatch(e.Detail); m != nil {
			path = m[len(m)-1]
		}
	}
	return path
}

// payError pays for finding the field of an error.
func (p placer) payError(e *field.Error) error {
	names := min(1+strings.Count(e.Field, ".")+strings.Count(e.Field, "["), maxTries)
	work := int64(min(names*names, maxTries) * nameWork)
	if e.Type != field.ErrorTypeNotSupported { // fieldOf does not search its text
		work += int64(len(e.Detail)) * detailWork
	}
	return p.in.Spend(time.Duration(work), 0)
}

// addRule adds a violation of a rule of x-kubernetes-validations. If that rule has a message,
// it replaces the message of the vmrules rule.
func (p placer) addRule(e *field.Error) {
	rule, isFailed := strings.CutPrefix(e.Detail, "failed rule: ")
	switch {
	case p.judge.isRuntimeError(e):
		p.add(e, "a rule of x-kubernetes-validations cannot be evaluated: "+shortened(inRule.ReplaceAllString(e.Detail, "$1 (rule: $2)")), "")
	case p.judge.ruleNames[rule] && isFailed: // it has Kubernetes' default message
		p.add(e, shortened(e.Detail), "")
	default:
		p.add(e, "violates a rule of x-kubernetes-validations", e.Detail)
	}
}

// isRuntimeError reports whether an expression failed, rather than being false. The error of a rule
// that is false has a message, which may read like any other error. But only the error of a rule
// that failed has the name of a type in place of the value, and ends with the rule.
func (j *judge) isRuntimeError(e *field.Error) bool {
	of, isText := e.BadValue.(string)
	if !isText || e.Type != field.ErrorTypeInvalid || !slices.Contains(valueTypes, of) {
		return false
	}
	for rule := range j.ruleNames {
		if strings.HasSuffix(e.Detail, " evaluating rule: "+rule) || strings.HasSuffix(e.Detail, overloadError+" for rule: "+rule) {
			return true
		}
	}
	return false
}

// valueTypes has the types of a schema. An int or string has none.
var valueTypes = []string{"object", "array", "string", "integer", "number", "boolean", ""}

const overloadError = ": call arguments did not match a supported operator, function or macro signature"

// plainDetail returns what an error says about a value, without the field.
func plainDetail(e *field.Error) string {
	switch e.Type {
	case field.ErrorTypeRequired:
		return cmp.Or(e.Detail, "the field is not set")
	case field.ErrorTypeDuplicate:
		what := "value"
		if _, isKey := e.BadValue.(map[string]any); isKey {
			what = "keys"
		}
		return "another item of the list has the same " + what
	case field.ErrorTypeNotSupported:
		return "not one of the " + shortened(e.Detail)
	case field.ErrorTypeTooLong:
		return strings.Replace(e.Detail, "bytes", "characters", 1)
	}
	if forbiddenField.MatchString(e.Detail) {
		return "a field of this name is not allowed"
	}
	return plainWords(e.Detail, e.Field)
}

var (
	// The errors that have their field only in their text, as the last group.
	forbiddenField = regexp.MustCompile(`^(?s:(.*)) in body is a forbidden property$`)
	failedSchema   = regexp.MustCompile(`^"(?s:(.*))" must (?:not )?validate [^"]*$`)
	notInRange     = regexp.MustCompile(`^Checked value (must .*) in (?s:(.*))$`)

	// The parts of texts that plainWords and addRule replace.
	inBody     = regexp.MustCompile(`^((?:\S+ )?in body |"\S*" (must (?:not )?validate ))`)
	mustBeType = regexp.MustCompile(`^must be of type ([^:]*): "(.*)"$`)
	inRule     = regexp.MustCompile(`^'?(.*?)'?(?:` + overloadError + ` for rule:| evaluating rule:) (?s:(.*))$`)
)

var goTypes = map[string]string{"int64": "a number", "float64": "a number"}

// plainWords returns the text of an error without its field and without names of Go types.
func plainWords(detail, fieldPath string) string {
	detail = strings.TrimSpace(detail)
	if rest, ok := strings.CutPrefix(detail, fieldPath+" in body "); ok {
		detail = rest
	} else {
		detail = inBody.ReplaceAllString(detail, "$2")
	}
	detail = notInRange.ReplaceAllString(detail, "$1")
	if m := mustBeType.FindStringSubmatch(detail); m != nil {
		detail = fmt.Sprintf("must be of type %s, not %s", strings.ReplaceAll(m[1], ",", " or "), cmp.Or(goTypes[m[2]], m[2]))
	}
	return shortened(detail)
}

// withRules returns a copy of a schema with only the rules with the reason FieldValueDuplicate if
// duplicates is true, and without that reason. Otherwise it has only the other rules.
func withRules(s *structural.Structural, duplicates bool) *structural.Structural {
	s = s.DeepCopy()
	visitor := structural.Visitor{Structural: func(s *structural.Structural) bool {
		before := len(s.XValidations)
		s.XValidations = slices.DeleteFunc(s.XValidations, func(rule v1.ValidationRule) bool {
			return (rule.Reason != nil && *rule.Reason == v1.FieldValueDuplicate) != duplicates
		})
		for i := range s.XValidations {
			if duplicates {
				s.XValidations[i].Reason = nil
			}
		}
		return before > 0
	}}
	visitor.Visit(s)
	return s
}
