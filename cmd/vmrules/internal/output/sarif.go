package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/vmrules/vmrules/lint"
)

// An object is one of SARIF 2.1.0. The libraries for it bring large dependencies.
type object = map[string]any

// unreadableFile is the topic of files that cannot be used, which are results, too: code scanning
// shows no notifications.
var unreadableFile = Topic{"unreadable-file", "a file, or a document in it, cannot be used", AboutCommand, lint.SeverityError, ""}

// SARIF writes what a tool found for code scanning.
func SARIF(w io.Writer, tool string, r Findings) error {
	rules, index := []object{}, map[string]int{}
	for i, t := range append(r.Topics, unreadableFile) {
		index[t.ID] = i
		rules = append(rules, object{
			"id": t.ID, "shortDescription": object{"text": t.Meaning}, "fullDescription": object{"text": t.Meaning}, "helpUri": t.Help,
			"help":                 object{"text": t.Meaning, "markdown": fmt.Sprintf("%s\n\n%s\n[More about it](%s)", t.Meaning, t.Advice, t.Help)},
			"defaultConfiguration": object{"level": t.Severity},
		})
	}
	var notifications []object
	results, seen := []json.RawMessage{}, map[string]int{}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	unreadable := r.unreadable(unreadableFile.ID)
	for _, f := range unreadable {
		notifications = append(notifications, object{"level": "error", "message": object{"text": f.Message}, "locations": sarifPlace(f)})
	}
	for _, f := range append(r.All, unreadable...) {
		topic := f.Topic()
		said := strings.Join([]string{topic, filepath.ToSlash(f.File), f.text()}, "\n")
		seen[said]++
		result := object{
			"ruleId": topic, "ruleIndex": index[topic], "level": f.Severity, "message": object{"text": f.text()}, "locations": sarifPlace(f),
			// These stay the same if lines above a finding change.
			"partialFingerprints": object{"vmrules/v1": fmt.Sprintf("%x:%d", sha256.Sum256([]byte(said)), seen[said])},
		}
		if f.Fixes != nil {
			result["fixes"] = sarifFixes(f)
		}
		// As text, many results take a fraction of the memory of their maps.
		text.Reset()
		_ = encoder.Encode(result) // texts and numbers always have a form
		results = append(results, bytes.Clone(text.Bytes()))
	}
	driver := object{"name": tool, "informationUri": "https://github.com/vmrules/vmrules", "rules": rules}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		driver["version"] = info.Main.Version
	}
	invocation := object{"executionSuccessful": len(r.Unusable) == 0}
	if notifications != nil {
		invocation["toolExecutionNotifications"] = notifications
	}
	return JSON(w, object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{{
		"tool": object{"driver": driver}, "invocations": []object{invocation}, "columnKind": "unicodeCodePoints", "results": results,
	}}})
}

func sarifPlace(f Finding) []object {
	place := object{"artifactLocation": sarifFile(f.File)}
	if f.Line > 0 {
		place["region"] = sarifRegion(f.Line, f.Column, f.EndLine, f.EndColumn)
	}
	return []object{{"physicalLocation": place}}
}

// sarifRegion returns a part of a file, of which perhaps only the beginning is known.
func sarifRegion(line, column, endLine, endColumn int) object {
	region := object{"startLine": line, "startColumn": column}
	if endLine > 0 {
		region["endLine"], region["endColumn"] = endLine, endColumn
	}
	return region
}

func sarifFile(name string) object {
	return object{"uri": (&url.URL{Path: filepath.ToSlash(name)}).String()}
}

func sarifFixes(f Finding) []object {
	var all []object
	for _, r := range f.Fixes {
		region := sarifRegion(r.Line, r.Column, r.EndLine, r.EndColumn)
		all = append(all, object{"deletedRegion": region, "insertedContent": object{"text": r.Suggestion}})
	}
	return []object{{"artifactChanges": []object{{"artifactLocation": sarifFile(f.File), "replacements": all}}}}
}
