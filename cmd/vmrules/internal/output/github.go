package output

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/vmrules/vmrules/lint"
)

// GitHub writes workflow commands, which GitHub Actions turns into annotations of a pull request.
func GitHub(w io.Writer, r Findings) error {
	for _, f := range append(r.unreadable("vmrules"), r.All...) {
		place := "file=" + commandProperty.Replace(filepath.ToSlash(f.File))
		if f.Line > 0 {
			place += fmt.Sprintf(",line=%d,col=%d", f.Line, f.Column)
		}
		title, message := commandProperty.Replace(f.Topic()), commandMessage.Replace(f.text())
		if _, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", gitHubLevels[f.Severity], place, title, message); err != nil {
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
