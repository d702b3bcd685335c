package test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judging"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// A judge validates the VMs of a suite by its rules.
type judge struct {
	judging.Ruling
	stdin  io.Reader
	folder string // of the suite
	book   judging.Rulebook
	isOwn  bool // the suite names no rules
}

// newJudge reads the rules of a suite, and adds what is wrong with them to the mistakes.
func newJudge(stdin io.Reader, b build.Build, s suite, r *suiteReader) *judge {
	j := &judge{Ruling: judging.NewRuling(b), stdin: stdin, folder: filepath.Dir(r.file), isOwn: s.rules == "" && s.template == ""}
	j.Values = s.parameters
	for i, name := range s.with {
		if name == "" {
			continue // which has been reported
		}
		if err := j.With.Read([]string{j.path(name)}, stdin); err != nil {
			r.fail(fmt.Sprintf("/with/%d", i), err)
		}
	}
	if s.rules != "" {
		for _, wrong := range j.book.Read(b, []string{j.path(s.rules)}, stdin) {
			r.fail("/rules", wrong)
		}
	}
	if j.isOwn {
		j.Templates.Beside = j.folder
	}
	if s.template == "" {
		return j
	}
	template := j.path(s.template)
	if err := j.AddTemplates(template, manifest.Read([]string{template}, stdin)); err != nil {
		r.fail("/template", err)
		return j
	}
	about := func(err error) error { return fmt.Errorf("%s: %w", template, err) }
	rules, err := j.Given[0].Rules()
	if n := len(j.Given); n > 1 {
		err = fmt.Errorf("it has %d templates: name a file with one", n)
	}
	if err != nil {
		r.fail("/template", about(err))
	}
	for name := range j.Values {
		if err := j.IsDeclared(name); err != nil {
			r.fail("/parameters/"+escape.Replace(name), about(err))
		}
	}
	j.book = judging.Rulebook{{Rules: rules}}
	return j
}

// path returns the name of a file that the suite names.
func (j *judge) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(j.folder, name)
}

func (j *judge) judge(c suiteCase) (*vmrules.Report, error) {
	vm, err := j.vm(c)
	if err != nil {
		return nil, err
	}
	with := j.With.Set.For(manifest.TextAt(vm, "kind"), manifest.TextAt(vm, "metadata", "namespace")).Option()
	if !j.isOwn {
		report := j.book.Judge(vm, true, with)
		if len(report.Results()) == 0 {
			return nil, errors.New("no rules to validate the VM by")
		}
		return report, nil
	}
	judgement, err := j.Ruling.Judge(vm, with)
	for _, g := range judgement.Gaps() {
		if g.IsError() {
			err = cmp.Or(err, errors.New(g.String()))
		}
	}
	return judgement.Report, err
}

func (j *judge) vm(c suiteCase) (map[string]any, error) {
	if c.file == "" {
		if kind := manifest.TextAt(c.vm, "kind"); kind != "" && !manifest.HoldsVM(c.vm) && !j.book.IsWhole() {
			return nil, fmt.Errorf("%.100q is not the kind of a VM or template", kind)
		}
		return c.vm, nil
	}
	object, err := j.OnlyObject(j.path(c.file), j.stdin)
	if err != nil {
		return nil, err
	}
	filled, err := j.Fill(object)
	return filled.Content(), err
}
