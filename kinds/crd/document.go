package crd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/vmrules/vmrules"
)

// Rules makes a rule for whole objects from a schema (JSONSchemaProps) in JSON or YAML. Problems in
// the schema are returned as a *vmrules.ParseError. It is an error that has no type of its own if the
// text is neither JSON nor YAML, or not one document.
func Rules(schema []byte) (vmrules.Rules, error) {
	text, err := asJSON(schema)
	if err != nil {
		return vmrules.Rules{}, err
	}
	rule := vmrules.Rule{
		Kind: "schema", Name: "schema", Path: vmrules.MustParsePath("jsonpath::$"), Message: "the object must fit its schema",
		Unknown: map[string]json.RawMessage{keySchema: text},
	}
	return vmrules.NewRules([]vmrules.Rule{rule}, vmrules.WithKind("schema", Schema), vmrules.WholeObjects())
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
		return nil, errors.New("the document is empty: it must be a schema")
	}
	return found, nil
}
