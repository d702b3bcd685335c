package crd

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
)

// keyDefinition is the key of a rule of kind "crd".
const keyDefinition = "definition"

// Rules makes a rule for whole objects from a document in JSON or YAML. The document is a
// CustomResourceDefinition of apiextensions.k8s.io/v1, or a schema alone
// (JSONSchemaProps). Problems in the document are returned as a *vmrules.ParseError.
//
// With a definition, an object is judged by the schema of its version. The rule is Skipped
// for an object of another group or kind. It is Undecided for an object without apiVersion,
// and for one of a version that the definition does not serve. An object without kind is
// judged by its version.
func Rules(document []byte) (vmrules.Rules, error) {
	text, err := asJSON(document)
	if err != nil {
		return vmrules.Rules{}, err
	}
	tree := readJSON(text)
	rule := vmrules.Rule{
		Kind: "schema", Name: "schema", Path: vmrules.MustParsePath("jsonpath::$"), Message: "the object must fit its schema",
	}
	key := keySchema
	if tree.text("kind") != "" || tree.text("apiVersion") != "" {
		key = keyDefinition
		rule.Kind = "crd"
		rule.Name = cmp.Or(tree.member("metadata").text("name"), "crd")
		rule.Message = fmt.Sprintf("the object must fit the definition of its kind %s", tree.member("spec").member("names").text("kind"))
	}
	rule.Unknown = map[string]json.RawMessage{key: text}
	return vmrules.NewRules([]vmrules.Rule{rule},
		vmrules.WithKind("schema", Schema), vmrules.WithKind("crd", Definition), vmrules.WholeObjects())
}

// asJSON returns the document in a text as JSON. It is an error if the text has no document,
// or more than one.
func asJSON(text []byte) ([]byte, error) {
	if trimmed := bytes.TrimSpace(text); json.Valid(trimmed) {
		return trimmed, nil
	}
	var found []byte
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the document cannot be read: %w", err)
		}
		content, err := yaml.YAMLToJSONStrict(document)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the document is neither JSON nor YAML: %w", err)
		case string(content) == "null":
		case found != nil:
			return nil, errors.New("the text has more than one document: read each of them separately")
		default:
			found = content
		}
	}
	if found == nil {
		return nil, errors.New("the document is empty: it must be a CustomResourceDefinition or a schema")
	}
	return found, nil
}

// Definition compiles a rule whose key "definition" holds a whole CustomResourceDefinition.
// Rules makes such rules, of the kind "crd". A definition is trusted: it does not have the
// bounds of a schema in an annotation. So do not add this kind to a program that reads
// annotations of users.
func Definition(source vmrules.RuleSource) (vmrules.Checker, []vmrules.Problem) {
	r, tree := read(source, keyDefinition, "a CustomResourceDefinition")
	if tree == nil {
		return nil, r.problems
	}
	d := r.definition(tree)
	if r.failed() {
		return nil, r.problems
	}
	return d, nil
}

// A definitionChecker judges objects of one kind, each by the schema of its version.
type definitionChecker struct {
	group, kind string
	namespaced  bool
	served      []string // names of versions
	versions    map[string]*judge
}

// definition reads the parts of a CustomResourceDefinition that decide whether an object is
// valid. It ignores all other parts.
func (r *reading) definition(tree *node) *definitionChecker {
	const wanted = v1.GroupName + "/v1"
	if version, kind := tree.text("apiVersion"), tree.text("kind"); kind != "CustomResourceDefinition" || version != wanted {
		r.wrong(vmrules.ReasonInvalid, "must be a CustomResourceDefinition of %s, not kind %q of %q", wanted, shortened(kind), shortened(version))
		return nil
	}
	where := field.NewPath("spec")
	n := tree.member("spec")
	names := n.member("names")
	d := &definitionChecker{
		group: n.text("group"), kind: names.text("kind"),
		namespaced: n.text("scope") == string(v1.NamespaceScoped), versions: map[string]*judge{},
	}
	if d.group == "" {
		r.problem(n, where.Child("group"), vmrules.ReasonRequired, "is missing: it must be the API group of the objects, such as kubevirt.io")
	}
	if d.kind == "" {
		r.problem(names, where.Child("names", "kind"), vmrules.ReasonRequired, "is missing: it must be the kind of the objects, such as VirtualMachine")
	}
	if n.member("preserveUnknownFields").value == true {
		r.problem(n.member("preserveUnknownFields"), where.Child("preserveUnknownFields"), vmrules.ReasonInvalid, "must be false, as %s demands: mark the schemas with x-kubernetes-preserve-unknown-fields", wanted)
	}
	for i, version := range n.member("versions").items() {
		r.version(d, version, where.Child("versions").Index(i))
	}
	if len(d.served) == 0 && len(r.problems) == 0 {
		r.problem(n.member("versions"), where.Child("versions"), vmrules.ReasonInvalid, "has no version that is served: at least one needs a name, \"served\": true and a schema")
	}
	return d
}

