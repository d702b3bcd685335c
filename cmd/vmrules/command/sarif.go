package command

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/vmrules/vmrules/lint"
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
		FullDescription  sarifText `json:"fullDescription"`
		Help             sarifText `json:"help"`
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
		// Fingerprints stay the same if lines above a finding change.
		Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
	}
	sarifFix struct {
		Changes [1]struct {
			Artifact     sarifArtifact      `json:"artifactLocation"`
			Replacements []sarifReplacement `json:"replacements"`
		} `json:"artifactChanges"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact sarifArtifact `json:"artifactLocation"`
			Region   *sarifRegion  `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

// unreadableFile is the topic of files that cannot be used, which are results, too: code scanning
// shows no notifications.
var unreadableFile = remarkTopic{"unreadable-file", "a file, or a document in it, cannot be used", aboutCommand, lint.SeverityError, ""}

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
	for i, t := range append(r.topics, unreadableFile) {
		help := sarifText{t.meaning, fmt.Sprintf("%s\n\n%s\n[More about it](%s)", t.meaning, t.advice, t.help)}
		rule := sarifRule{ID: t.id, ShortDescription: sarifText{Text: t.meaning}, FullDescription: sarifText{Text: t.meaning}, Help: help, HelpURI: t.help}
		rule.Default.Level = severityWords[t.severity]
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		index[t.id] = i
	}
	for _, e := range r.unusable {
		m := remark{e.File, lint.Finding{Line: e.Line, Column: e.Column, Severity: lint.SeverityError, ID: unreadableFile.id, Message: e.Message}, nil}
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{
			Level: "error", Message: sarifText{Text: m.Message}, Locations: sarifPlace(m),
		})
		r.all = append(r.all, m)
	}
	seen := map[string]int{}
	for _, m := range r.all {
		said := strings.Join([]string{m.ID, filepath.ToSlash(m.file), m.Message}, "\n")
		seen[said]++
		run.Results = append(run.Results, sarifResult{
			RuleID: m.ID, RuleIndex: index[m.ID], Level: severityWords[m.Severity],
			Message: sarifText{Text: m.Message}, Locations: sarifPlace(m),
			Fingerprints: map[string]string{"vmrules/v1": fmt.Sprintf("%x:%d", sha256.Sum256([]byte(said)), seen[said])},
			Fixes:        sarifFixes(m),
		})
	}
	return writeJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifPlace(m remark) []sarifLocation {
	var location sarifLocation
	location.Physical.Artifact = sarifFile(m.file)
	if m.Line > 0 {
		location.Physical.Region = &sarifRegion{m.Line, m.Column, m.EndLine, m.EndColumn}
	}
	return []sarifLocation{location}
}

func sarifFile(name string) sarifArtifact {
	return sarifArtifact{(&url.URL{Path: filepath.ToSlash(name)}).String()}
}

func sarifFixes(m remark) []sarifFix {
	if m.fixes == nil {
		return nil
	}
	var fix sarifFix
	fix.Changes[0].Artifact = sarifFile(m.file)
	for _, f := range m.fixes {
		fix.Changes[0].Replacements = append(fix.Changes[0].Replacements,
			sarifReplacement{sarifRegion{f.Line, f.Column, f.EndLine, f.EndColumn}, sarifText{Text: f.Suggestion}})
	}
	return []sarifFix{fix}
}
