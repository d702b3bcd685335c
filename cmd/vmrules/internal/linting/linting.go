// Package linting lints the rules in files, and finds fixes.
package linting

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
	"github.com/vmrules/vmrules/lint"
)

// Options say how files are linted.
type Options struct {
	Settings
	Strict  bool
	For     lint.Profile
	NoNotes bool // about rules
}

// A Linter lints files.
type Linter struct {
	*judging.Parameters
	Build   build.Build
	options Options

	Excluded int // files

	configs config.Finder
	now     config.Config // for the current file
	silence *silence      // for the current object; nil: nothing is accepted

	isJudged bool // the findings are those of a judgement

	WantsFixes, PlacesFixes bool     // whether findings have their fixes, and these their places in the file
	fixable                 *fixable // the current rules; nil for other findings
	room                    int      // bytes that may still be linted for fixes of the current file
}

// New returns a linter of templates with these values of parameters. The settings have been checked.
func New(b build.Build, o Options, p *judging.Parameters) *Linter {
	return &Linter{Parameters: p, Build: b, options: o}
}

// Profile returns the program for which the current file is linted; "" for none.
func (l *Linter) Profile() lint.Profile { return l.now.For }

// Enter begins a file.
func (l *Linter) Enter(file *manifest.File) (err error) {
	l.room = maxFixed
	l.now, err = l.settingsFor(file.Name)
	l.silence = &silence{}
	return err
}

// AddUseless adds the entries of .vmrules.yaml that have no effect, if all files that they are
// about were linted.
func (l *Linter) AddUseless(to *Linted, args []string) {
	l.configs.Useless(args, func(name string, useless lint.Finding) {
		for file, err := range manifest.Read([]string{name}, nil) {
			if err == nil && l.Enter(file) == nil {
				l.silence = nil // nothing accepts these findings
				l.addFindings(to, file, "ignore", []lint.Finding{useless})
			}
		}
	})
}

// Fails reports whether a finding of a severity sets the exit status.
func (l *Linter) Fails(s lint.Severity) bool {
	return s == lint.SeverityError || l.now.WarningsAsErrors && s == lint.SeverityWarning
}

// LintFile lints all rules in a file: annotations, and documents that are rules in the form
// of an annotation or in a form that the build knows by its kind.
func (l *Linter) LintFile(to *Linted, file *manifest.File) {
	to.Source = cmp.Or(to.Source, file.Source())
	for _, d := range file.Documents() {
		if _, known := l.Build.Documents[d.Type()]; d.LooksLikeRules() || known && d.Type() != "" {
			l.lintDocument(to, d)
		} else if !known && slices.Contains(build.DocumentsOfFull, d.Type()) {
			to.LeftOut[d.Type()] = true
		}
	}
	for _, object := range file.Objects() {
		if to.IsFull {
			return
		}
		to.HasVM = to.HasVM || object.IsOfVM()
		if err := l.LintObject(to, object.Loaded()); err != nil {
			to.Fail(err)
		}
	}
}

// LintObject lints all rules in an object.
func (l *Linter) LintObject(to *Linted, object manifest.Object) error {
	file := object.File
	defer func(ofFile *silence) { l.silence = ofFile }(l.silence)
	l.silence = silenceIn(object)
	l.addFindings(to, file, object.String(), object.Mistakes())
	filled, err := l.Fill(object)
	if err != nil {
		return err
	}
	own := l.judgeOwnVM(filled, object)
	for _, a := range filled.Annotations() {
		l.fixable = l.newFixable(a.Text(), a.Options(nil), a.Change)
		findings := l.explained(a.Lint(l.reading()...), a.Text())
		for i, f := range findings {
			if f.ID == unreadable {
				findings[i].Message += aboutParameters(a, f.Offset, filled.Missing)
			} else if missing := MissingIn(f.Message, filled.Missing); len(missing) > 0 {
				findings[i].Message += "; " + MissingText(missing[0])
			}
		}
		findings = append(findings, ownVMFindings(own, a, findings)...)
		l.add(to, file, a.Object.String(), findings)
	}
	l.addFindings(to, file, object.String(), unreadableVM(own, object))
	useless := l.silence.useless()
	l.silence = nil
	l.addFindings(to, file, object.String(), useless)
	return nil
}

// AddJudged adds what a judgement of an object found. An error cannot be accepted.
func (l *Linter) AddJudged(to *Linted, object manifest.Object, findings []lint.Finding) {
	l.silence = silenceIn(object)
	l.isJudged = true
	l.addFindings(to, object.File, object.String(), findings)
	l.silence, l.isJudged = nil, false
}

// LintRules lints a file that must contain rules.
func (l *Linter) LintRules(to *Linted, file *manifest.File) {
	for _, d := range file.Documents() {
		l.lintDocument(to, d)
	}
}

