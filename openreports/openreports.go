// Package openreports writes what vmrules found of a VM as a Report of openreports.io/v1alpha1, which
// dashboards read. A Report is a plain map, so that the package needs no Kubernetes. The
// controller of module admission and the command "vmrules audit -o report" both write it.
//
// A Report has one result for each rule:
//
//	Satisfied           pass
//	Violated            fail
//	Warned              warn
//	Skipped, Ignored    skip
//	Undecided           error
//
// An object whose rules cannot be found or read has one result, which is an error. All texts are
// bounded, and so is the number of results that are listed. The summary counts all of them.
package openreports

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/value"
)

const (
	APIVersion = "openreports.io/v1alpha1"
	Kind       = "Report"
	Source     = "vmrules"

	// ManagedByLabel is a label of a Report, whose value is Source.
	ManagedByLabel = "app.kubernetes.io/managed-by"
	// ResultLabel is a label of a Report: the first of Fail, Error, Warn, Pass and Skip that is
	// among its results.
	ResultLabel = "vmrules.io/result"
	// PolicyAnnotation is an annotation of a Report: the policy of its results.
	PolicyAnnotation = "vmrules.io/policy"
)

// The outcomes of results.
const (
	Fail  = "fail"
	Error = "error"
	Warn  = "warn"
	Pass  = "pass"
	Skip  = "skip"
)

// worstFirst has the outcomes in the order in which they count.
var worstFirst = []string{Fail, Error, Warn, Pass, Skip}

// OwnPolicy is the policy of rules that are a VM's own: the annotation that they are in.
const OwnPolicy = vmrules.Annotation

