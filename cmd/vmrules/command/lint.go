package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/config"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// A linter runs vmrules lint.
type linter struct {
	parameters
	build            Build
	rules            []string // files that contain only rules
	strict           bool
	profile          choice[lint.Profile]
	warningsAsErrors bool
	quiet, all       bool
	least            choice[int]
	output           choice[func(io.Writer, *linted) error]
	exclude          exclusion
	noConfig         bool
	allowUnjudged    bool
	isSet            func(flag string) bool

	fixes, unsafeFixes, diffs bool

	configs config.Finder
	now     lintSetting // for the current file
	silence *silence    // for the current object; nil: nothing is accepted

	wantsFixes bool     // whether findings have their fixes
	fixable    *fixable // the current rules; nil for other findings
	room       int      // bytes that may still be linted for fixes of the current file
}

// A linted is the result of a run.
type linted struct {
	Findings    []finding         `json:"findings"`
	Unusable    []*manifest.Error `json:"unusable,omitempty"`
	Annotations int               `json:"annotations"`
	// Hidden counts the findings that --min-severity leaves out.
	Hidden map[lint.Severity]int `json:"hidden,omitempty"`
	// Accepted counts the findings that annotations or .vmrules.yaml accept, and Excluded files.
	Accepted int `json:"accepted,omitempty"`
	Excluded int `json:"excluded,omitempty"`
	// Fixed counts the findings that --fix has fixed, or would have without --diff.
	Fixed int `json:"fixed,omitempty"`

	fails   bool    // a finding sets the exit status, even if it is hidden
	leftOut leftOut // documents that are not linted
	source  string  // how to render manifests of which only the description was read
	isFull  bool    // there are more findings
	hasVM   bool    // an object may hold a VM
}

// A finding is a finding of the library, in a file.
type finding struct {
	File       string        `json:"file"`
	Line       int           `json:"line"`
	Column     int           `json:"column"` // in code points
	EndLine    int           `json:"endLine"`
	EndColumn  int           `json:"endColumn"` // behind the last character
	Object     string        `json:"object"`
	Severity   lint.Severity `json:"severity"`
	ID         string        `json:"id"`
	Rule       string        `json:"rule,omitempty"`
	Index      int           `json:"index"` // of the rule; -1 if it is not about a rule
	Key        string        `json:"key,omitempty"`
	Message    string        `json:"message"`
	Suggestion string        `json:"suggestion,omitempty"`

	excerpt manifest.Excerpt
	fails   bool // it sets the exit status
	fix     *fix // nil if there is none, or none is wanted
}

func newLinted() *linted {
	return &linted{Findings: []finding{}, leftOut: leftOut{}, Hidden: map[lint.Severity]int{}}
}

