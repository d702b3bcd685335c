package output

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/lint"
)

// writeGitHub writes workflow commands, which GitHub Actions turns into annotations of a
// pull request.
func writeGitHub(w io.Writer, _ build.Build, r Findings) error {
	for _, e := range r.Unusable {
		if err := workflowCommand(w, "error", e.File, e.Line, e.Column, "vmrules", e.Message); err != nil {
			return err
		}
	}
	for _, f := range r.All {
		if err := workflowCommand(w, gitHubLevels[f.Severity], f.File, f.Line, f.Column, f.Topic(), f.text()); err != nil {
			return err
		}
	}
	return nil
}

var gitHubLevels = map[lint.Severity]string{
	lint.SeverityError: "error", lint.SeverityWarning: "warning", lint.SeverityNote: "notice",
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
