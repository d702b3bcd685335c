package command

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/lint"
)

// Remarks are what a command says about files, for the formats in which it is shown beside
// their lines.
type remarks struct {
	all      []remark
	topics   []remarkTopic // of all remarks, and perhaps of others
	unusable []*manifest.Error
}

type remark struct {
	file         string
	lint.Finding                // its ID is that of a topic, and the end is 0 if it is not known
	fixes        []lint.Finding // each with a place, and what to write there
}

// A remarkTopic is what remarks with one ID have in common.
type remarkTopic struct {
	id, meaning, help string // help is a URL
	severity          lint.Severity
	advice            string // in Markdown
}

// writeJSON writes anything as indented JSON.
func writeJSON[T any](w io.Writer, v T) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// writeGitHub writes workflow commands, which GitHub Actions turns into annotations of a
// pull request.
func writeGitHub(w io.Writer, r remarks) error {
	for _, e := range r.unusable {
		if err := workflowCommand(w, "error", e.File, e.Line, e.Column, "vmrules", e.Message); err != nil {
			return err
		}
	}
	for _, m := range r.all {
		if err := workflowCommand(w, gitHubLevels[m.Severity], m.file, m.Line, m.Column, m.ID, m.Message); err != nil {
			return err
		}
	}
	return nil
}

var gitHubLevels = map[lint.Severity]string{
	lint.SeverityError: "error", lint.SeverityWarning: "warning", lint.SeverityInfo: "notice",
}

// GitHub defines these replacements.
var (
	commandMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func workflowCommand(w io.Writer, level, file string, line, column int, title, message string) error {
	place := "file=" + commandProperty.Replace(filepath.ToSlash(file))
	if line > 0 {
		place += fmt.Sprintf(",line=%d,col=%d", line, column)
	}
	_, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", level, place, commandProperty.Replace(title), commandMessage.Replace(message))
	return err
}