// TemplatePolicy returns the policy of rules that are those of a template.
func TemplatePolicy(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// Missing returns the error about a template that a VM names and that is not found.
func Missing(namespace, name string) error {
	return fmt.Errorf("the template %s, which the VM names, was not found, so that its rules are not known", TemplatePolicy(namespace, name))
}

// New returns the Report about an object that was judged by the rules of a policy, or could not be,
// as an error says. It returns nil if the object has no rules. The Report has no timestamps: see
// Stamp.
func New(object map[string]any, policy string, report *vmrules.Report, err error) map[string]any {
	policy = clipped(policy, maxPolicy)
	all := resultsOf(policy, report, err)
	if all == nil {
		return nil
	}
	summary := map[string]any{}
	worst := Skip
	for _, outcome := range worstFirst {
		summary[outcome] = int64(0)
	}
	for _, r := range all {
		outcome := outcomeOf(r)
		summary[outcome] = summary[outcome].(int64) + 1
		worst = worseOf(worst, outcome)
	}
	about := subjectOf(object)
	metadata := map[string]any{
		"labels":      map[string]any{ManagedByLabel: Source, ResultLabel: worst},
		"annotations": map[string]any{PolicyAnnotation: policy},
	}
	about.name(metadata)
	return map[string]any{
		"apiVersion": APIVersion, "kind": Kind, "metadata": metadata,
		"source": Source, "scope": about.reference(), "summary": summary, "results": listed(policy, all),
	}
}

// Stamp sets the timestamps of the results of a Report. One that is the same in an earlier Report
// keeps that of the earlier one, which may be nil.
func Stamp(report, earlier map[string]any, now time.Time) {
	known := map[string]any{}
	for _, r := range ResultsIn(earlier) {
		known[withoutTime(r)] = r["timestamp"]
	}
	stamp := map[string]any{"seconds": now.Unix(), "nanos": int64(0)}
	for _, r := range ResultsIn(report) {
		r["timestamp"] = stamp
		if before, ok := known[withoutTime(r)].(map[string]any); ok {
			r["timestamp"] = before
		}
	}
}

// ResultsIn returns the results of a Report, which are not copied.
func ResultsIn(report map[string]any) (all []map[string]any) {
	list, _ := report["results"].([]any)
	for _, item := range list {
		if r, ok := item.(map[string]any); ok {
			all = append(all, r)
		}
	}
	return all
}

// withoutTime returns all that a result says apart from its timestamp.
func withoutTime(result map[string]any) string {
	rest := make(map[string]any, len(result))
	for key, v := range result {
		if key != "timestamp" {
			rest[key] = v
		}
	}
	text, _ := json.Marshal(rest) // texts and numbers
	return string(text)
}

// A subject is the object that a Report is about.
type subject struct{ apiVersion, kind, namespace, called, uid string }

func subjectOf(object map[string]any) subject {
	at := func(names ...string) string { return value.StringAt(object, names...) }
	return subject{at("apiVersion"), at("kind"), at("metadata", "namespace"), at("metadata", "name"), at("metadata", "uid")}
}

// name gives a Report the name, the namespace and the owner that follow from its subject. The prefix
// sets it apart from the Reports that other programs name after the same UID.
func (s subject) name(metadata map[string]any) {
	if s.namespace != "" {
		metadata["namespace"] = s.namespace
	}
	const prefix = "vmrules-"
	switch {
	case s.uid != "":
		metadata["name"] = prefix + s.uid
		metadata["ownerReferences"] = []any{map[string]any{"apiVersion": s.apiVersion, "kind": s.kind, "name": s.called, "uid": s.uid}}
	case s.called != "":
		metadata["name"] = prefix + strings.ToLower(s.kind) + "-" + s.called
	default:
		metadata["generateName"] = prefix
	}
}

// reference returns the scope of a Report.
func (s subject) reference() map[string]any {
	scope := map[string]any{}
	for key, text := range map[string]string{"apiVersion": s.apiVersion, "kind": s.kind, "namespace": s.namespace, "name": s.called, "uid": s.uid} {
		if text != "" {
			scope[key] = text
		}
	}
	return scope
}

// The texts of a result have at most this many bytes, so that a Report of maxResults fits into an API
// server even if all characters have to be escaped.
const (
	maxResults = 200
	maxPolicy  = 320 // a namespace and a name
	maxRule    = 128
	maxMessage = 512
	maxText    = 256
)

// resultsOf returns all results; nil if there are no rules.
func resultsOf(policy string, report *vmrules.Report, err error) (all []map[string]any) {
	if err == nil && !report.Valid() && len(report.Results()) == 0 {
		err = errors.New(report.Violations()[0].Detail) // nothing was judged
	}
	if err != nil {
		return []map[string]any{result(policy, "", Error, err.Error())}
	}
	for _, r := range report.Results() {
		all = append(all, ofRule(policy, r))
	}
	return all
}

func result(policy, rule, outcome, message string) map[string]any {
	r := map[string]any{"source": Source, "policy": policy, "result": outcome}
	if rule != "" {
		r["rule"] = clipped(rule, maxRule)
	}
	if message != "" {
		r["message"] = clipped(message, maxMessage)
	}
	return r
}

// ofRule returns the result for a rule. Its properties are about the first of the violations.
func ofRule(policy string, r vmrules.Result) map[string]any {
	outcomes := map[vmrules.Outcome]string{
		vmrules.Satisfied: Pass, vmrules.Violated: Fail, vmrules.Warned: Warn, vmrules.Skipped: Skip, vmrules.Ignored: Skip,
	}
	made := result(policy, r.Rule, cmp.Or(outcomes[r.Outcome], Error), cmp.Or(r.Note, r.Message))
	properties := map[string]any{}
	add := func(key, text string) {
		if text != "" {
			properties[key] = clipped(text, maxText)
		}
	}
	add("target", r.Target)
	add("undecided", string(r.Undecided))
	if len(r.Violations) > 0 {
		v := r.Violations[0]
		message := v.Detail
		if v.Message != "" {
			message = fmt.Sprintf("%s (%s)", v.Message, v.Detail)
		}
		if more := len(r.Violations) - 1 + r.Omitted; more > 0 {
			message = fmt.Sprintf("%s, and %d more", clipped(message, maxMessage/2), more)
		}
		made["message"] = clipped(message, maxMessage)
		add("field", v.Field)
		add("origin", v.Origin)
		if v.Value != nil {
			add("value", fmt.Sprint(v.Value))
		}
	}
	if len(properties) > 0 {
		made["properties"] = properties
	}
	return made
}

// listed returns the results that a Report lists, in order: the worst of them if there are too many, and
// a last one that counts the others.
func listed(policy string, all []map[string]any) []any {
	left := 0
	dropped := Skip
	kept := make([]bool, len(all))
	room := maxResults
	for _, outcome := range worstFirst {
		for i, r := range all {
			switch {
			case outcomeOf(r) != outcome:
			case room > 0:
				kept[i] = true
				room--
			default:
				left++
				dropped = worseOf(dropped, outcome)
			}
		}
	}
	var list []any
	for i, r := range all {
		if kept[i] {
			list = append(list, r)
		}
	}
	if left > 0 {
		list = append(list, result(policy, "", dropped, fmt.Sprintf("%d more results are left out", left)))
	}
	return list
}

func outcomeOf(result map[string]any) string {
	outcome, _ := result["result"].(string)
	return outcome
}

// worseOf returns the outcome that counts.
func worseOf(a, b string) string {
	if slices.Index(worstFirst, b) < slices.Index(worstFirst, a) {
		return b
	}
	return a
}

// clipped returns a text as JSON can hold it, in at most so many bytes.
func clipped(text string, most int) string {
	return value.ClippedBytes(strings.ToValidUTF8(text, "\uFFFD"), most)
}
