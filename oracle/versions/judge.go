package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vmrules/vmrules"
)

// A testCase is what is judged, and how.
type testCase struct {
	Annotation               any // a text, or an array that is written as JSON
	Object, Old, Template    map[string]any
	Instancetype, Preference map[string]any
	Defaults                 []fieldDefault
	Partial, Ratcheting      bool
	V201901, Detect, Strict  bool
	WholeObjects             bool
	Floats                   bool // numbers are float64
}

type fieldDefault struct {
	Path  vmrules.Path
	Value any
}

// serve answers the cases in lines of JSON.
func serve(in io.Reader, out io.Writer) error {
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		var c testCase
		said := map[string][]any{}
		if err = decode(line, &c); err == nil && c.Floats {
			c = testCase{}
			err = json.Unmarshal([]byte(line), &c)
		}
		if err == nil {
			c.judge(said)
		}
		said["case"] = []any{fmt.Sprint(err)}
		if _, err := fmt.Fprintln(out, written(said)); err != nil {
			return err
		}
	}
}

// judge makes the calls, and keeps what each of them says.
func (c testCase) judge(said map[string][]any) {
	defer func() {
		if p := recover(); p != nil {
			said["panic"] = []any{fmt.Sprint(p)}
		}
	}()
	reading := []vmrules.ParseOption{
		when(c.V201901, vmrules.WithVersion(vmrules.V201901)), when(c.Detect, vmrules.DetectVersion()),
		when(c.Strict, vmrules.Strict()), when(c.WholeObjects, vmrules.WholeObjects()),
	}
	judging := []vmrules.ValidateOption{
		vmrules.WithBudget(vmrules.Budget{Backtracking: time.Minute}), // so that no clock decides
		when(c.Partial, vmrules.Partial()), when(c.Ratcheting, vmrules.Ratcheting()),
		vmrules.WithOldObject(c.Old), vmrules.WithParseOptions(reading...),
		when(c.Instancetype != nil || c.Preference != nil, vmrules.WithInstancetype(c.Instancetype, c.Preference)),
	}
	for _, d := range c.Defaults {
		field, err := vmrules.NewDefault(d.Path, d.Value)
		said["NewDefault"] = append(said["NewDefault"], fmt.Sprint(err))
		judging = append(judging, vmrules.WithDefaults(field))
	}
	rules, err := vmrules.ParseRules(c.annotation(), reading...)
	said["ParseRules"] = []any{rules, err, fmt.Sprint(err)}
	if err == nil {
		said["Validate"] = report(vmrules.Validate(rules, c.Object, judging...))
	}
	own, err := vmrules.ValidateOwn(c.Object, judging...)
	said["ValidateOwn"] = append(report(own), err, fmt.Sprint(err))
	rules, err = vmrules.RulesFor(c.Object, c.Template, reading...)
	said["RulesFor"] = []any{rules, err, fmt.Sprint(err)}
	said["Validate by RulesFor"] = report(vmrules.Validate(rules, c.Object, judging...))
}

// when returns an option or, if it is off, none.
func when[T any](on bool, option T) (none T) {
	if on {
		return option
	}
	return none
}

func report(r *vmrules.Report) []any {
	return []any{r, r.Valid(), r.String(), r.Causes(), r.AdmissionWarnings(), fmt.Sprint(r.Err())}
}

// annotation returns the text of the annotation. What stands for an invalid byte becomes one, since
// JSON has none.
func (c testCase) annotation() string {
	text, ok := c.Annotation.(string)
	if !ok {
		text = written(c.Annotation)
	}
	return strings.ReplaceAll(text, "\ufffd", "\xff")
}

// written returns a value as JSON, or why that fails.
func written(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return written(map[string]string{"cannot be written": err.Error()})
	}
	return string(text)
}

// decode reads JSON, with numbers as they are written.
func decode(text string, v any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}
