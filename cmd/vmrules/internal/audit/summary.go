package audit

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/output"
)

type summary struct {
	judged.Tally
	Rules     map[string]*ruleCount `json:"rules"`
	Templates map[string]*vmCount   `json:"templates"`
	// Notes counts the VMs that are validated by a template which they do not name in full, or whose rules for them they
	// have lost.
	Notes map[string]*vmCount `json:"notes,omitempty"`
	// Instancetypes counts the VMs by the instance types and preferences that they name.
	Instancetypes map[string]*namedCount `json:"instancetypes,omitempty"`

	notValid, unusable, unjudged namedVMs
}

// namedVMs are VMs that the text names, with what is wrong with them.
type namedVMs struct {
	first []string
	all   int
}

func (n *namedVMs) add(vm audited, why string) {
	if n.all++; len(n.first) < maxNamed {
		n.first = append(n.first, output.Short(output.OneLine(vm.title()))+"\t"+output.Short(output.OneLine(strings.ReplaceAll(why, "\n", " "))))
	}
}

// maxNamed is how many VMs the text names in each of its tables.
const maxNamed = 10

func newSummary() *summary {
	return &summary{Rules: map[string]*ruleCount{}, Templates: map[string]*vmCount{}, Notes: map[string]*vmCount{}, Instancetypes: map[string]*namedCount{}}
}

func summarized(write func(*summary, io.Writer) error) func(io.Writer, Options) writer {
	return func(w io.Writer, _ Options) writer {
		s := newSummary()
		return writer{s.add, func() error { return write(s, w) }}
	}
}

// A ruleCount counts the VMs with an outcome of a rule, by its name.
type ruleCount struct {
	Violated  int `json:"violated"`
	Warned    int `json:"warned"`
	Undecided int `json:"undecided"`
}

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

// A namedCount counts VMs that name an instance type or a preference: in vmCount, those validated with it.
type namedCount struct {
	vmCount
	NotFound int `json:"notFound"` // VMs that are validated without it
}

// maxRows is how many names a table counts separately. The authors of VMs choose these names, so there may
// be any number.
const maxRows = 10_000

const others = "(others)"

func (s *summary) add(vm audited) error {
	isValid := vm.report.Valid() && !vm.SSP.Refuses()
	class := vm.class
	if vm.SSP.Refuses() && class != judged.Unreadable {
		class = judged.Invalid
	}
	s.Tally.Add(class)
	switch gaps := vm.named(); {
	case vm.err != nil:
		s.unusable.add(vm, vm.err.Error())
	case class == judged.Unreadable:
		s.unusable.add(vm, gaps[0].Note)
	case class == judged.Invalid:
		s.notValid.add(vm, vm.whyNotValid())
	case len(gaps) > 0:
		s.unjudged.add(vm, gaps[0].Note)
	}
	for _, note := range []string{vm.Note, vm.Lost} {
		if note != "" {
			countOf(s.Notes, note).add(isValid)
		}
	}
	if vm.Template != "" {
		countOf(s.Templates, vm.Template).add(isValid)
	}
	for _, name := range vm.found {
		countOf(s.Instancetypes, name).add(isValid)
	}
	for _, name := range vm.notFound {
		countOf(s.Instancetypes, name).NotFound++
	}
	for _, result := range vm.results {
		if len(result.Violations) == 0 || judged.IsGap(result, vm.gaps) {
			continue
		}
		switch c := countOf(s.Rules, result.Rule); result.Outcome {
		case vmrules.OutcomeViolated:
			c.Violated++
		case vmrules.OutcomeWarned:
			c.Warned++
		case vmrules.OutcomeUndecided:
			c.Undecided++
		}
	}
	return nil
}

func countOf[T any](in map[string]*T, name string) *T {
	if in[name] == nil && len(in) >= maxRows {
		name = others
	}
	if in[name] == nil {
		in[name] = new(T)
	}
	return in[name]
}

func (s *summary) json(w io.Writer) error { return output.JSON(w, s) }

// text writes tables with the highest counts first.
func (s *summary) text(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, s.String())
	writeCounts(table, "RULE\tVIOLATED\tWARNED\tUNDECIDED", s.Rules,
		func(c *ruleCount) []int { return []int{c.Violated, c.Warned, c.Undecided} }, 0, 2, 1)
	ofVMs := func(c *vmCount) []int { return []int{c.VMs, c.NotValid} }
	writeCounts(table, "TEMPLATE\tVMS\tINVALID", s.Templates, ofVMs, 1, 0)
	writeCounts(table, "NOTE\tVMS\tINVALID", s.Notes, ofVMs, 1, 0)
	writeCounts(table, "INSTANCE TYPE OR PREFERENCE\tVMS\tINVALID\tNOT FOUND", s.Instancetypes,
		func(c *namedCount) []int { return []int{c.VMs, c.NotValid, c.NotFound} }, 2, 1, 0)
	s.notValid.write(table, "INVALID")
	s.unjudged.write(table, "NOT VALIDATED")
	s.unusable.write(table, "UNREADABLE")
	return table.Flush()
}

func (n *namedVMs) write(w io.Writer, header string) {
	if n.all > 0 {
		fmt.Fprintf(w, "\n%s\tWHY\n%s\n", header, strings.Join(n.first, "\n"))
	}
	if more := n.all - len(n.first); more > 0 {
		fmt.Fprintf(w, "and %d more: -o jsonl lists all\n", more)
	}
}

// maxRules is the number of rules that the text names for each VM.
const maxRules = 5

// whyNotValid returns the rules that a VM violates and the first violation, or why the validator refuses it.
func (vm audited) whyNotValid() string {
	all := vm.report.Violations()
	switch {
	case vm.report.Valid():
		var lines []string
		for _, line := range vm.SSP.Lines() {
			lines = append(lines, output.OneLine(output.Short(line.Text)))
		}
		return strings.Join(lines, "; ")
	case len(all) == 0: // they are left out of the report
		return vm.report.String()
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

// writeCounts writes a table of counts, if there are any. The names with the highest counts come first, and
// are sorted if these are the same: order says which count decides, and which come after it.
func writeCounts[T any](w io.Writer, header string, all map[string]T, counts func(T) []int, order ...int) {
	if len(all) > 0 {
		fmt.Fprintf(w, "\n%s\n", header)
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		for _, i := range order {
			if c := counts(all[b])[i] - counts(all[a])[i]; c != 0 {
				return c
			}
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		fmt.Fprint(w, output.OneLine(name))
		for _, n := range counts(all[name]) {
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
