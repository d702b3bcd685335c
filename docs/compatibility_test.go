package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCompatibility compares the table of docs/compatibility.md with what the modules require.
func TestCompatibility(t *testing.T) {
	page := pages(t)["docs/compatibility.md"]
	kubevirt := required(t, "oracle/fields", "=> k8s.io/apimachinery")
	ssp := required(t, "oracle/ssp", "k8s.io/apimachinery")
	for _, said := range []string{
		"in KubeVirt " + minor(required(t, "oracle/fields", "kubevirt.io/api")) + " | in ssp-operator ",
		"Kubernetes of these, " + kubevirt + " and " + ssp,
		"compiled with " + minor(required(t, "oracle/ssp", "kubevirt.io/api")),
	} {
		if !strings.Contains(strings.ReplaceAll(page, "\n", " "), said) {
			t.Errorf("docs/compatibility.md does not say %q, as the go.mod files of oracle do", said)
		}
	}

	folders := []string{"oracle/newest"}
	for _, pattern := range []string{"go.mod", "cmd/*/go.mod", "admission/go.mod", "kinds/*/go.mod"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %q, %v", pattern, files, err)
		}
		for _, file := range files {
			folders = append(folders, filepath.Dir(file))
		}
	}
	rows := map[string][]string{}
	for _, match := range regexp.MustCompile(`(?m)^\| \[?([^]|]*[^]| ])(?:\]\S*)?(?: builds all with)? \| (\d.*) \|$`).FindAllStringSubmatch(page, -1) {
		rows[match[1]] = strings.Split(match[2], "|")
	}
	for _, folder := range folders {
		kubernetes := required(t, folder, "k8s.io/apimachinery")
		want := []string{required(t, folder, "go"), kubernetes, required(t, folder, "sigs.k8s.io/controller-runtime"), "", ""}
		name, isCI := map[string]string{".": "the library", "oracle/newest": "CI"}[folder], folder == "oracle/newest"
		if name == "" {
			name = folder
		}
		if !isCI {
			want[3], want[4] = fits(t, kubernetes, kubevirt), fits(t, kubernetes, ssp)
		}
		got := rows[name]
		for i := range got {
			got[i] = strings.TrimSpace(got[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("docs/compatibility.md has of %s %q, its go.mod %q", name, got, want)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("docs/compatibility.md has a row of %s, which is no released module", name)
	}
}

// required returns the version that the go.mod of a folder has for a module, or for "go"; "" if it has none.
func required(t *testing.T, folder, module string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`(?m)(?:^|^\t|^\S.* |^\t\S+ )` + regexp.QuoteMeta(module) + ` v?(\d\S*)`)
	match := pattern.FindStringSubmatch(string(text))
	if match == nil {
		return ""
	}
	return match[1]
}

func minor(version string) string { return version[:strings.LastIndex(version, ".")] }

// fits says what becomes of a program's Kubernetes if it imports a module that requires one.
func fits(t *testing.T, required, has string) string {
	t.Helper()
	if required == "" {
		return "keeps Kubernetes"
	}
	number := func(version string) (number [3]int) {
		if _, err := fmt.Sscanf(version, "%d.%d.%d", &number[0], &number[1], &number[2]); err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		return number
	}
	r, h := number(required), number(has)
	if slices.Compare(r[:], h[:]) > 0 {
		return "raises Kubernetes"
	}
	return "keeps Kubernetes"
}