func newLint(b Build) *cobra.Command {
	l := &linter{
		parameters: newParameters(), build: b,
		profile: newProfile(),
		least:   choice[int]{"info", weights},
	}
	l.output = choice[func(io.Writer, *linted) error]{"text", map[string]func(io.Writer, *linted) error{
		"text":    func(w io.Writer, found *linted) error { return l.write(w, found, finding.long) },
		"concise": func(w io.Writer, found *linted) error { return l.write(w, found, finding.short) },
		"json":    writeJSON[*linted],
		"github":  func(w io.Writer, found *linted) error { return writeGitHub(w, found.remarks()) },
		"sarif":   func(w io.Writer, found *linted) error { return writeSARIF(w, b, found.remarks()) },
	}}
	command := &cobra.Command{
		Use:   "lint [FILE|FOLDER|-]...",
		Short: "Find mistakes in rules",
		Long: `Lint finds mistakes, and probable mistakes, in the rules in the annotations of templates
and VMs, and says where in the file they are. "vmrules explain ID" explains a finding. A
document that is an array of rules counts as an annotation too. A file that --rules
names must contain rules. The parameters of a template are filled in before its rules
are read, as in vmrules check. With --for ssp, lint also judges the VM of each template as
KubeVirt's template validator would.
` + b.aboutForms() + inputs + `
The exit status is 0 without errors, 1 with errors, and 2 if a file cannot be read. It is
also 2 if there is neither a VM nor a template nor rules, unless --exclude has left files
out, or --allow-unjudged is given.`,
		Example: `  vmrules lint templates/
  vmrules lint --for ssp templates/    # for the validator that most clusters run
  vmrules lint -o github templates/    # annotates a pull request`,
		Args: l.arguments,
		RunE: l.run,
	}
	command.Flags().StringArrayVar(&l.rules, "rules", nil, "file that contains only rules")
	l.parameters.flag(command)
	command.Flags().BoolVar(&l.strict, "strict", false, "report unknown keys and kinds, and rules without arguments, as errors")
	command.Flags().BoolVar(&l.warningsAsErrors, "warnings-as-errors", false, "exit with 1 for warnings too")
	command.Flags().BoolVarP(&l.quiet, "quiet", "q", false, "show only errors, and no summary")
	command.Flags().BoolVar(&l.all, "all", false, "show each of many findings that say the same")
	l.profile.flag(command, "for", "", "report what another program does not understand: ssp is KubeVirt's template validator")
	l.least.flag(command, "min-severity", "", "show only findings of at least this severity; the others still count for the exit status")
	l.output.flag(command, "output", "o", "how to write the findings")
	l.exclude.flag(command)
	unjudgedFlag(command, &l.allowUnjudged)
	command.Flags().BoolVar(&l.fixes, "fix", false, "fix, in the files, what can be fixed so that every VM gets the same verdict, and what makes rules refused as a whole")
	command.Flags().BoolVar(&l.unsafeFixes, "unsafe-fixes", false, "with --fix or --diff, also make rules mean what was probably meant, and say which rules change")
	command.Flags().BoolVar(&l.diffs, "diff", false, "write what --fix would change as a unified diff, and change no file")
	command.Flags().BoolVar(&l.noConfig, "no-config", false, "read no .vmrules.yaml")
	l.isSet = command.Flags().Changed
	return command
}

// weights order the severities.
var weights = map[string]int{
	string(lint.SeverityInfo): 0, string(lint.SeverityWarning): 1, string(lint.SeverityError): 2,
}

func (l *linter) run(command *cobra.Command, args []string) error {
	if err := inputTwice(l.rules, args); err != nil {
		return err
	}
	if err := l.read(); err != nil {
		return err
	}
	if err := l.mayFix(args); err != nil {
		return err
	}
	stdout, stderr := command.OutOrStdout(), command.ErrOrStderr()
	found := newLinted()
	each := func(args []string, counts func(manifest.Document) bool, lints lintsFile) {
		for file, err := range manifest.ReadExcept(l.excludes, args, command.InOrStdin()) {
			if err == nil {
				err = file.Nothing(counts)
			}
			if err == nil {
				l.now, err = l.settingFor(file.Name)
				l.silence = &silence{Config: l.now.Config, file: file.Name}
			}
			if err != nil {
				found.Unusable = append(found.Unusable, unusable(stderr, err))
				continue
			}
			if l.isFixing() {
				file = l.fixed(found, file, lints, stdout, stderr)
			}
			l.room = maxFixed
			lints(found, file, stderr)
			if found.isFull {
				err := &manifest.Error{File: file.Name, Message: fmt.Sprintf("more than %d findings: correct these first, or omit less severe ones with --min-severity", maxFindings)}
				found.Unusable = append(found.Unusable, unusable(stderr, err))
				return
			}
		}
	}
	each(l.rules, func(manifest.Document) bool { return true }, l.lintRules)
	if found.isFull {
		args = nil
	}
	each(args, func(d manifest.Document) bool { return d.LooksLikeRules() || d.HoldsVM() }, l.lintFile)
	err := l.allDeclared()
	if err != nil {
		return err
	}
	l.addUseless(found, args)
	found.Excluded = l.exclude.count
	if l.diffs {
		err = l.writeSummary(stderr, found)
	} else {
		err = l.output.value()(stdout, found)
	}
	if err != nil {
		return err
	}
	found.leftOut.warnNotLinted(stderr)
	isEmpty := found.Annotations == 0 && len(found.Findings) == 0 && !found.hasVM &&
		found.Unusable == nil && found.Excluded == 0 && !l.allowUnjudged
	switch {
	case found.Annotations == 0 && found.source != "":
		fmt.Fprintln(stderr, "vmrules: no rules to lint; render the files first: "+oneLine(found.source)+" | vmrules lint -")
	case isEmpty:
		fmt.Fprintln(stderr, "vmrules: no VM, template or rules to lint"+orAllow)
	}
	if n := found.Hidden[lint.SeverityWarning]; n > 0 && found.fails && (l.quiet || l.output.name != "text") {
		fmt.Fprintf(stderr, "vmrules: %s not shown\n", counted(n, "warning"))
	}
	return verdict(found.fails, len(found.Unusable) > 0 || isEmpty)
}

