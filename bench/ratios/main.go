// Ratios reads the output of go test -bench from files or from standard input. It prints
// tables of medians and of their ratios in Markdown:
//
//	go run ./ratios out.txt
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

func main() {
	measured, err := read(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
	write(os.Stdout, measured)
}

func write(w io.Writer, measured map[string]*table) {
	if t := measured["Validate"]; t != nil {
		t.write(w, "Validate: time", t.ratios("hand-written"))
		t.write(w, "Validate: allocations", t.medians("allocs/op"))
	}
	if t := measured["Parse"]; t != nil {
		t.write(w, "Parse: time", t.ratios(t.columns...))
		t.write(w, "Parse: allocations", t.medians("allocs/op"))
	}
	if t := measured["Kinds"]; t != nil {
		t.write(w, "Kinds: time", t.ratios("alone"))
		t.write(w, "Kinds: allocations", t.medians("allocs/op"))
	}
	if t := measured["Scale"]; t != nil {
		t.write(w, "Scale: time for each rule, disk or value", t.medians("sec/rule", "sec/disk", "sec/value"))
	}
}

// read makes a table for each benchmark function.
func read(paths []string) (map[string]*table, error) {
	measured := map[string]*table{}
	files := benchfmt.Files{Paths: paths, AllowStdin: true}
	for files.Scan() {
		switch record := files.Result().(type) {
		case *benchfmt.Result:
			function := string(record.Name.Base())
			if measured[function] == nil {
				measured[function] = &table{samples: map[place][]float64{}}
			}
			measured[function].add(record)
		case *benchfmt.SyntaxError:
			return nil, record
		}
	}
	return measured, files.Err()
}

// A table holds the samples of one benchmark function. Rows and columns are in the order
// in which they were measured.
type table struct {
	rows, columns []string
	samples       map[place][]float64
}

type place struct{ row, column, unit string }

// add adds a result. The last part of its name is the column, and the parts before it are
// the row: /set=windows/vm=3-disks-pass/peer=opa-2.
func (t *table) add(r *benchfmt.Result) {
	var keys []string
	_, parts := r.Name.Parts()
	for _, part := range parts {
		if key, ok := strings.CutPrefix(string(part), "/"); ok {
			keys = append(keys, key)
		}
	}
	last := len(keys) - 1
	if last < 0 {
		return // not a benchmark of this module
	}
	_, column, _ := strings.Cut(keys[last], "=")
	at := place{row: strings.Join(keys[:last], " "), column: column}
	t.rows, t.columns = withNew(t.rows, at.row), withNew(t.columns, at.column)
	for _, v := range r.Values {
		at.unit = v.Unit
		t.samples[at] = append(t.samples[at], v.Value)
	}
}

func withNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func (t *table) median(at place) (float64, bool) {
	values, ok := t.samples[at]
	if !ok {
		return 0, false
	}
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, 0.95).Center, true
}

// A column is a title and a cell for each row.
type column struct {
	title string
	cell  func(row string) string
}

const nothing = "–"

// medians returns all columns as they were measured. Each shows the first of the units
// for which it has samples.
func (t *table) medians(units ...string) []column {
	var shown []column
	for _, name := range t.columns {
		shown = append(shown, t.measured(name, units...))
	}
	return shown
}

func (t *table) measured(name string, units ...string) column {
	return column{name, func(row string) string {
		for _, unit := range units {
			if v, ok := t.median(place{row, name, unit}); ok {
				return withUnit(v, unit)
			}
		}
		return nothing
	}}
}

func withUnit(v float64, unit string) string {
	if strings.HasPrefix(unit, "sec/") {
		return benchunit.Scale(v, benchunit.Decimal) + "s"
	}
	return fmt.Sprintf("%.0f", v)
}

const library = "vmrules"

// ratios returns the library's time, its ratio to the time of each yardstick, and the
// ratio of the time of each other peer to the library's.
func (t *table) ratios(yardsticks ...string) []column {
	shown := []column{t.measured(library, "sec/op")}
	for _, name := range t.columns {
		switch {
		case name == library:
		case slices.Contains(yardsticks, name):
			shown = append(shown, t.ratio(library, name))
		default:
			shown = append(shown, t.ratio(name, library))
		}
	}
	return shown
}

func (t *table) ratio(over, under string) column {
	return column{over + " / " + under, func(row string) string {
		a, okA := t.median(place{row, over, "sec/op"})
		b, okB := t.median(place{row, under, "sec/op"})
		if !okA || !okB {
			return nothing
		}
		return fmt.Sprintf("%.2f", a/b)
	}}
}

func (t *table) write(w io.Writer, title string, columns []column) {
	fmt.Fprintf(w, "### %s\n\n| |", title)
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c.title)
	}
	fmt.Fprintf(w, "\n| --- |%s\n", strings.Repeat(" ---: |", len(columns)))
	for _, row := range t.rows {
		fmt.Fprintf(w, "| %s |", row)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", c.cell(row))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}
