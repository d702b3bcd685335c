// Package openreports writes what vmrules found of a VM as a Report of openreports.io/v1alpha1, which
// dashboards read. A Report is a plain map, so that the package needs no Kubernetes. The
// controller of module admission and the command "vmrules audit -o report" both write it.
//
// A Report has one result for each rule: pass, fail, warn, or skip. One that is Undecided is an error, and so
// is the only result for an object whose rules cannot be found or read. Texts are cut to a length.
// Beyond 200 results, only the worst are listed, but all are counted.
package openreports

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/meter"
	"github.com/vmrules/vmrules/internal/value"
	"github.com/vmrules/vmrules/internal/vmsource"
	"github.com/vmrules/vmrules/internal/vmtarget"
)

const (
	APIVersion = "openreports.io/v1alpha1"
	Kind       = "Report"
	Source     = "vmrules"

	// ManagedByLabel is a label of a Report, whose value is Source.
	ManagedByLabel = "app.kubernetes.io/managed-by"
	// ResultLabel is a label of a Report: the first of fail, error, warn, pass and skip that is
	// among its results.
	ResultLabel = "vmrules.io/result"
	// PolicyAnnotation is an annotation of a Report: the policy of its results.
	PolicyAnnotation = "vmrules.io/policy"
	// OwnPolicy is the policy of rules that are a VM's own: the annotation that they are in.
	OwnPolicy = vmrules.Annotation
)

var worstFirst = []string{"fail", "error", "warn", "pass", "skip"}

// A Validation is the result of validating an object, which New writes as a Report.
type Validation struct {
	Policy   string         // where the rules come from, such as the name of a template
	Template map[string]any // the template whose rules they are; nil if they are not those of one
	Report   *vmrules.Report
	Err      error     // why the rules could not be found or read
	Time     time.Time // of all results
}

// New returns the Report about an object, or nil if the object has no rules. A VM that names a template which
// nobody found has a warning, and so has one that has LostRules of its template. The name of the Report has a
// prefix, because others also name Reports by the UID.
func New(object map[string]any, v Validation) map[string]any {
	policy, all := clipped(v.Policy, maxPolicy), resultsOf(v.Report, v.Err)
	switch {
	case all == nil:
		return nil
	case LostRules(object, v.Template, v.Report) != "":
		all = append(all, result("", "warn", "the VM has lost the annotation "+vmrules.Annotation+", which its template has for its VMs"))
	}
	summary := map[string]any{}
	for _, outcome := range worstFirst {
		summary[outcome] = int64(0)
	}
	for _, r := range all {
		outcome := r["result"].(string)
		summary[outcome] = summary[outcome].(int64) + 1
	}
	worst := slices.MinFunc(all, worseFirst)["result"]
	if left := len(all) - maxResults; left > 0 {
		slices.SortStableFunc(all, worseFirst)
		rest := fmt.Sprintf("%d more results are left out", left)
		all = append(all[:maxResults], result("", all[maxResults]["result"].(string), rest))
	}
	results := make([]any, len(all))
	for i, r := range all {
		r["source"], r["policy"] = Source, policy
		r["timestamp"] = map[string]any{"seconds": v.Time.Unix(), "nanos": int64(0)}
		results[i] = r
	}
	scope := map[string]any{}
	for _, key := range []string{"apiVersion", "kind", "namespace", "name", "uid"} {
		add(scope, key, cmp.Or(value.StringAt(object, "metadata", key), value.StringAt(object, key)))
	}
	metadata := map[string]any{
		"name":        nameFor(strings.ToLower(value.StringAt(object, "kind")) + "-" + value.StringAt(object, "metadata", "name")),
		"labels":      map[string]any{ManagedByLabel: Source, ResultLabel: worst},
		"annotations": map[string]any{PolicyAnnotation: policy},
	}
	add(metadata, "namespace", value.StringAt(object, "metadata", "namespace"))
	if uid, ok := scope["uid"]; ok {
		metadata["name"] = nameFor(uid.(string))
		metadata["ownerReferences"] = []any{map[string]any{"apiVersion": scope["apiVersion"], "kind": scope["kind"], "name": scope["name"], "uid": uid}}
	}
	return map[string]any{
		"apiVersion": APIVersion, "kind": Kind, "metadata": metadata,
		"source": Source, "scope": scope, "summary": summary, "results": results,
	}
}

