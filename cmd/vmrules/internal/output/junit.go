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
		suite.add(c)
	}
	for _, suite := range all.Suites {
		all.Tests, all.Failures = all.Tests+suite.Tests, all.Failures+suite.Failures
		all.Errors, all.Skipped = all.Errors+suite.Errors, all.Skipped+suite.Skipped
	}
	text, _ := xml.MarshalIndent(all, "", "  ") // texts and numbers always have a form
	_, err := io.WriteString(w, xml.Header+string(text)+"\n")
	return err
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

func (s *junitSuite) add(c JunitCase) {
	e := junitElement{Class: c.File, Name: c.Name, Output: strings.Join(c.Notes, "\n")}
	s.Tests++
	switch {
	case c.Problem != "":
		s.Errors++
		e.Error = &junitMessage{Message: c.Problem, Text: strings.Join(c.Failures, "\n")}
	case c.Failures != nil:
		s.Failures++
		e.Failure = &junitMessage{Message: c.Failures[0]}
		if n := len(c.Failures); n > 1 {
			e.Failure = &junitMessage{Message: Counted(n, "failure"), Text: strings.Join(c.Failures, "\n")}
		}
	case c.Skipped != "":
		s.Skipped++
		e.Skipped = &junitMessage{Message: c.Skipped}
	}
	s.Cases = append(s.Cases, e)
}
