package typescript

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
)

// A source is what reflection does not know about a package.
type source struct {
	comments  map[string]string   // of types, and of fields by "Type.Field"
	constants map[string][]string // of types of strings, in quotes
}

func (w *writer) source(path string) *source {
	if known, ok := w.sources[path]; ok {
		return known
	}
	src, err := readSource(path)
	if err != nil {
		w.fail("%s: %w", path, err)
		src = &source{}
	}
	w.sources[path] = src
	return src
}

func readSource(path string) (*source, error) {
	output, err := exec.Command("go", "list", "-json=Dir,GoFiles", path).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var listed struct {
		Dir     string
		GoFiles []string
	}
	if err := json.Unmarshal(output, &listed); err != nil {
		return nil, err
	}
	var files []*ast.File
	set := token.NewFileSet()
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(listed.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	read, err := doc.NewFromFiles(set, files, path)
	if err != nil {
		return nil, err
	}
	src := &source{map[string]string{}, map[string][]string{}}
	for _, t := range read.Types {
		src.comments[t.Name] = t.Doc
		src.addFields(t)
		src.addConstants(t)
	}
	return src, nil
}

func (s *source) addFields(t *doc.Type) {
	declared, ok := t.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range declared.Fields.List {
		text := field.Doc.Text()
		if text == "" {
			text = field.Comment.Text()
		}
		for _, name := range field.Names {
			s.comments[t.Name+"."+name.Name] = text
		}
	}
}

func (s *source) addConstants(t *doc.Type) {
	for _, group := range t.Consts {
		for _, spec := range group.Decl.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				if literal, ok := value.(*ast.BasicLit); ok && strings.HasPrefix(literal.Value, `"`) {
					s.constants[t.Name] = append(s.constants[t.Name], literal.Value)
				}
			}
		}
	}
}
