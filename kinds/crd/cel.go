package crd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/vmrules/vmrules"
)

// The keys of a rule of kind "cel".
const (
	keyExpression        = "expression"
	keyMessageExpression = "messageExpression"
	keyReason            = "reason"
	keyOptionalOldSelf   = "optionalOldSelf"
)

// The variables of its expressions.
const (
	varSelf    = "self"
	varOldSelf = "oldSelf"
	varObject  = "object"
)

// CEL compiles a rule of kind "cel". Its key "expression" holds an expression in Kubernetes'
// CEL that must be true:
//
//	vmrules.ParseRules(annotation, vmrules.WithKind("cel", crd.CEL))
//
// The expression is evaluated for each value that the rule's path selects. Its variables are
// self, the value; oldSelf, the value before an update; and object, the whole object. Their
// types are not known when the rule is read. The rule is Undecided if the expression uses a
// field that is missing, a value of the wrong type, or what an instance type may set.
func CEL(source vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	r := &reading{source: source, key: keyExpression, patterns: map[string]patternPrice{}}
	c := &expressionChecker{reason: vmrules.ReasonInvalid}
	text, ok := r.text(keyExpression)
	if !ok && len(r.problems) == 0 {
		r.problem(nil, vmrules.ReasonRequired, `a rule of kind %q needs the key "expression", such as "self %% 2 == 0"`, source.Rule().Kind)
	}
	message, hasMessage := r.text(keyMessageExpression)
	if reason, ok := r.text(keyReason); ok && slices.Contains(knownReasons, apiextensions.FieldValueErrorReason(reason)) {
		c.reason = vmrules.Reason(reason)
	}
	if raw, ok := source.Value(keyOptionalOldSelf); ok && json.Unmarshal(raw, &c.optional) != nil {
		r.key = keyOptionalOldSelf
		r.problem(nil, vmrules.ReasonTypeInvalid, "must be true or false")
	}
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	celEnv := plainEnv
	if c.optional {
		celEnv = optionalEnv
	}
	env, err := celEnv()
	if err != nil {
		r.problem(nil, vmrules.ReasonInvalid, "Kubernetes' CEL cannot be set up: %v", err)
		return nil, r.problems
	}
	c.text = text
	c.program = r.program(keyExpression, text, env, celgo.BoolType, c)
	if hasMessage {
		c.message = r.program(keyMessageExpression, message, env, celgo.StringType, c)
	}
	if c.optional && !c.usesOld && len(r.problems) == 0 {
		r.key = keyOptionalOldSelf
		r.problem(nil, vmrules.ReasonInvalid, "has no effect, because the expression does not use oldSelf: remove it")
	}
	if r.failed() {
		return nil, r.problems
	}
	return c, nil
}

// Kubernetes' environments with the variables of this kind, which all rules share.
var (
	plainEnv    = sync.OnceValues(func() (*celgo.Env, error) { return newEnv(celgo.DynType) })
	optionalEnv = sync.OnceValues(func() (*celgo.Env, error) { return newEnv(celgo.OptionalType(celgo.DynType)) })
)

func newEnv(oldSelf *celgo.Type) (*celgo.Env, error) {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv().Extend(
		celgo.Variable(varSelf, celgo.DynType),
		celgo.Variable(varOldSelf, oldSelf),
		celgo.Variable(varObject, celgo.DynType))
}

// text returns the value of a key that must be a string, and not blank or too long.
func (r *reading) text(key string) (string, bool) {
	r.key = key
	var s string
	switch raw, ok := r.source.Value(key); {
	case !ok:
	case json.Unmarshal(raw, &s) != nil:
		r.problem(nil, vmrules.ReasonTypeInvalid, "must be a string")
	case strings.TrimSpace(s) == "":
		r.problem(nil, vmrules.ReasonRequired, "must not be empty")
	case len(s) > maxExpression:
		r.problem(nil, vmrules.ReasonTooLong, tooLongExpression, len(s), maxExpression)
	default:
		return s, true
	}
	return "", false
}

