package output

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A JunitCase is a test case for JUnit: something in a file that was checked.
type JunitCase struct {
	File, Name string
	Failures   []string
	Notes      []string // warnings, which do not fail the case
	Problem    string   // why it cannot be used
	Skipped    string   // why it was not checked
}

// These types are the part of the format that continuous integration systems read.
type (
	junitSuite struct {
		XMLName  xml.Name
		Name     string         `xml:"name,attr"`
		Tests    int            `xml:"tests,attr"`
		Failures int            `xml:"failures,attr"`
		Errors   int            `xml:"errors,attr"`
		Skipped  int            `xml:"skipped,attr"`
		Suites   []*junitSuite  `xml:"testsuite"` // of all files
		Cases    []junitElement `xml:"testcase"`  // of one file
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

// JUnit writes test cases as JUnit does, with a suite for each file. A file that cannot be
// used is a test case with an error.
func JUnit(w io.Writer, cases []JunitCase, unusable []*manifest.Error) error {
	for _, e := range unusable {
		cases = append(cases, JunitCase{File: e.File, Name: e.File, Problem: e.Error()})
	}
	all := junitSuite{XMLName: xml.Name{Local: "testsuites"}, Name: "vmrules"}
	byFile := map[string]*junitSuite{}
	for _, c := range cases {
		suite := byFile[c.File]
		if suite == nil {
			suite = &junitSuite{XMLName: xml.Name{Local: "testsuite"}, Name: c.File}
			byFile[c.File] = suite
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

func (n *junitSuite) count(c JunitCase) {
	n.Tests++
	switch {
	case c.Problem != "":
		n.Errors++
	case c.Failures != nil:
		n.Failures++
	case c.Skipped != "":
		n.Skipped++
	}
}

// Add adds a finding, which fails the case or is only noted.
func (c *JunitCase) Add(f Finding) {
	text := (&manifest.Error{File: f.File, Line: f.Line, Column: f.Column, Message: f.text() + " [" + f.Topic() + "]"}).Error()
	if f.Fails {
		c.Failures = append(c.Failures, text)
	} else {
		c.Notes = append(c.Notes, text)
	}
}

func (c JunitCase) element() junitElement {
	e := junitElement{Class: c.File, Name: c.Name, Output: strings.Join(c.Notes, "\n")}
	switch {
	case c.Problem != "":
		e.Error = &junitMessage{Message: c.Problem, Text: strings.Join(c.Failures, "\n")}
	case len(c.Failures) == 1:
		e.Failure = &junitMessage{Message: c.Failures[0]}
	case c.Failures != nil:
		e.Failure = &junitMessage{Message: Counted(len(c.Failures), "failure"), Text: strings.Join(c.Failures, "\n")}
	case c.Skipped != "":
		e.Skipped = &junitMessage{Message: c.Skipped}
	}
	return e
}
