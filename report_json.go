package vmrules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// MarshalJSON writes the report with its verdict, so that a program in another language need
// not know which outcomes fail an object. It writes about 16 MiB at most. If there is more,
// it leaves out violations first and then results, and counts them in "omitted". The verdict
// and the outcomes of results do not change.
func (r Report) MarshalJSON() ([]byte, error) {
	results, omitted := cut(r.all(), maxOutput)
	return json.Marshal(struct {
		Valid   bool     `json:"valid"`
		Results []Result `json:"results"`
		Omitted int      `json:"omitted,omitempty"`
	}{r.Valid(), results, r.Omitted() + omitted})
}

// UnmarshalJSON reads a report from its JSON. The report has the same verdict as the one that
// was written. It is also Equal to it, unless something was left out or was not valid UTF-8.
//
// Anything that could be mistaken for a verdict is an error: null, a report without "valid" or
// without "results", a result with an unknown outcome, and a verdict that the results
// contradict. Other keys may be missing, and unknown keys are ignored. After an error, the
// report is unchanged.
func (r *Report) UnmarshalJSON(text []byte) error {
	var read struct {
		Valid   *bool     `json:"valid"`
		Results *[]Result `json:"results"`
		Omitted int       `json:"omitted"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	switch {
	case read.Valid == nil:
		return errors.New(`this is not a report: it has no "valid"`)
	case read.Results == nil:
		return errors.New(`this is not a report: it has no "results"`)
	case read.Omitted < 0:
		return fmt.Errorf(`"omitted" is %d, but cannot be less than 0`, read.Omitted)
	}
	if !*read.Valid && len(*read.Results) == 0 && read.Omitted == 0 {
		*r = Report{}
		return nil
	}
	made := NewReport(*read.Results)
	made.more.omitted = read.Omitted
	if err := checkVerdict(*read.Valid, *read.Results); err != nil {
		return err
	}
	*r = *made
	return nil
}

// checkVerdict returns an error if the results contradict the verdict.
func checkVerdict(valid bool, results []Result) error {
	for i := range results {
		if !slices.Contains(worstFirst, results[i].Outcome) {
			return fmt.Errorf("results[%d] has the outcome %q: it must be one of %q", i, results[i].Outcome, worstFirst)
		}
	}
	failing := firstFailing(results)
	switch {
	case valid && failing >= 0:
		return fmt.Errorf(`"valid" is true, but results[%d] is %s, which fails the object`, failing, results[failing].Outcome)
	case !valid && failing < 0:
		return errors.New(`"valid" is false, but no result fails the object`)
	}
	return nil
}

// UnmarshalJSON reads a violation from its JSON, exactly as it was written: numbers keep
// their digits, and a list of strings is a []string.
func (v *Violation) UnmarshalJSON(text []byte) error {
	type members Violation
	read := members(*v)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		return err
	}
	if list, ok := read.Limit.([]any); ok {
		read.Limit = asStrings(list)
	}
	*v = Violation(read)
	return nil
}

// asStrings returns a list of strings as []string, and any other list as it is.
func asStrings(list []any) any {
	all := make([]string, 0, len(list))
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return list
		}
		all = append(all, s)
	}
	return all
}

// MarshalJSON writes the violations. If they exceed 16 MiB, it writes as many as fit, and how
// many are left out.
func (e *InvalidError) MarshalJSON() ([]byte, error) {
	n := fitting(e.Violations, (*Violation).encodedSize)
	return json.Marshal(struct {
		Violations []Violation `json:"violations"`
		Omitted    int         `json:"omitted,omitempty"`
	}{e.Violations[:n], len(e.Violations) - n})
}

// MarshalJSON writes the problems. If they exceed 16 MiB, it writes as many as fit, and how
// many are left out.
func (e *ParseError) MarshalJSON() ([]byte, error) {
	n := fitting(e.Problems, (*Problem).encodedSize)
	return json.Marshal(struct {
		Problems []Problem `json:"problems"`
		Omitted  int       `json:"omitted,omitempty"`
	}{e.Problems[:n], len(e.Problems) - n})
}
