package command

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A junitCase is a test case for JUnit: something in a file that was checked.
type junitCase struct {
	file, name string
	failures   []string
	notes      []string // warnings, which do not fail the case
	problem    string   // why it cannot be used
	skipped    string   // why it was not checked
}

// These types are the part of the format that continuous integration systems read.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Cases []junitElement `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitElement struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Skipped *junitMessage `xml:"skipped"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes test cases as JUnit does, with a suite for each file. A file that cannot be
// used is a test case with an error.
func writeJUnit(w io.Writer, cases []junitCase, unusable []*manifest.Error) error {
	for _, e := range unusable {
		cases = append(cases, junitCase{file: e.File, name: e.File, problem: e.Error()})
	}
	all := junitSuites{Name: "vmrules"}
	byFile := map[string]*junitSuite{}
	for _, c := range cases {
		suite := byFile[c.file]
		if suite == nil {
			suite = &junitSuite{Name: c.file}
			byFile[c.file] = suite
			all.Suites = append(all.Suites, suite)
		}
		suite.count(c)
		all.count(c)
		suite.Cases = append(suite.Cases, c.element())
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (n *junitCounts) count(c junitCase) {
	n.Tests++
	switch {
	case c.problem != "":
		n.Errors++
	case c.failures != nil:
		n.Failures++
	case c.skipped != "":
		n.Skipped++
	}
}

// add adds a remark, which fails the case or is only noted.
func (c *junitCase) add(m remark, fails bool) {
	text := (&manifest.Error{File: m.file, Line: m.Line, Column: m.Column, Message: m.Message + " [" + m.ID + "]"}).Error()
	if fails {
		c.failures = append(c.failures, text)
	} else {
		c.notes = append(c.notes, text)
	}
}

func (c junitCase) element() junitElement {
	e := junitElement{Class: c.file, Name: c.name, Output: strings.Join(c.notes, "\n")}
	switch {
	case c.problem != "":
		e.Error = &junitMessage{Message: c.problem, Text: strings.Join(c.failures, "\n")}
	case len(c.failures) == 1:
		e.Failure = &junitMessage{Message: c.failures[0]}
	case c.failures != nil:
		e.Failure = &junitMessage{Message: counted(len(c.failures), "failure"), Text: strings.Join(c.failures, "\n")}
	case c.skipped != "":
		e.Skipped = &junitMessage{Message: c.skipped}
	}
	return e
}
