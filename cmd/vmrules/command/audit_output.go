package command

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/unjudged"
)

// A violationLine is a line of -o jsonl. It is a violation, or says why the rules of a VM
// cannot be used.
type violationLine struct {
	audited
	*vmrules.Violation
	Problem string `json:"problem,omitempty"`
}

type lines struct {
	buffer  *bufio.Writer
	encoder *json.Encoder
}

func newLines(w io.Writer) *lines {
	buffer := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	return &lines{buffer, encoder}
}

func (l *lines) add(vm audited) error {
	if vm.err != nil {
		if err := l.encoder.Encode(violationLine{audited: vm, Problem: vm.err.Error()}); err != nil {
			return err
		}
	}
	if vm.lacksRules {
		return l.encoder.Encode(violationLine{audited: vm, Problem: vm.unjudged})
	}
	if vm.report == nil {
		return nil
	}
	violations := slices.Concat(vm.report.Violations(), vm.report.Warnings())
	if len(violations) == 0 && isRefused(vm.SSP) {
		return l.encoder.Encode(violationLine{audited: vm})
	}
	for _, violation := range violations {
		if err := l.encoder.Encode(violationLine{audited: vm, Violation: &violation}); err != nil {
			return err
		}
	}
	return nil
}

func (l *lines) finish() error { return l.buffer.Flush() }

// A summary counts VMs.
type summary struct {
	Objects      int                   `json:"objects"`
	Valid        int                   `json:"valid"`
	NotValid     int                   `json:"notValid"`
	Unjudged     int                   `json:"unjudged,omitempty"` // by any of the rules that they have
	WithoutRules int                   `json:"withoutRules"`
	Unusable     int                   `json:"unusable"` // VMs that cannot be used, or their rules
	Rules        map[string]*ruleCount `json:"rules"`
	Templates    map[string]*vmCount   `json:"templates"`
	// Notes counts the VMs that are judged by a template which they do not name in full.
	Notes map[string]*vmCount `json:"notes,omitempty"`
	// Instancetypes counts the VMs by the instance types and preferences that they name.
	Instancetypes map[string]*namedCount `json:"instancetypes,omitempty"`

	notValid, unusable, lackRules []namedVM // the first of them
	lacking                       int       // VMs
	w                             io.Writer
	write                         func(*summary) error
}

// A namedVM is a VM that the text names, with what is wrong with it.
type namedVM struct{ title, why string }

// maxNamed is the number of VMs that the text names, of those that are not valid and of those
// that are unusable.
const maxNamed = 10

func newSummary(w io.Writer, write func(*summary) error) *summary {
	return &summary{Rules: map[string]*ruleCount{}, Templates: map[string]*vmCount{}, Notes: map[string]*vmCount{}, Instancetypes: map[string]*namedCount{}, w: w, write: write}
}

// A ruleCount counts the VMs with an outcome of a rule, by its name.
type ruleCount struct {
	Violated  int `json:"violated"`
	Warned    int `json:"warned"`
	Undecided int `json:"undecided"`
}

// A vmCount counts VMs.
type vmCount struct {
	VMs      int `json:"vms"`
	NotValid int `json:"notValid"`
}

func (c *vmCount) add(isValid bool) {
	c.VMs++
	if !isValid {
		c.NotValid++
	}
}

// A namedCount counts the VMs that name an instance type or a preference. The vmCount is about
// those that are judged with it.
type namedCount struct {
	vmCount
	NotFound int `json:"notFound"` // VMs that are judged without it
}

// maxRows is the number of rules, of templates, and of instance types and preferences that are
// counted separately. All others are counted together: the authors of VMs choose the names, so
// there may be any number.
const maxRows = 10_000

const others = "(others)"

func (s *summary) add(vm audited) error {
	s.Objects++
	results, isValid := vm.report.Results(), vm.report.Valid() && !isRefused(vm.SSP)
	switch {
	case vm.err != nil:
		s.Unusable++
		if len(s.unusable) < maxNamed {
			s.unusable = append(s.unusable, namedVM{vm.title(), vm.err.Error()})
		}
	case vm.unjudged != "" && !isRefused(vm.SSP):
		s.addUnjudged(vm)
	case isValid:
		s.Valid++
	default:
		s.NotValid++
		if len(s.notValid) < maxNamed {
			s.notValid = append(s.notValid, namedVM{vm.title(), vm.whyNotValid()})
		}
	}
	if vm.by != nil && vm.Note != "" {
		count(s.Notes, vm.Note, func(c *vmCount) { c.add(isValid) })
	}
	if vm.Template != "" {
		count(s.Templates, vm.Template, func(c *vmCount) { c.add(isValid) })
	}
	for _, name := range vm.found {
		count(s.Instancetypes, name, func(c *namedCount) { c.add(isValid) })
	}
	for _, name := range vm.notFound {
		count(s.Instancetypes, name, func(c *namedCount) { c.NotFound++ })
	}
	s.addRules(results)
	return nil
}

