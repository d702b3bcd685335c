package hostile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/lint"
)

// serve runs the attacks whose names it reads, in this process, and writes their measurements
// to standard output.
func serve(named func(string) attack) {
	p, before := &probe{}, runtime.NumGoroutine()
	for names := bufio.NewScanner(os.Stdin); names.Scan(); {
		named(names.Text()).calls(p)
		ending := ready
		if runtime.NumGoroutine() > before {
			ending = leaves
		}
		p.say(call{Found: ending})
	}
}

// A probe makes the calls of an attack and measures each.
type probe struct{}

// measure times a call.
func (p *probe) measure(name string, f func() (outcome, found string)) {
	debug.FreeOSMemory()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // resets the peak of memory
	c := call{Call: name}
	c.Before, _ = memoryOf("self")
	p.say(c)
	start, worked := time.Now(), cpuTime()
	c.Outcome, c.Found = f()
	c.Seconds, c.CPU = time.Since(start).Seconds(), (cpuTime() - worked).Seconds()
	_, c.Peak = memoryOf("self")
	p.say(c)
}

// cpuTime returns the time that this process has used on all cores.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (p *probe) say(c call) {
	json.NewEncoder(os.Stdout).Encode(c)
}

func (p *probe) parse(annotation string, opts ...vmrules.ParseOption) (rules vmrules.Rules, err error) {
	limit("annotation", len(annotation), mostAnnotation)
	p.measure("ParseRules", func() (string, string) {
		rules, err = vmrules.ParseRules(annotation, opts...)
		return problems(err, fmt.Sprintf("%d rules", rules.Len()))
	})
	return rules, err
}

func (p *probe) newRules(list []vmrules.Rule, opts ...vmrules.ParseOption) (rules vmrules.Rules, err error) {
	p.measure("NewRules", func() (string, string) {
		rules, err = vmrules.NewRules(list, opts...)
		return problems(err, fmt.Sprintf("%d rules", rules.Len()))
	})
	return rules, err
}

func (p *probe) rulesFor(vm, template map[string]any) (rules vmrules.Rules, err error) {
	p.measure("RulesFor", func() (string, string) {
		rules, err = vmrules.RulesFor(vm, template)
		return problems(err, fmt.Sprintf("%d rules", rules.Len()))
	})
	return rules, err
}

func (p *probe) parseObject(text string) {
	limit("object", len(text), mostObject)
	p.measure("ParseObject", func() (string, string) {
		object, err := vmrules.ParseObject([]byte(text))
		return problems(err, fmt.Sprintf("%d members", len(object)))
	})
}

func (p *probe) lint(annotation string, opts ...vmrules.ParseOption) []lint.Finding {
	limit("annotation", len(annotation), mostAnnotation)
	var findings []lint.Finding
	p.measure("lint.Annotation", func() (string, string) {
		findings = lint.Annotation(annotation, opts...)
		if len(findings) == 0 {
			return decided, "no findings"
		}
		outcome := decided
		if slices.ContainsFunc(findings, func(f lint.Finding) bool { return f.ID == "not-checked" }) {
			outcome = cut
		}
		return outcome, fmt.Sprintf("%d findings: %s", len(findings), firstLine(findings[0].String()))
	})
	return findings
}

func (p *probe) validate(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) (report *vmrules.Report) {
	p.measure("Validate", func() (string, string) {
		report = vmrules.Validate(rules, object, opts...)
		return summary(report)
	})
	return report
}

func (p *probe) own(object map[string]any, opts ...vmrules.ValidateOption) (report *vmrules.Report) {
	p.measure("ValidateOwn", func() (string, string) {
		report = vmrules.ValidateOwn(object, opts...)
		return summary(report)
	})
	return report
}

func (p *probe) toObject(v any) {
	p.measure("ToObject", func() (string, string) {
		_, err := vmrules.ToObject(v)
		return problems(err, "an object")
	})
}

// judge calls parse and validate.
func (p *probe) judge(annotation string, object map[string]any, opts ...vmrules.ParseOption) *vmrules.Report {
	rules, _ := p.parse(annotation, opts...)
	return p.validate(rules, object)
}

func (p *probe) find(path string, object any) {
	parsed, err := vmrules.ParsePath("jsonpath::" + path)
	p.measure("Find", func() (string, string) {
		if err != nil {
			return problem, shortened(err.Error())
		}
		matches, err := parsed.Find(object)
		return problems(err, fmt.Sprintf("%d matches", len(matches)))
	})
}