// program compiles an expression. It adds a problem if the expression cannot be compiled.
func (r *reading) program(key, text string, env *celgo.Env, want *celgo.Type, c *expressionChecker) celgo.Program {
	r.key = key
	n := tokens(text)
	if r.pay(programWork+n*tokenWork+nestingWork(text), programSize+n*tokenSize); r.unpaid {
		return nil
	}
	e := parse(text)
	if _, tooLarge := r.payRegexes(e); tooLarge {
		r.problem(nil, vmrules.ReasonTooLong, "has "+largePattern, "regular expression", maxPatternSteps, maxPatternSize)
		return nil
	}
	if function := e.makesLists(); function != "" {
		r.problem(nil, vmrules.ReasonInvalid, "the function %q may use all memory: %s", function, boundedUse[function])
	}
	if r.unpaid {
		return nil
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		for _, e := range issues.Errors() {
			line, column := max(e.Location.Line(), 1), max(e.Location.Column(), 0)
			r.problem(nil, vmrules.ReasonInvalid, "%s", expressionError(line, column+1, e.Message, "self, oldSelf and object"))
		}
		return nil
	}
	if !ast.OutputType().IsExactType(want) {
		r.problem(nil, vmrules.ReasonTypeInvalid, "%s", wrongType(ast.OutputType(), want))
		return nil
	}
	// The compiler finds what is wrong with the literals of matches, but not of find and findAll.
	for _, pattern := range e.regexes() {
		if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
			r.problem(nil, vmrules.ReasonInvalid, "the regular expression %q cannot be used: %s", shortened(pattern), shortened(err.Error()))
			return nil
		}
	}
	c.loops = c.loops || e.loops()
	if key == keyExpression {
		c.reads = e.readsOfTemplate()
	}
	for _, ref := range ast.NativeRep().ReferenceMap() {
		c.usesOld = c.usesOld || ref.Name == varOldSelf
		c.usesObject = c.usesObject || ref.Name == varObject
	}
	if c.usesOld && !r.hasOldValue() {
		r.problem(nil, vmrules.ReasonInvalid, noOldValue)
		return nil
	}
	program, err := env.Program(ast,
		celgo.CostLimit(maxExpressionCost),
		celgo.CostTracking(liveCost{}),
		guard(env),
		celgo.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		r.problem(nil, vmrules.ReasonInvalid, "the expression cannot be used: %s", shortened(err.Error()))
	}
	return program
}

func wrongType(got, want *celgo.Type) string {
	switch {
	case !got.IsExactType(celgo.DynType):
		return fmt.Sprintf("the expression must have type %s, not %s", want, got)
	case want.IsExactType(celgo.BoolType):
		return "the expression must have type bool, but its type is not known: compare it, such as self.enabled == true"
	}
	return fmt.Sprintf("the expression must have type %s, but its type is not known: convert it, such as string(self.name)", want)
}

const oldUnknown = "the old value is not known, because an instance type or a preference may set it, or the object is an item of a list"

// An expressionChecker checks each value by one expression.
type expressionChecker struct {
	text                                 string
	program, message                     celgo.Program
	reason                               vmrules.Reason
	reads                                []vmrules.Path // what the expression reads of the object's spec.template
	optional, usesOld, usesObject, loops bool
}