func (l *Linter) lintDocument(to *Linted, d manifest.Document) {
	findings := l.findings(&d)
	for i := range findings {
		d.PlaceFinding(&findings[i])
	}
	l.add(to, d.File, d.String(), findings)
}

// findings returns the findings of the library about an array. For another document, it
// returns the errors that prevent its use.
func (l *Linter) findings(d *manifest.Document) []lint.Finding {
	if text, err := d.JSON(); d.IsArray() && err == nil {
		l.fixable = l.newFixable(text, nil, d.Change)
		return l.explained(lint.Annotation(text, l.reading()...), text)
	}
	var all []lint.Finding
	_, problems := l.Build.Read(d)
	for _, p := range problems {
		all = append(all, lint.Finding{
			Severity: lint.SeverityError, ID: cmp.Or(problemIDs[p.Reason], "invalid-argument"), Rule: p.Rule, Index: p.Index,
			Key: p.Key, Offset: p.Offset, Message: p.Message, Refuses: true,
		})
	}
	return all
}

// explained corrects the findings in an annotation about rules that only vmrules-full knows, unless they
// are for another program: their kind is not wrong, and their keys cannot be linted.
func (l *Linter) explained(findings []lint.Finding, annotation string) []lint.Finding {
	if l.now.For != "" {
		return findings
	}
	isOfFull := map[int]bool{} // by the index of the rule
	for i, f := range findings {
		if f.ID != "unknown-kind" {
			continue
		}
		var kind string
		_ = json.Unmarshal([]byte(annotation[f.Offset:f.End]), &kind)
		if l.Build.IsOnlyOfFull(vmrules.Kind(kind)) {
			findings[i].Message = fmt.Sprintf("the kind %q is ignored, because only vmrules-full knows it: %s", kind, build.InstallFull)
			isOfFull[f.Index] = true
		}
	}
	return slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.ID == "unknown-key" && isOfFull[f.Index] })
}

// problemIDs maps the reasons of problems of a document to checks. For other reasons the
// check is invalid-argument. A problem without a reason is about the whole document.
var problemIDs = map[vmrules.Reason]string{
	"": "unreadable", vmrules.ReasonRequired: "missing-key", vmrules.ReasonTypeInvalid: "wrong-type",
	vmrules.ReasonDuplicate: "duplicate", vmrules.ReasonTooLong: "too-long",
}

func (l *Linter) reading() []vmrules.ParseOption {
	opts := l.Build.Options()
	if l.options.Strict {
		opts = append(opts, vmrules.Strict())
	}
	return append(opts, lint.For(l.now.For), lint.KubeVirt(l.now.KubeVirt))
}

// add adds the findings about the rules in an annotation or a document.
func (l *Linter) add(to *Linted, file *manifest.File, about string, findings []lint.Finding) {
	to.Annotations++
	first := len(to.Findings)
	l.addFindings(to, file, about, findings)
	if l.fixable != nil {
		l.fixable.settle(to.fixes[first:])
		l.fixable = nil
	}
}

// addFindings adds findings, if they are severe enough.
func (l *Linter) addFindings(to *Linted, file *manifest.File, about string, findings []lint.Finding) {
	for _, f := range findings {
		if !l.isJudged || f.Severity != lint.SeverityError {
			f.Severity = cmp.Or(l.now.Severity[f.ID], f.Severity)
			if !l.selects(f) || l.options.NoNotes && !l.isJudged && f.Severity == lint.SeverityNote {
				continue
			}
		}
		if !(l.isJudged && f.Severity == lint.SeverityError) && l.accepts(file.Name, f) {
			to.Accepted++
			if l.WantsFixes && l.fixable != nil {
				edits, _ := l.fixable.editsFor(f)
				l.fixable.accepted = append(l.fixable.accepted, edits...)
			}
			continue
		}
		to.Fails = to.Fails || l.Fails(f.Severity)
		if slices.Index(config.Severities, f.Severity) > slices.Index(config.Severities, l.now.MinSeverity) {
			to.Hidden[f.Severity]++
			continue
		}
		if len(to.Findings) == MaxFindings {
			to.IsFull = true
			return
		}
		to.fixes = append(to.fixes, l.fixOf(file, f))
		to.Findings = append(to.Findings, output.Finding{
			File: file.Name, Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn, Object: output.Short(about),
			Severity: f.Severity, ID: f.ID, Rule: output.Short(f.Rule), Index: f.Index, Key: output.Short(f.Key),
			Message: output.Short(f.Message), Suggestion: output.Short(f.Suggestion),
			Excerpt: file.Around(f, excerptSide), Fails: l.Fails(f.Severity), OfObject: l.isJudged,
		})
	}
}
