package admission_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	ctrl "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission"
	"github.com/vmrules/vmrules/internal/conformance"
)

// ways are the exported functions, and methods of exported types, by the edge that goes through them, or
// by why none does.
var ways = map[string]string{
	"New":                    "handler",
	"Reviewer.ServeHTTP":     "handler",
	"Reviewer.Handle":        "Handle",
	"NewValidator":           "validator",
	"WithUndecided":          "handler, missing templates refused",
	"WithBrokenTemplate":     "handler, broken templates warn",
	"WithTemplateNamespaces": "handler, with namespaces of templates",
	"WithNamespaceFallback":  "handler, with namespaces of templates",
	"WithoutRatcheting":      "handler, nothing changed, without ratcheting",
	"NewManager":             "none: it serves a Reviewer of New",
	"WithDecisions":          "none: it changes no answer",
	"WithRefusalCounter":     "none: it changes no answer",
	"WithReports":            "none: package reports tests it",
	"WithProtectedTemplates": "none: it is about templates",
	"WithRefusedTemplates":   "none: it is about templates",
	"WithParseOptions":       "none: it passes on options of the library",
	"WithValidateOptions":    "none: it passes on options of the library",
}

// Those who ask about a VM learn what its report says.
func TestEdges(t *testing.T) {
	const testdata = "../testdata"
	if _, err := os.Stat(testdata); err != nil {
		t.Skip("this is the module alone, without the objects of the edges")
	}
	edges := map[string]conformance.Edge{
		"handler":                                      served("CREATE"),
		"handler, nothing changed":                     served("UPDATE"),
		"handler, missing templates refused":           served("CREATE", admission.WithUndecided(vmrules.DoubtTemplate, admission.Refuse)),
		"handler, broken templates warn":               served("CREATE", admission.WithBrokenTemplate(admission.Warn)),
		"handler, with namespaces of templates":        served("CREATE", admission.WithNamespaceFallback(), admission.WithTemplateNamespaces("openshift")),
		"handler, nothing changed, without ratcheting": served("UPDATE", admission.WithoutRatcheting()),
		"Handle":    handled,
		"validator": validated,
	}
	conformance.RunEdges(t, testdata, "admission.json", edges)

	listed := map[string]bool{}
	for name, edge := range ways {
		listed[name] = true
		if edges[edge] == nil && !strings.HasPrefix(edge, "none: ") {
			t.Errorf("%s: there is no edge %q", name, edge)
		}
	}
	if diff := cmp.Diff(listed, exportedFuncs(t)); diff != "" {
		t.Errorf("ways in (-listed +exported):\n%s", diff)
	}
}

// served returns the edge of the handler: the code of HTTP, or what the answer says.
func served(operation string, opts ...admission.Option) conformance.Edge {
	return func(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
		w := httptest.NewRecorder()
		req := requestFor(t, operation, object)
		body := reviewOf(t, req)
		reviewer(t, edgeCluster(t, templates), opts...).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body)))
		if w.Code != http.StatusOK {
			return fmt.Sprintf("HTTP %d", w.Code)
		}
		resp, err := read(w.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return said(ctrl.Response{AdmissionResponse: *resp})
	}
}

func handled(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
	return said(reviewer(t, edgeCluster(t, templates)).Handle(t.Context(), requestFor(t, "CREATE", object)))
}

func validated(t *testing.T, object json.RawMessage, templates []json.RawMessage) string {
	v := admission.NewValidator[*unstructured.Unstructured](reviewer(t, edgeCluster(t, templates)))
	var o *unstructured.Unstructured
	if object != nil {
		o = &unstructured.Unstructured{}
		if err := json.Unmarshal(object, &o.Object); err != nil {
			t.Fatal(err)
		}
	}
	warnings, err := v.ValidateCreate(t.Context(), o)
	resp := ctrl.Response{AdmissionResponse: admissionv1.AdmissionResponse{Allowed: err == nil, Warnings: warnings}}
	if status := (*apierrors.StatusError)(nil); errors.As(err, &status) {
		resp.Result = &status.ErrStatus
	}
	return said(resp)
}

// said returns an answer in short.
func said(resp ctrl.Response) string {
	text := "allowed"
	if !resp.Allowed {
		text = fmt.Sprintf("refused, %d", resp.Result.Code)
	}
	if len(resp.Warnings) > 0 {
		text += ", warns"
	}
	return text
}

// exportedFuncs returns the exported functions of the package, and the exported methods of exported types.
func exportedFuncs(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if !isFunc || parsed.Name.Name != "admission" || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				of, _ := ast.Unparen(f.Recv.List[0].Type).(*ast.StarExpr)
				if of == nil || !ast.IsExported(fmt.Sprint(of.X)) {
					continue
				}
				name = fmt.Sprint(of.X) + "." + name
			}
			all[name] = true
		}
	}
	return all
}

// edgeCluster returns a cluster with templates, of which one named "unclear" cannot be looked up.
func edgeCluster(t *testing.T, templates []json.RawMessage) client.Reader {
	t.Helper()
	var texts []string
	for _, text := range templates {
		if !strings.Contains(string(text), `"unclear"`) { // of which there are two
			texts = append(texts, string(text))
		}
	}
	return interceptor.NewClient(cluster(t, texts...), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if key.Name == "unclear" {
				return errors.New("it is down")
			}
			return c.Get(ctx, key, o, opts...)
		},
	})
}

// requestFor returns a request for an object, which may be nil.
func requestFor(t *testing.T, operation string, object json.RawMessage) ctrl.Request {
	t.Helper()
	var o struct{ APIVersion, Kind string }
	if object == nil {
		return request(operation, "", "")
	}
	if err := json.Unmarshal(object, &o); err != nil {
		t.Fatal(err)
	}
	old := ""
	if operation == "UPDATE" {
		old = string(object)
	}
	return ofKind(request(operation, string(object), old), o.APIVersion, o.Kind)
}