func (s *summary) addUnjudged(vm audited) {
	why := vm.Note
	if vm.unjudged == unjudged.NoRules {
		s.WithoutRules++
	} else {
		s.Unjudged++
		why = vm.unjudged
	}
	if !vm.lacksRules {
		return
	}
	if s.lacking++; len(s.lackRules) < maxNamed {
		s.lackRules = append(s.lackRules, namedVM{vm.title(), cmp.Or(why, "--require-rules is given")})
	}
}

func (s *summary) addRules(results []vmrules.Result) {
	for _, result := range results {
		if len(result.Violations) == 0 {
			continue
		}
		count(s.Rules, result.Rule, func(c *ruleCount) {
			switch result.Outcome {
			case vmrules.Violated:
				c.Violated++
			case vmrules.Warned:
				c.Warned++
			case vmrules.Undecided:
				c.Undecided++
			}
		})
	}
}

// count counts something under a name.
func count[T any](in map[string]*T, name string, add func(*T)) {
	if in[name] == nil && len(in) >= maxRows {
		name = others
	}
	if in[name] == nil {
		in[name] = new(T)
	}
	add(in[name])
}

func (s *summary) finish() error { return s.write(s) }

func (s *summary) json() error { return writeJSON(s.w, s) }

// text writes tables with the highest counts first.
func (s *summary) text() error {
	table := tabwriter.NewWriter(s.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, tally{s.Valid, s.NotValid, s.Unjudged, s.WithoutRules, s.Unusable})
	writeCounts(table, "RULE\tVIOLATED\tWARNED\tUNDECIDED", s.Rules,
		func(c *ruleCount) []int { return []int{c.Violated, c.Warned, c.Undecided} },
		func(c *ruleCount) []int { return []int{c.Violated, c.Undecided, c.Warned} })
	writeCounts(table, "TEMPLATE\tVMS\tINVALID", s.Templates,
		func(c *vmCount) []int { return []int{c.VMs, c.NotValid} },
		func(c *vmCount) []int { return []int{c.NotValid, c.VMs} })
	writeCounts(table, "NOTE\tVMS\tINVALID", s.Notes,
		func(c *vmCount) []int { return []int{c.VMs, c.NotValid} },
		func(c *vmCount) []int { return []int{c.NotValid, c.VMs} })
	writeCounts(table, "INSTANCE TYPE OR PREFERENCE\tVMS\tINVALID\tNOT FOUND", s.Instancetypes,
		func(c *namedCount) []int { return []int{c.VMs, c.NotValid, c.NotFound} },
		func(c *namedCount) []int { return []int{c.NotFound, c.NotValid, c.VMs} })
	writeNamed(table, "INVALID", s.notValid, s.NotValid)
	writeNamed(table, "NOT JUDGED", s.lackRules, s.lacking)
	writeNamed(table, "UNREADABLE", s.unusable, s.Unusable)
	return table.Flush()
}

// writeNamed writes the first of some VMs.
func writeNamed(w io.Writer, header string, first []namedVM, all int) {
	if len(first) > 0 {
		fmt.Fprintf(w, "\n%s\tWHY\n", header)
	}
	for _, vm := range first {
		fmt.Fprintf(w, "%s\t%s\n", short(oneLine(vm.title)), short(oneLine(strings.ReplaceAll(vm.why, "\n", " "))))
	}
	if more := all - len(first); more > 0 {
		fmt.Fprintf(w, "and %d more: -o jsonl lists all\n", more)
	}
}

// maxRules is the number of rules that the text names for each VM.
const maxRules = 5

// whyNotValid returns the names of the rules that an object violates, and the first violation.
func whyNotValid(r *vmrules.Report) string {
	all := r.Violations()
	if len(all) == 0 { // they are left out of the report
		return r.String()
	}
	known := map[string]bool{}
	var names []string // the first of them
	for _, v := range all {
		if !known[v.Rule] && len(names) < maxRules {
			names = append(names, v.Rule)
		}
		known[v.Rule] = true
	}
	text := strings.Join(names, ", ")
	if more := len(known) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ": " + all[0].Error()
}

// writeCounts writes a table of counts, if there are any. The names with the highest weights come
// first.
func writeCounts[T any](w io.Writer, header string, all map[string]T, cells, weights func(T) []int) {
	if len(all) > 0 {
		fmt.Fprintf(w, "\n%s\n", header)
	}
	for _, name := range most(all, weights) {
		fmt.Fprint(w, oneLine(name))
		for _, n := range cells(all[name]) {
			fmt.Fprintf(w, "\t%d", n)
		}
		fmt.Fprintln(w)
	}
}

// title names the VM for people, in the words of a manifest.
func (vm audited) title() string {
	title := manifest.Object{Kind: vm.Kind, Namespace: vm.Namespace, Name: vm.Name}.String()
	if vm.File == manifest.Stdin {
		return title
	}
	return vm.File + ": " + title
}

// most returns the names with the highest counts first. Names with the same counts are
// sorted.
func most[T any](all map[string]T, counts func(T) []int) []string {
	return slices.SortedStableFunc(slices.Values(slices.Sorted(maps.Keys(all))), func(a, b string) int {
		return slices.Compare(counts(all[b]), counts(all[a]))
	})
}
