package tables

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// readVersion returns the version of KubeVirt that go.mod requires, such as 1.9.
func readVersion(t *testing.T) string {
	t.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "kubevirt.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	short := strings.TrimPrefix(string(version), "v")
	return short[:strings.LastIndex(short, ".")]
}

// readTable returns the versions that brought the fields of a table, by type and field, such as Network.name;
// "" for the oldest.
func readTable(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	of := ""
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if line[0] != '\t' {
			of = strings.Join(words, " ")
			continue
		}
		for _, word := range words {
			field, version, _ := strings.Cut(word, "@")
			name, _, _ := strings.Cut(field, ":")
			versions[of+"."+name] = version
		}
	}
	return versions
}

// since returns the notation for the version that brought a field. One that is not in the table came with
// the newest version. If its type only has another name, correct that in the table, which is kept.
func (w *fieldWriter) since(of, field string) string {
	version, isKnown := w.versions[of+"."+field]
	if !isKnown {
		version = w.newest
	}
	if version != "" {
		version = "@" + version
	}
	return version
}
