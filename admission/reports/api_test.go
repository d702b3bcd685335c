package reports

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrules/vmrules/openreports"
)

// What package openreports writes of the API of openreports.io. The module of that API would raise others in
// programs that import package admission, so TestReport of oracle has the API itself.
type apiReport struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Source            string                  `json:"source"`
	Scope             *corev1.ObjectReference `json:"scope,omitempty"`
	Summary           struct {
		Pass  int `json:"pass"`
		Fail  int `json:"fail"`
		Warn  int `json:"warn"`
		Error int `json:"error"`
		Skip  int `json:"skip"`
	} `json:"summary,omitempty"`
	Results []struct {
		Source      string                   `json:"source"`
		Policy      string                   `json:"policy"`
		Rule        string                   `json:"rule,omitempty"`
		Category    string                   `json:"category,omitempty"`
		Severity    string                   `json:"severity,omitempty"`
		Timestamp   metav1.Timestamp         `json:"timestamp,omitempty"`
		Result      string                   `json:"result,omitempty"`
		Scored      bool                     `json:"scored,omitempty"`
		Subjects    []corev1.ObjectReference `json:"resources,omitempty"`
		Description string                   `json:"message,omitempty"`
		Properties  map[string]string        `json:"properties,omitempty"`
	} `json:"results,omitempty"`
}

type apiReportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []apiReport `json:"items"`
}

func (r *apiReport) DeepCopyObject() runtime.Object     { return copied(r) }
func (l *apiReportList) DeepCopyObject() runtime.Object { return copied(l) }

func copied[T any](of *T) *T {
	text, err := json.Marshal(of)
	to := new(T)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(err)
	}
	return to
}

func installReports(s *runtime.Scheme) error {
	kind := schema.FromAPIVersionAndKind(openreports.APIVersion, openreports.Kind)
	s.AddKnownTypeWithName(kind, &apiReport{})
	s.AddKnownTypeWithName(kind.GroupVersion().WithKind(openreports.Kind+"List"), &apiReportList{})
	metav1.AddToGroupVersion(s, kind.GroupVersion())
	return nil
}