func (r *reading) version(d *definitionChecker, n *node, where *field.Path) {
	name := n.text("name")
	switch {
	case name == "":
		r.problem(n, where.Child("name"), vmrules.ReasonRequired, "is missing: it must be the version's name, such as v1")
		return
	case slices.Contains(d.served, name):
		r.problem(n, where.Child("name"), vmrules.ReasonDuplicate, "the version %q is defined twice: keep one of them", name)
		return
	case n.member("served").value != true:
		return
	}
	d.served = append(d.served, name)
	schema := n.member("schema").member("openAPIV3Schema")
	where = where.Child("schema", "openAPIV3Schema")
	if schema.value == nil {
		r.problem(n, where, vmrules.ReasonRequired, "is missing: a version that is served needs a schema")
		return
	}
	d.versions[name] = r.compile(schema, where, true)
}

// Check implements vmrules.Checker.
func (d *definitionChecker) Check(in *vmrules.Input) vmrules.Verdict {
	f := newFindings(in)
	if len(in.Values) == 0 {
		return f.missing()
	}
	others := ""
	judged := 0
	for i, m := range in.Values {
		object, ok := m.Value.(map[string]any)
		if !ok {
			f.violate(i, nil, vmrules.ReasonTypeInvalid, "must be an object", "")
			judged++
			continue
		}
		if others = d.otherKind(object); others == "" {
			d.object(f, i, object)
			judged++
		}
	}
	if judged == 0 {
		return vmrules.Verdict{Outcome: vmrules.Skipped, Note: others}
	}
	return f.verdict()
}

// otherKind returns a note for an object of another group or kind than the definition's. It
// returns "" for an object without kind or apiVersion.
func (d *definitionChecker) otherKind(object map[string]any) string {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	group, _, _ := strings.Cut(apiVersion, "/")
	if apiVersion == "" || kind == "" || group == d.group && kind == d.kind {
		return ""
	}
	return fmt.Sprintf("the object has kind %q and apiVersion %q, but the definition is for kind %s of group %s", shortened(kind), shortened(apiVersion), d.kind, d.group)
}

// object judges an object of the definition's kind by the schema of its version.
func (d *definitionChecker) object(f *findings, i int, object map[string]any) {
	apiVersion, _ := object["apiVersion"].(string)
	_, version, _ := strings.Cut(apiVersion, "/")
	j := d.versions[version]
	if j == nil {
		f.doubt("the object has apiVersion %q, but the definition serves only %s", shortened(apiVersion), strings.Join(d.served, ", "))
		return
	}
	j.value(f, i)
	d.metadata(f, i, object)
}

// metadata judges the object's metadata as the API server does. The namespace may be
// missing, because the API server can take it from the request.
func (d *definitionChecker) metadata(f *findings, i int, object map[string]any) {
	content, ok := object["metadata"].(map[string]any)
	if !ok && object["metadata"] != nil {
		at := f.in.Violation(i, "metadata").Pointer
		if slices.ContainsFunc(f.violations, func(v vmrules.Violation) bool { return v.Pointer == at }) {
			return // the schema has reported it already
		}
		f.violate(i, []any{"metadata"}, vmrules.ReasonTypeInvalid, "must be an object", "")
		return
	}
	if inexact(content) != "" {
		return
	}
	meta := &metav1.ObjectMeta{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, meta); err != nil {
		f.violate(i, []any{"metadata"}, vmrules.ReasonInvalid, "is not valid metadata: "+shortened(err.Error()), "")
		return
	}
	if d.namespaced && meta.Namespace == "" {
		meta.Namespace = metav1.NamespaceDefault
	}
	if meta.Name == "" && meta.GenerateName != "" { // the API server generates the name before it validates
		meta.Name = meta.GenerateName[:min(len(meta.GenerateName), 58)] + "00000"
	}
	p := placer{findings: f, value: i, judge: &judge{isResource: true}, object: object}
	for _, e := range metavalidation.ValidateObjectMeta(meta, d.namespaced, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata")) {
		p.add(e, "", "")
	}
}
