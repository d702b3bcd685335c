package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A vector is a question to an implementation, and the answer that is right.
type vector struct {
	id, file, sentence string
	question           []byte // a line of JSON
	refused, valid     bool
	outcomes           []string
	violations         []violation
}

// An answer is what an implementation decides. What it does not know is nil.
type answer struct {
	ID         string      `json:"id,omitempty"`
	Skipped    string      `json:"skipped,omitempty"` // why the implementation cannot be asked this
	Refused    bool        `json:"refused,omitempty"` // the rules cannot be read
	Valid      *bool       `json:"valid,omitempty"`
	Outcomes   []string    `json:"outcomes,omitempty"`
	Violations []violation `json:"violations,omitempty"`
}

type violation struct {
	Rule   string `json:"rule"`
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

func readVectors(folder string) ([]vector, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("there are no vectors in %s", folder)
	}
	var all []vector
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var content struct {
			Suite   json.RawMessage
			Vectors []map[string]json.RawMessage
		}
		if err := json.Unmarshal(text, &content); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, keys := range content.Vectors {
			v, err := vectorOf(strings.TrimSuffix(filepath.Base(file), ".json"), content.Suite, keys)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, v)
		}
	}
	return all, nil
}

// vectorOf makes a question of what a vector says about the call, from its members.
func vectorOf(file string, suite json.RawMessage, question map[string]json.RawMessage) (v vector, err error) {
	var name, spec string
	var want struct {
		Problems, Coverage []any
		Outcomes           []string
		Valid              bool
		Violations         []struct {
			violation
			Warned bool
		}
	}
	for key, to := range map[string]any{"name": &name, "spec": &spec, "want": &want} {
		if err := json.Unmarshal(question[key], to); err != nil {
			return v, fmt.Errorf("%s: %w", key, err)
		}
		delete(question, key)
	}
	v = vector{id: file + "/" + name, file: file}
	v.sentence, _, _ = strings.Cut(spec, ",")

	if annotation := question["annotation"]; len(annotation) > 0 && annotation[0] != '"' { // its text counts, byte for byte
		question["annotation"], _ = json.Marshal(string(annotation))
	}
	question["id"], _ = json.Marshal(v.id)
	if suite != nil {
		question["suite"] = suite
	}
	v.question, _ = json.Marshal(question) // of valid JSON

	v.refused = len(want.Problems) > 0 && string(question["call"]) != `"validateOwn"` // which says it in the report
	v.valid, v.outcomes = true, want.Outcomes
	for _, w := range want.Violations {
		v.valid = v.valid && w.Warned
		v.violations = append(v.violations, w.violation)
	}
	if want.Coverage != nil { // then the vector says it itself
		v.valid = want.Valid
	}
	return v, nil
}

// difference says how an answer is wrong, as far as the implementation knows; "" if it is right.
func (v vector) difference(got answer) string {
	switch {
	case got.Refused != v.refused:
		return fmt.Sprintf("the rules are refused: %t, want %t", got.Refused, v.refused)
	case got.Refused:
		return ""
	case got.Valid == nil:
		return `the answer has none of "valid", "refused" and "skipped"`
	case *got.Valid != v.valid:
		return fmt.Sprintf("valid is %t, want %t", *got.Valid, !*got.Valid)
	case got.Outcomes != nil && !slices.Equal(got.Outcomes, v.outcomes):
		return fmt.Sprintf("the outcomes are %v, want %v", got.Outcomes, v.outcomes)
	case got.Violations != nil && !slices.Equal(got.Violations, v.violations):
		return fmt.Sprintf("the violations are %v, want %v", got.Violations, v.violations)
	}
	return ""
}