// addUseless adds the entries of .vmrules.yaml that have no effect, if all files that they are
// about were linted.
func (l *linter) addUseless(to *linted, args []string) {
	l.silence = nil
	for name, useless := range l.configs.Useless(args) {
		for file, err := range manifest.Read([]string{name}, nil) {
			if err == nil {
				l.addFindings(to, file, "ignore", []lint.Finding{useless})
			}
		}
	}
}

// unusable writes that a file cannot be used, for any output format.
func unusable(stderr io.Writer, err error) *manifest.Error {
	fmt.Fprintln(stderr, "vmrules:", oneLine(err.Error()))
	return err.(*manifest.Error)
}

// fails reports whether a finding of a severity sets the exit status.
func (l *linter) fails(s lint.Severity) bool {
	return s == lint.SeverityError || l.now.warningsAsErrors && s == lint.SeverityWarning
}

func (l *linter) arguments(command *cobra.Command, args []string) error {
	if l.rules != nil {
		return nil
	}
	return someFile(command, args)
}

// lintFile lints all rules in a file: annotations, and documents that are rules in the form
// of an annotation or in a form that the build knows by its kind.
func (l *linter) lintFile(to *linted, file *manifest.File, stderr io.Writer) {
	if to.source == "" {
		to.source = file.Source()
	}
	for _, d := range file.Documents() {
		if _, known := l.build.Documents[d.Type()]; d.LooksLikeRules() || known && d.Type() != "" {
			l.lintDocument(to, d)
		} else if !known && slices.Contains(documentsOfFull, d.Type()) {
			to.leftOut[d.Type()] = true
		}
	}
	for _, object := range file.Objects() {
		if to.isFull {
			return
		}
		to.hasVM = to.hasVM || object.HoldsVM()
		object = object.Loaded()
		l.silence = l.silenceIn(file.Name, object)
		l.addFindings(to, file, object.String(), object.Mistakes())
		filled, err := l.fill(object)
		if err != nil {
			to.Unusable = append(to.Unusable, unusable(stderr, err))
			continue
		}
		own := l.judgeOwnVM(filled.Object, object)
		for _, a := range filled.Annotations() {
			l.fixable = l.newFixable(a.Text(), a.Options(nil), a.Change)
			findings := l.explained(a.Lint(l.options()...), a.Text())
			if missing := missingIn(a.Text(), filled.Missing); len(missing) > 0 {
				for i := range findings {
					if findings[i].ID == unreadable {
						findings[i].Message += "; " + missingText(missing[0])
					}
				}
			}
			findings = append(findings, ownVMFindings(own, a, findings)...)
			l.add(to, file, a.Object.String(), findings)
		}
		l.addFindings(to, file, object.String(), unreadableVM(own, object))
		useless := l.silence.useless()
		l.silence = nil
		l.addFindings(to, file, object.String(), useless)
	}
}

// missingIn returns the parameters to which a text refers, of those without a value.
func missingIn(text string, missing []string) []string {
	return slices.DeleteFunc(slices.Clone(missing), func(name string) bool {
		return !strings.Contains(text, "{"+name+"}")
	})
}

// lintRules lints a file that must contain rules.
func (l *linter) lintRules(to *linted, file *manifest.File, _ io.Writer) {
	for _, d := range file.Documents() {
		l.lintDocument(to, d)
	}
}

func (l *linter) lintDocument(to *linted, d manifest.Document) {
	findings := l.findings(&d)
	for i := range findings {
		d.PlaceFinding(&findings[i])
	}
	l.add(to, d.File, d.String(), findings)
}

// findings returns the findings of the library about an array. For another document, it
// returns the errors that prevent its use.
func (l *linter) findings(d *manifest.Document) []lint.Finding {
	if text, err := d.JSON(); d.IsArray() && err == nil {
		l.fixable = l.newFixable(text, nil, d.Change)
		return l.explained(lint.Annotation(text, l.options()...), text)
	}
	var all []lint.Finding
	_, problems := l.build.read(d)
	for _, p := range problems {
		id := problemIDs[p.Reason]
		if id == "" {
			id = "invalid-argument"
		}
		all = append(all, lint.Finding{
			Severity: lint.SeverityError, ID: id, Rule: p.Rule, Index: p.Index, Key: p.Key, Offset: p.Offset, Message: p.Message,
		})
	}
	return all
}

