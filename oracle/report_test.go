package oracle

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openreports/reports-api/apis/openreports.io/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrules/vmrules/openreports"
)

// What package openreports writes is a Report of the API, and nothing of it is lost or added.
func TestReport(t *testing.T) {
	text, err := os.ReadFile("../openreports/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	var report v1alpha1.Report
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(want, &report, true); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&report)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(again, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if gv := v1alpha1.GroupVersion.String(); gv != openreports.APIVersion {
		t.Errorf("the API is %s", gv)
	}
}
