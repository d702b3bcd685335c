package command

import (
	"io"
	"net/url"
	"path/filepath"
	"runtime/debug"
)

// These types are the part of SARIF 2.1.0 that we need. The libraries for it bring large
// dependencies, such as a validator of schemas.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		HelpURI          string    `json:"helpUri"`
		Default          struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)

// writeSARIF writes remarks for code scanning.
func writeSARIF(w io.Writer, b Build, r remarks) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: b.Name, Version: release(debug.ReadBuildInfo()), InformationURI: "https://github.com/vmrules/vmrules",
			Rules: []sarifRule{},
		}},
		Invocations: []sarifInvocation{{Successful: len(r.unusable) == 0}},
		ColumnKind:  "unicodeCodePoints",
		Results:     []sarifResult{},
	}
	index := map[string]int{}
	for i, t := range r.topics {
		rule := sarifRule{ID: t.id, ShortDescription: sarifText{t.meaning}, HelpURI: t.help}
		rule.Default.Level = severityWords[t.severity]
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		index[t.id] = i
	}
	for _, e := range r.unusable {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{
			Level: "error", Message: sarifText{e.Message}, Locations: sarifPlace(e.File, e.Line, e.Column),
		})
	}
	for _, m := range r.all {
		run.Results = append(run.Results, sarifResult{
			RuleID: m.id, RuleIndex: index[m.id], Level: severityWords[m.severity],
			Message: sarifText{m.message}, Locations: sarifPlace(m.file, m.line, m.column),
		})
	}
	return writeJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifPlace(file string, line, column int) []sarifLocation {
	var place sarifLocation
	place.Physical.Artifact.URI = (&url.URL{Path: filepath.ToSlash(file)}).String()
	if line > 0 {
		place.Physical.Region = &sarifRegion{line, column}
	}
	return []sarifLocation{place}
}
