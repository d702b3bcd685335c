package output

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
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
var unreadableFile = Topic{"unreadable-file", "a file, or a document in it, cannot be used", AboutCommand, lint.SeverityError, ""}

// writeSARIF writes findings for code scanning.
func writeSARIF(w io.Writer, b build.Build, r Findings) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: b.Name, Version: build.Release(debug.ReadBuildInfo()), InformationURI: "https://github.com/vmrules/vmrules",
			Rules: []sarifRule{},
		}},
		Invocations: []sarifInvocation{{Successful: len(r.Unusable) == 0}},
		ColumnKind:  "unicodeCodePoints",
		Results:     []sarifResult{},
	}
	index := map[string]int{}
	for i, t := range append(r.Topics, unreadableFile) {
		help := sarifText{t.Meaning, fmt.Sprintf("%s\n\n%s\n[More about it](%s)", t.Meaning, t.Advice, t.Help)}
		rule := sarifRule{ID: t.ID, ShortDescription: sarifText{Text: t.Meaning}, FullDescription: sarifText{Text: t.Meaning}, Help: help, HelpURI: t.Help}
		rule.Default.Level = string(t.Severity)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		index[t.ID] = i
	}
	for _, e := range r.Unusable {
		f := Finding{File: e.File, Line: e.Line, Column: e.Column, Severity: lint.SeverityError, ID: unreadableFile.ID, Index: -1, Message: e.Message}
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{
			Level: "error", Message: sarifText{Text: f.Message}, Locations: sarifPlace(f),
		})
		r.All = append(r.All, f)
	}
	seen := map[string]int{}
	for _, f := range r.All {
		topic := f.Topic()
		said := strings.Join([]string{topic, filepath.ToSlash(f.File), f.text()}, "\n")
		seen[said]++
		run.Results = append(run.Results, sarifResult{
			RuleID: topic, RuleIndex: index[topic], Level: string(f.Severity),
			Message: sarifText{Text: f.text()}, Locations: sarifPlace(f),
			Fingerprints: map[string]string{"vmrules/v1": fmt.Sprintf("%x:%d", sha256.Sum256([]byte(said)), seen[said])},
			Fixes:        sarifFixes(f),
		})
	}
	return JSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifPlace(f Finding) []sarifLocation {
	var location sarifLocation
	location.Physical.Artifact = sarifFile(f.File)
	if f.Line > 0 {
		location.Physical.Region = &sarifRegion{f.Line, f.Column, f.EndLine, f.EndColumn}
	}
	return []sarifLocation{location}
}

func sarifFile(name string) sarifArtifact {
	return sarifArtifact{(&url.URL{Path: filepath.ToSlash(name)}).String()}
}

func sarifFixes(f Finding) []sarifFix {
	if f.Fixes == nil {
		return nil
	}
	var fix sarifFix
	fix.Changes[0].Artifact = sarifFile(f.File)
	for _, r := range f.Fixes {
		fix.Changes[0].Replacements = append(fix.Changes[0].Replacements,
			sarifReplacement{sarifRegion{r.Line, r.Column, r.EndLine, r.EndColumn}, sarifText{Text: r.Suggestion}})
	}
	return []sarifFix{fix}
}
