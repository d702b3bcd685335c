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

// A sarifObject is an object of SARIF 2.1.0. The libraries for it bring large dependencies, such as a
// validator of schemas.
type sarifObject = map[string]any

// unreadableFile is the topic of files that cannot be used, which are results, too: code scanning
// shows no notifications.
var unreadableFile = remarkTopic{"unreadable-file", "a file, or a document in it, cannot be used", aboutCommand, lint.SeverityError, ""}

// writeSARIF writes remarks for code scanning.
func writeSARIF(w io.Writer, b Build, r remarks) error {
	index := map[string]int{}
	rules, notifications, results := []sarifObject{}, []sarifObject{}, []sarifObject{}
	for i, t := range append(r.topics, unreadableFile) {
		rules = append(rules, sarifObject{
			"id": t.id, "shortDescription": sarifText(t.meaning), "fullDescription": sarifText(t.meaning), "helpUri": t.help,
			"help":                 sarifObject{"text": t.meaning, "markdown": fmt.Sprintf("%s\n\n%s\n[More about it](%s)", t.meaning, t.advice, t.help)},
			"defaultConfiguration": sarifObject{"level": severityWords[t.severity]},
		})
		index[t.id] = i
	}
	for _, e := range r.unusable {
		m := remark{e.File, lint.Finding{Line: e.Line, Column: e.Column, Severity: lint.SeverityError, ID: unreadableFile.id, Message: e.Message}, nil}
		notifications = append(notifications, sarifObject{"level": "error", "message": sarifText(m.Message), "locations": sarifPlace(m)})
		r.all = append(r.all, m)
	}
	seen := map[string]int{}
	for _, m := range r.all {
		said := strings.Join([]string{m.ID, filepath.ToSlash(m.file), m.Message}, "\n")
		seen[said]++
		result := sarifObject{
			"ruleId": m.ID, "ruleIndex": index[m.ID], "level": severityWords[m.Severity],
			"message": sarifText(m.Message), "locations": sarifPlace(m),
			// Fingerprints stay the same if lines above a finding change.
			"partialFingerprints": sarifObject{"vmrules/v1": fmt.Sprintf("%x:%d", sha256.Sum256([]byte(said)), seen[said])},
		}
		if m.fixes != nil {
			result["fixes"] = sarifFixes(m)
		}
		results = append(results, result)
	}
	driver := sarifObject{"name": b.Name, "informationUri": "https://github.com/vmrules/vmrules", "rules": rules}
	if version := release(debug.ReadBuildInfo()); version != "" {
		driver["version"] = version
	}
	return writeJSON(w, sarifObject{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []sarifObject{{
		"tool":        sarifObject{"driver": driver},
		"invocations": []sarifObject{{"executionSuccessful": len(r.unusable) == 0, "toolExecutionNotifications": notifications}},
		"columnKind":  "unicodeCodePoints",
		"results":     results,
	}}})
}

func sarifText(text string) sarifObject { return sarifObject{"text": text} }

func sarifFile(name string) sarifObject {
	return sarifObject{"uri": (&url.URL{Path: filepath.ToSlash(name)}).String()}
}

func sarifRegion(f lint.Finding) sarifObject {
	region := sarifObject{"startLine": f.Line, "startColumn": f.Column}
	if f.EndLine > 0 {
		region["endLine"], region["endColumn"] = f.EndLine, f.EndColumn
	}
	return region
}

func sarifPlace(m remark) []sarifObject {
	physical := sarifObject{"artifactLocation": sarifFile(m.file)}
	if m.Line > 0 {
		physical["region"] = sarifRegion(m.Finding)
	}
	return []sarifObject{{"physicalLocation": physical}}
}

func sarifFixes(m remark) []sarifObject {
	var all []sarifObject
	for _, f := range m.fixes {
		all = append(all, sarifObject{"deletedRegion": sarifRegion(f), "insertedContent": sarifText(f.Suggestion)})
	}
	return []sarifObject{{"artifactChanges": []sarifObject{{"artifactLocation": sarifFile(m.file), "replacements": all}}}}
}