func (p *probe) limits(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) []form.Limit {
	var limits []form.Limit
	p.measure("Limits", func() (string, string) {
		limits = form.Limits(rules, object, opts...)
		if n := len(limits); n > 0 && limits[n-1].Path.IsZero() && len(limits[n-1].Must.Undecided) > 0 {
			return cut, fmt.Sprintf("%d limits: %s", n, shortened(limits[n-1].Must.Undecided[0].Note))
		}
		return decided, fmt.Sprintf("%d limits", len(limits))
	})
	return limits
}

func (p *probe) schema(rules vmrules.Rules, object map[string]any, opts ...vmrules.ValidateOption) {
	p.measure("Schema", func() (string, string) {
		schema := form.Schema(rules, object, opts...)
		unexpressed, _ := schema[form.SchemaUnexpressed].([]any)
		return decided, fmt.Sprintf("%d unexpressed", len(unexpressed))
	})
}

func (p *probe) parameters(template map[string]any) {
	p.measure("Parameters", func() (string, string) {
		parameters, err := form.Parameters(template)
		return problems(err, fmt.Sprintf("%d parameters", len(parameters)))
	})
	p.measure("Fill", func() (string, string) {
		filled, err := form.Fill(template, map[string]any{"A": strings.Repeat("4", 1000)})
		return problems(err, fmt.Sprintf("%d members", len(filled)))
	})
}

// render measures every way to write a report.
func (p *probe) render(r *vmrules.Report) {
	var text []byte
	p.text("String", func() (int, error) { return len(r.String()), nil })
	p.text("report JSON", func() (n int, err error) { text, err = json.Marshal(r); return len(text), err })
	p.text("JSON read", func() (int, error) { return len(text), json.Unmarshal(text, new(vmrules.Report)) })
	text = nil
	p.text("Err", func() (int, error) {
		if err := r.Err(); err != nil {
			return len(err.Error()), nil
		}
		return 0, nil
	})
	p.text("Causes", func() (n int, err error) { text, err = json.Marshal(r.Causes()); return len(text), err })
	p.text("AdmissionWarnings", func() (int, error) { return len(strings.Join(r.AdmissionWarnings(), "")), nil })
}

// renderError measures every way to write an error.
func (p *probe) renderError(err error) {
	var e *vmrules.ParseError
	if !errors.As(err, &e) {
		return
	}
	p.text("Error", func() (int, error) { return len(e.Error()), nil })
	p.text("error JSON", func() (int, error) { text, err := json.Marshal(e); return len(text), err })
	p.text("error Causes", func() (int, error) { text, err := json.Marshal(e.Causes()); return len(text), err })
}

// text measures a call that makes a text of size bytes.
func (p *probe) text(name string, make func() (size int, err error)) {
	p.measure(name, func() (string, string) {
		size, err := make()
		if err != nil {
			return problem, shortened(err.Error())
		}
		return decided, fmt.Sprintf("%.1f MB", float64(size)/(1<<20))
	})
}

// limit panics if an attack's input is larger than the promise covers.
func limit(what string, size, most int) {
	if size > most {
		panic(fmt.Sprintf("the attack is beyond the promise: its %s has %d bytes, more than %d", what, size, most))
	}
}

func problems(err error, otherwise string) (outcome, found string) {
	if err == nil {
		return decided, otherwise
	}
	var e *vmrules.ParseError
	if !errors.As(err, &e) || len(e.Problems) == 0 {
		return problem, firstLine(err.Error())
	}
	return problem, fmt.Sprintf("%d problems: %s", len(e.Problems), shortened(e.Problems[0].Message))
}

// summary counts outcomes, and quotes the first rule that was Undecided.
func summary(r *vmrules.Report) (outcome, found string) {
	outcome, why := decided, ""
	counts := map[vmrules.Outcome]int{}
	results := r.Results()
	for _, result := range results {
		counts[result.Outcome]++
		if result.Index < 0 {
			return cut, fmt.Sprintf("%d results", len(results))
		}
		if result.Outcome != vmrules.OutcomeUndecided || outcome == undecided {
			continue
		}
		outcome = undecided
		if len(result.Violations) > 0 {
			why = ": " + shortened(result.Violations[0].Detail)
		}
	}
	var parts []string
	for _, o := range []vmrules.Outcome{vmrules.OutcomeSatisfied, vmrules.OutcomeViolated, vmrules.OutcomeWarned, vmrules.OutcomeSkipped, vmrules.OutcomeIgnored, vmrules.OutcomeUndecided} {
		if counts[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[o], o))
		}
	}
	return outcome, strings.Join(parts, ", ") + why
}
