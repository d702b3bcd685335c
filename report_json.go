package vmrules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// MarshalJSON writes the report with its verdict, so that a program in another
// language need not know which outcomes fail an object. It writes about 16 MiB at
// most: of what would be more, violations and then results are left out, and
// counted in "omitted". Neither the verdict nor the outcome of a result changes.
func (r Report) MarshalJSON() ([]byte, error) {
	results, omitted := cut(r.all(), maxOutput)
	return json.Marshal(struct {
		Valid   bool     `json:"valid"`
		Results []Result `json:"results"`
		Omitted int      `json:"omitted,omitempty"`
	}{r.Valid(), results, r.omitted + omitted})
}

// UnmarshalJSON reads a report from its JSON. It is equal to the one that was
// written, unless something had to be left out or was not valid UTF-8, and has the
// same verdict.
//
// What could pass for a verdict by mistake is an error: null, a report without
// "valid" or without "results", a result whose outcome is not known, and a verdict
// that the results contradict. Other keys may be missing, and ones that are not known
// are ignored. The report stays as it is where there is an error.
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
		return fmt.Errorf(`"omitted" is %d, and cannot be less than 0`, read.Omitted)
	}
	if !*read.Valid && len(*read.Results) == 0 && read.Omitted == 0 {
		r.become(&Report{})
		return nil
	}
	made := NewReport(*read.Results)
	made.omitted = read.Omitted
	if err := checkVerdict(*read.Valid, *read.Results); err != nil {
		return err
	}
	r.become(made)
	return nil
}

// become makes the report another. It leaves the report's room as it is, which
// copies of the report refer to.
func (r *Report) become(other *Report) {
	r.parts, r.told, r.omitted = other.parts, other.told, other.omitted
}

// checkVerdict returns an error for results that do not have the verdict.
func checkVerdict(valid bool, results []Result) error {
	for i := range results {
		if !slices.Contains(worstFirst, results[i].Outcome) {
			return fmt.Errorf("results[%d] has the outcome %q, and must have one of %q", i, results[i].Outcome, worstFirst)
		}
	}
	failing := firstFailing(results)
	switch {
	case valid && failing >= 0:
		return fmt.Errorf(`"valid" is true, and results[%d] is %s and fails the object`, failing, results[failing].Outcome)
	case !valid && failing < 0:
		return errors.New(`"valid" is false, and no result fails the object`)
	}
	return nil
}

// UnmarshalJSON reads a violation from its JSON, so that a report that is read
// from its JSON is the same: numbers keep their digits, and a list of strings is
// a []string.
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

// asStrings returns a list of strings as []string, and any other as it is.
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