// Check implements vmrules.Checker.
func (c *expressionChecker) Check(in *vmrules.Input) vmrules.Verdict {
	f := &findings{in: in}
	if c.usesOld && in.OldObjectUnknown {
		return vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Note: oldUnknown}
	}
	if c.usesOld && !c.optional && in.OldValue == nil {
		return vmrules.Verdict{Outcome: vmrules.OutcomeSkipped, Note: "there is no old value"}
	}
	if c.usesObject {
		if parameter := in.UnfilledParameter(in.Object); parameter != "" {
			note := fmt.Sprintf("the parameter %s of the template is not filled in", parameter)
			return vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Note: note, Doubt: vmrules.DoubtParameter}
		}
		if err := c.usable(f, in.Object); err != nil {
			f.doubt("the object: %w", err)
			return f.verdict()
		}
	}
	for _, path := range c.reads {
		if _, err := in.Find(path); err != nil {
			return vmrules.Verdict{Outcome: vmrules.OutcomeUndecided, Note: err.Error()}
		}
	}
	if c.usesOld {
		if err := c.usable(f, in.OldValue); err != nil {
			f.doubt("the old value: %w", err)
			return f.verdict()
		}
	}
	for i, m := range in.Values {
		if err := c.judge(f, i); err != nil {
			f.doubt("%s: %w", m.Field, err)
		}
	}
	return f.verdict()
}

func (c *expressionChecker) judge(f *findings, i int) error {
	self := f.in.Values[i].Value
	if err := c.usable(f, self); err != nil {
		return err
	}
	variables := map[string]any{varSelf: self, varObject: f.in.Object, varOldSelf: f.in.OldValue}
	if c.optional {
		variables[varOldSelf] = types.OptionalNone
		if old := f.in.OldValue; old != nil {
			variables[varOldSelf] = types.OptionalOf(types.DefaultTypeAdapter.NativeToValue(old))
		}
	}
	result, err := f.evaluate(c.program, variables)
	if err != nil {
		return fmt.Errorf("the expression cannot be evaluated: %w", err)
	}
	if result != true {
		detail := "the expression is false: " + shortened(strings.Join(strings.Fields(c.text), " "))
		f.violate(i, nil, c.reason, detail, c.messageOf(f, variables))
	}
	return nil
}

// usable returns an error if the expressions cannot use a value.
func (c *expressionChecker) usable(f *findings, v any) error {
	m, err := f.measured(v)
	if err == nil && c.loops {
		err = m.loopable()
	}
	return err
}

// messageOf returns the message that the messageExpression gives, or "" for the message of
// the rule. A message counts by the same conditions as in Kubernetes.
func (c *expressionChecker) messageOf(f *findings, variables map[string]any) string {
	if c.message == nil {
		return ""
	}
	result, err := f.evaluate(c.message, variables)
	message, _ := result.(string)
	message = strings.TrimSpace(message)
	if err != nil || strings.ContainsAny(message, "\r\n") || len(message) > celconfig.MaxEvaluatedMessageExpressionSizeBytes {
		return ""
	}
	return message
}

// evaluate runs a program, and pays for the cost that CEL has counted, up to the limit for
// one expression.
func (f *findings) evaluate(program celgo.Program, variables map[string]any) (any, error) {
	if err := f.in.Spend(evaluationWork, 0); err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(context.Background(), maxEvaluation)
	defer done()
	result, details, err := program.ContextEval(ctx, variables)
	cost := uint64(maxExpressionCost) // the count goes beyond it if a guarded call was refused
	if details != nil && details.ActualCost() != nil {
		cost = min(cost, *details.ActualCost())
	}
	if tooDear := f.payCost(ctx, int64(cost)); tooDear != nil {
		return nil, tooDear
	}
	switch {
	case err != nil && strings.HasPrefix(err.Error(), costExceeded):
		return nil, boundErrorf("it costs more than %d, the limit for one expression", maxExpressionCost)
	case err != nil && strings.HasPrefix(err.Error(), "no such overload"):
		return nil, errors.New("a value does not have a type that the expression can use (no such overload)")
	case err != nil:
		return nil, errors.New(shortened(err.Error()))
	}
	return result.Value(), nil
}

// payCost pays for the cost of expressions. It spends the whole budget if they were
// interrupted.
func (f *findings) payCost(ctx context.Context, cost int64) error {
	if ctx.Err() != nil {
		_ = f.in.Spend(math.MaxInt64, 0)
		return boundError("the expressions take longer than a second")
	}
	return f.in.Spend(times(cost, costWork), 0)
}
