package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A mutant is a file with one mistake in it.
type mutant struct {
	text       []byte
	start, end int // what the mistake replaces
	with       string
	at         token.Position
}

func (m mutant) String() string {
	return fmt.Sprintf("%s: %s instead of %s", m.at, m.with, m.text[m.start:m.end])
}

func (m mutant) changed() []byte {
	return []byte(string(m.text[:m.start]) + m.with + string(m.text[m.end:]))
}

// mutantsOf returns all mutants of the files of a package, apart from its tests.
func mutantsOf(folder string) ([]mutant, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &planter{files: token.NewFileSet()}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if p.text, err = os.ReadFile(name); err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(p.files, name, p.text, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, p.plant)
	}
	if len(p.mutants) == 0 {
		return nil, fmt.Errorf("%s: there is nothing to change in it", folder)
	}
	return p.mutants, nil
}

// A planter collects mutants.
type planter struct {
	files   *token.FileSet
	text    []byte // of the file
	mutants []mutant
}

// instead maps operators to others that take the same operands.
var instead = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR}, token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN}, token.INC: {token.DEC}, token.DEC: {token.INC},
	token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
}

func (p *planter) plant(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.BinaryExpr:
		p.operator(n.OpPos, n.Op)
	case *ast.AssignStmt:
		p.operator(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		p.operator(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		p.operator(n.TokPos, n.Tok)
	case *ast.IfStmt:
		p.add(n.Cond.Pos(), n.Cond.End(), "!("+p.written(n.Cond)+")")
	case *ast.BasicLit:
		if i, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			p.add(n.Pos(), n.End(), strconv.Itoa(i+1))
		}
	case *ast.Ident:
		if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
			p.add(n.Pos(), n.End(), other)
		}
	case *ast.ReturnStmt:
		if len(n.Results) > 0 {
			p.returned(n.Results[len(n.Results)-1])
		}
	}
	return true
}

func (p *planter) operator(at token.Pos, operator token.Token) {
	for _, other := range instead[operator] {
		p.add(at, at+token.Pos(len(operator.String())), other.String())
	}
}

// returned makes a mutant that does not return an error.
func (p *planter) returned(result ast.Expr) {
	written := p.written(result)
	switch result.(type) {
	case *ast.Ident:
		if written != "err" {
			return
		}
	case *ast.CallExpr:
		if !strings.HasPrefix(written, "fmt.Errorf(") && !strings.HasPrefix(written, "errors.New(") {
			return
		}
	default:
		return
	}
	p.add(result.Pos(), result.End(), "error(nil)")
}

func (p *planter) written(n ast.Node) string {
	return string(p.text[p.files.Position(n.Pos()).Offset:p.files.Position(n.End()).Offset])
}

func (p *planter) add(start, end token.Pos, with string) {
	at := p.files.Position(start)
	p.mutants = append(p.mutants, mutant{
		text: p.text, start: at.Offset, end: p.files.Position(end).Offset, with: with, at: at,
	})
}
