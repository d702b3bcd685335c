package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A result is what became of a vector: "passed", "failed", "known" or "skipped".
type result struct {
	vector
	result, why string
	reason      string // of a known failure
}

// A score is how an implementation does.
type score struct {
	// Sections are those of docs/format.md, by their letters.
	Sections map[string]count `json:"sections"`
	// Reasons say how often each is that of a known failure.
	Reasons map[string]int `json:"reasons,omitempty"`
	// Unexpected has the vectors that fail for no known reason, and known failures that are none.
	Unexpected []string `json:"unexpected,omitempty"`
}

type count struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// A report has all results, and the known failures that none of them is.
type report struct {
	results []result
	passing []string
}

func judge(all []vector, known []*failure, p *program) report {
	defer p.stop()
	var r report
	for _, v := range all {
		got, err := p.ask(v.id, v.question)
		one := result{vector: v, result: "passed"}
		switch {
		case err != nil:
			one.result, one.why = "failed", err.Error()
		case got.Skipped != "":
			one.result, one.why = "skipped", got.Skipped
		default:
			if one.why = v.difference(got); one.why != "" {
				one.result = "failed"
			}
		}
		if k := slices.IndexFunc(known, func(f *failure) bool { return f.isOf(v.id) }); k >= 0 && one.result == "failed" {
			one.result, one.reason, known[k].isSeen = "known", known[k].reason, true
		}
		r.results = append(r.results, one)
	}
	for _, f := range known {
		if !f.isSeen {
			r.passing = append(r.passing, f.id)
		}
	}
	return r
}

// unexpected returns how many results differ from what is known.
func (r *report) unexpected() int { return r.counts("")["failed"] + len(r.passing) }

// counts returns how often each result is that of a vector in a file; "" is all files.
func (r *report) counts(file string) map[string]int {
	n := map[string]int{}
	for _, one := range r.results {
		if file == "" || one.file == file {
			n[one.result]++
		}
	}
	return n
}

// writeTable writes a line for each file, and one for each result that is not as expected.
func (r *report) writeTable(w io.Writer) {
	files := map[string]bool{}
	for _, one := range r.results {
		files[one.file] = true
	}
	fmt.Fprintf(w, "%-20s %8s %8s %8s %8s\n", "vectors", "passed", "failed", "known", "skipped")
	for _, file := range append(slices.Sorted(maps.Keys(files)), "") {
		n := r.counts(file)
		fmt.Fprintf(w, "%-20s %8d %8d %8d %8d\n", cmp.Or(file, "all"), n["passed"], n["failed"], n["known"], n["skipped"])
	}
	sentences := map[string]int{}
	for _, one := range r.results {
		if one.result == "failed" {
			sentences[one.sentence]++
			fmt.Fprintf(w, "failed %s (%s): %s\n", one.id, one.sentence, one.why)
		}
	}
	for _, sentence := range slices.Sorted(maps.Keys(sentences)) {
		fmt.Fprintf(w, "%d failed for %s\n", sentences[sentence], sentence)
	}
	for _, id := range r.passing {
		fmt.Fprintf(w, "passes, but is expected to fail: %s\n", id)
	}
}

func (r *report) score() score {
	s := score{Sections: map[string]count{}, Reasons: map[string]int{}, Unexpected: slices.Clone(r.passing)}
	for _, one := range r.results {
		letter := one.sentence[:min(1, len(one.sentence))]
		n := s.Sections[letter]
		switch one.result {
		case "passed":
			n.Passed++
		case "skipped":
			n.Skipped++
		case "known":
			n.Failed++
			s.Reasons[one.reason]++
		case "failed":
			n.Failed++
			s.Unexpected = append(s.Unexpected, one.id)
		}
		s.Sections[letter] = n
	}
	return s
}

func (r *report) json() []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	_ = encoder.Encode(r.score()) // numbers and texts have a JSON form
	return text.Bytes()
}

func (r *report) junit() []byte {
	type said struct {
		Text string `xml:"message,attr"`
	}
	type testcase struct {
		Name    string `xml:"name,attr"`
		Class   string `xml:"classname,attr"`
		Failure *said  `xml:"failure"`
		Skipped *said  `xml:"skipped"`
	}
	suite := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testcase `xml:"testcase"`
	}{Name: "conformance", Tests: len(r.results) + len(r.passing), Failures: r.unexpected()}
	for _, one := range r.results {
		c := testcase{Name: one.id, Class: one.file}
		switch one.result {
		case "failed":
			c.Failure = &said{one.why}
		case "known", "skipped":
			c.Skipped = &said{cmp.Or(one.reason, one.why)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, id := range r.passing {
		suite.Cases = append(suite.Cases, testcase{Name: id, Class: "expected", Failure: &said{"it passes, but is expected to fail"}})
	}
	text, _ := xml.Marshal(suite) // of numbers and texts
	return append([]byte(xml.Header), text...)
}