// LostRules returns the annotation with rules that a template has for its VMs, and that a VirtualMachine which was
// validated by it lacks; "" if there is none. A program that does not look for the template does not know these rules.
func LostRules(vm, template map[string]any, report *vmrules.Report) string {
	all := report.Targets()
	if template == nil || value.StringAt(vm, "kind") != "VirtualMachine" || len(all) != 1 || all[0].From != vmrules.SourceTemplate {
		return ""
	}
	m := meter.OrDefault(0, 0)
	inside := vmsource.OwnText(vmtarget.Append(nil, template, &m)[0].VM)
	if inside.IsBlank() {
		return ""
	}
	text, _ := inside.Value.(string)
	return text
}

// notInName matches what cannot be in the name of a Kubernetes object.
var notInName = regexp.MustCompile(`[^a-z0-9.-]+|(^|\.)-+|-+(\.|$)|\.\.+|\.$`)

// maxName leaves room for a hash in the 253 characters that a name may have.
const maxName = 240

// nameFor names the Report about an object, with a hash if its own name is not allowed, as it may be in a file.
func nameFor(object string) string {
	name := "vmrules-" + object
	if len(name) <= maxName && !notInName.MatchString(name) {
		return name
	}
	allowed := notInName.ReplaceAllString(name[:min(len(name), maxName)], "-")
	return fmt.Sprintf("%s-%.4x", strings.Trim(strings.ReplaceAll(allowed, ".", "-"), "-"), sha256.Sum256([]byte(name)))
}

func worseFirst(a, b map[string]any) int {
	of := func(r map[string]any) int { return slices.Index(worstFirst, r["result"].(string)) }
	return cmp.Compare(of(a), of(b))
}

// These bounds, of texts in bytes, let an API server take a Report even if all characters have to be escaped.
const (
	maxResults = 200
	maxPolicy  = 320 // a namespace and a name
	maxRule    = 128
	maxMessage = 512
	maxText    = 256
)

// resultsOf returns all results; nil if there are no rules.
func resultsOf(report *vmrules.Report, err error) (all []map[string]any) {
	results := report.Results()
	if err == nil && len(results) == 0 && !report.Valid() {
		err = errors.New(report.Violations()[0].Detail) // nothing was validated
	}
	if err != nil {
		return []map[string]any{result("", "error", err.Error())}
	}
	for _, r := range results {
		all = append(all, ofRule(r))
	}
	for _, t := range report.Targets() {
		if t.Coverage == vmrules.CoverageNoTemplate {
			all = append(all, result("", "warn", t.Note))
		}
	}
	return all
}

func result(rule, outcome, message string) map[string]any {
	r := map[string]any{"result": outcome}
	add(r, "rule", clipped(rule, maxRule))
	add(r, "message", clipped(message, maxMessage))
	return r
}

var outcomes = map[vmrules.Outcome]string{
	vmrules.OutcomeSatisfied: "pass", vmrules.OutcomeViolated: "fail", vmrules.OutcomeWarned: "warn",
	vmrules.OutcomeSkipped: "skip", vmrules.OutcomeIgnored: "skip",
}

// ofRule returns the result for a rule. Its properties are about the first of the violations.
func ofRule(r vmrules.Result) map[string]any {
	message, properties := cmp.Or(r.Note, r.Message), map[string]any{}
	add(properties, "target", clipped(r.Target, maxText))
	add(properties, "doubt", string(r.Doubt))
	if len(r.Violations) > 0 {
		v := r.Violations[0]
		message = cmp.Or(v.Text, v.Detail)
		if v.Message != "" {
			message = fmt.Sprintf("%s (%s)", v.Message, message)
		}
		if more := len(r.Violations) - 1 + r.Omitted; more > 0 {
			message = fmt.Sprintf("%s, and %d more", clipped(message, maxMessage/2), more)
		}
		add(properties, "field", clipped(v.Field, maxText))
		add(properties, "origin", clipped(v.Origin, maxText))
		if v.Value != nil {
			add(properties, "value", clipped(fmt.Sprint(v.Value), maxText))
		}
	}
	made := result(r.Rule, cmp.Or(outcomes[r.Outcome], "error"), message)
	if len(properties) > 0 {
		made["properties"] = properties
	}
	return made
}

// add adds a text unless it is empty.
func add(to map[string]any, key, text string) {
	if text != "" {
		to[key] = text
	}
}

// clipped returns a text as JSON can hold it, in at most so many bytes.
func clipped(text string, most int) string {
	return value.ClippedBytes(strings.ToValidUTF8(text, "\uFFFD"), most)
}