// problemIDs maps the reasons of problems of a document to checks. For other reasons the
// check is invalid-argument. A problem without a reason is about the whole document.
var problemIDs = map[vmrules.Reason]string{
	"": "unreadable", vmrules.ReasonRequired: "missing-key", vmrules.ReasonTypeInvalid: "wrong-type",
	vmrules.ReasonDuplicate: "duplicate", vmrules.ReasonTooLong: "too-long",
}

func (l *linter) options() []vmrules.ParseOption {
	opts := l.build.options()
	if l.strict {
		opts = append(opts, vmrules.Strict())
	}
	if l.now.profile.name != "" {
		opts = append(opts, lint.For(l.now.profile.value()))
	}
	return opts
}

// add adds the findings about the rules in an annotation or a document.
func (l *linter) add(to *linted, file *manifest.File, about string, findings []lint.Finding) {
	to.Annotations++
	first := len(to.Findings)
	l.addFindings(to, file, about, findings)
	if l.fixable != nil {
		l.fixable.settle(to.Findings[first:])
		l.fixable = nil
	}
}

// addFindings adds findings, if they are severe enough.
func (l *linter) addFindings(to *linted, file *manifest.File, about string, findings []lint.Finding) {
	for _, f := range findings {
		if l.silence != nil && l.silence.accepts(f) {
			to.Accepted++
			if l.wantsFixes && l.fixable != nil {
				edits, _ := l.fixable.editsFor(f)
				l.fixable.accepted = append(l.fixable.accepted, edits...)
			}
			continue
		}
		to.fails = to.fails || l.fails(f.Severity)
		if weights[string(f.Severity)] < l.now.least.value() {
			to.Hidden[f.Severity]++
			continue
		}
		if len(to.Findings) == maxFindings {
			to.isFull = true
			return
		}
		to.Findings = append(to.Findings, finding{
			File: file.Name, Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn, Object: short(about),
			Severity: f.Severity, ID: f.ID, Rule: short(f.Rule), Index: f.Index, Key: short(f.Key),
			Message: short(f.Message), Suggestion: short(f.Suggestion),
			excerpt: file.Around(f, excerptSide), fails: l.fails(f.Severity), fix: l.fixOf(file, f),
		})
	}
}

// Lint writes up to maxFindings findings, and up to maxText bytes of each text in them: the
// name of a rule may be very long, and is in each finding about the rule.
const (
	maxFindings = 50_000
	maxText     = 500
)

// short shortens a text that is too long to read.
func short(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// remarks returns the findings as remarks. Their topics are the checks of lint.
func (l *linted) remarks() remarks {
	r := remarks{unusable: l.Unusable}
	for _, t := range explanations().inOrder {
		var advice strings.Builder
		_ = forms.ExecuteTemplate(&advice, "advice", t) // which the tests do, too
		r.topics = append(r.topics, remarkTopic{t.Name, t.Meaning, aboutChecks + t.Name, t.severity, advice.String()})
	}
	for _, f := range l.Findings {
		m := remark{file: f.File, Finding: lint.Finding{
			Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn, Severity: f.Severity, ID: f.ID, Message: f.subject() + f.Message,
		}}
		if f.fix != nil {
			m.fixes = f.fix.replaced
		}
		r.all = append(r.all, m)
	}
	return r
}

// count says how many findings of a severity there are.
func (l *linted) count(s lint.Severity) string {
	if n := l.Hidden[s]; n > 0 {
		return counted(n, severityWords[s]) + " not shown"
	}
	return counted(l.number(func(f finding) bool { return f.Severity == s }), severityWords[s])
}

// number returns how many findings are like that.
func (l *linted) number(like func(finding) bool) int {
	n := 0
	for _, f := range l.Findings {
		if like(f) {
			n++
		}
	}
	return n
}

// subject returns what a finding is about: its rule, if it has one.
func (f finding) subject() string {
	switch {
	case f.Rule != "":
		return fmt.Sprintf("rule %q: ", f.Rule)
	case f.Index >= 0:
		return fmt.Sprintf("rules[%d]: ", f.Index)
	}
	return ""
}
