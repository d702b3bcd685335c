// Ratios reads the output of go test -bench from files or from standard input. It prints
// tables of medians and of their ratios in Markdown:
//
//	go run ./ratios run1.txt run2.txt
//
// Each file is one run. A ratio compares two medians of the same run. Of several runs, it
// prints the median ratio and, in parentheses, the lowest and the highest.
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
	for _, function := range []string{"Validate", "Kinds"} {
		if t := measured[function]; t != nil {
			for _, c := range t.ratios("hand-written", "alone") {
				t.writeAcross(w, function+": "+c.title, c)
			}
		}
	}
	if t := measured["Parse"]; t != nil {
		writeTable(w, "Parse", t.rows, t.ratios(t.columns...))
	}
	if t := measured["Scale"]; t != nil {
		var columns []column
		for _, name := range t.columns {
			columns = append(columns, t.measured(name, "sec/rule", "sec/disk", "sec/value"))
		}
		writeTable(w, "Scale: time for each rule, disk or value", t.rows, columns)
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
	runs, rows, columns []string
	samples             map[place][]float64
}

type place struct{ run, row, column, unit string }

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
	at := place{run: r.GetConfig(".file"), row: strings.Join(keys[:last], " "), column: column}
	t.runs = withNew(t.runs, at.run)
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

// mediansOf returns the median of each run that has samples.
func (t *table) mediansOf(at place) []float64 {
	var all []float64
	for _, at.run = range t.runs {
		if values, ok := t.samples[at]; ok {
			all = append(all, median(values))
		}
	}
	return all
}

func median(values []float64) float64 {
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, 0.95).Center
}

// A column is a title and a cell for each row.
type column struct {
	title string
	cell  func(row string) string
}

// measured returns the times of a column. It shows the first of the units that it has samples of.
func (t *table) measured(name string, units ...string) column {
	return column{name, func(row string) string {
		for _, unit := range units {
			if v := t.mediansOf(place{row: row, column: name, unit: unit}); v != nil {
				return benchunit.Scale(median(v), benchunit.Decimal) + "s"
			}
		}
		return withRange(nil)
	}}
}

// verdict is the library when it is asked for the verdict alone.
const library, verdict = "vmrules", "vmrules-verdict"

// ratios returns the library's time, its ratio to the time of each yardstick, and the
// ratio of the time of each other peer to the library's.
func (t *table) ratios(yardsticks ...string) []column {
	shown := []column{t.measured(library, "sec/op")}
	for _, name := range t.columns {
		switch {
		case name == library, name == verdict:
		case slices.Contains(yardsticks, name):
			shown = append(shown, t.ratio(library, name))
		default:
			shown = append(shown, t.ratio(name, library))
		}
	}
	if slices.Contains(t.columns, verdict) && slices.Contains(t.columns, "cel-go") {
		shown = append(shown, t.ratio("cel-go", verdict))
	}
	return shown
}

func (t *table) ratio(over, under string) column {
	return column{over + " / " + under, func(row string) string {
		var ratios []float64
		for _, run := range t.runs {
			a := t.samples[place{run, row, over, "sec/op"}]
			b := t.samples[place{run, row, under, "sec/op"}]
			if a != nil && b != nil {
				ratios = append(ratios, median(a)/median(b))
			}
		}
		return withRange(ratios)
	}}
}

// withRange returns the median and, if there are several values, the lowest and the highest.
func withRange(values []float64) string {
	switch len(values) {
	case 0:
		return "–"
	case 1:
		return fmt.Sprintf("%.3g", values[0])
	}
	return fmt.Sprintf("%.3g (%.3g–%.3g)", median(values), slices.Min(values), slices.Max(values))
}

// writeAcross writes one column with a row for each set, and what was judged by it side by side.
func (t *table) writeAcross(w io.Writer, title string, c column) {
	var sets, objects []string
	for _, row := range t.rows {
		set, object, _ := strings.Cut(row, " ")
		sets, objects = withNew(sets, set), withNew(objects, object)
	}
	var columns []column
	for _, object := range objects {
		columns = append(columns, column{object, func(set string) string { return c.cell(set + " " + object) }})
	}
	writeTable(w, title, sets, columns)
}

func writeTable(w io.Writer, title string, rows []string, columns []column) {
	fmt.Fprintf(w, "### %s\n\n| |", title)
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c.title)
	}
	fmt.Fprintf(w, "\n| --- |%s\n", strings.Repeat(" ---: |", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(w, "| %s |", row)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", c.cell(row))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}
