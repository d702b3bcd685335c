package audit

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/instancetypes"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/openreports"
)

// input calls each with the results of a file. It returns the error of each, or why the rest cannot be read.
func (a *auditor) input(input manifest.Input, stderr io.Writer, each func(audited) error) error {
	opened, err := input.Open()
	if err != nil {
		return err
	}
	defer opened.Close()
	text := bufio.NewReaderSize(opened, inputBuffer)
	a.file = input.Name
	if manifest.BeginsJSON(text) {
		return a.stream(text, each)
	}
	file, err := input.ReadOpened(text)
	if err != nil {
		return err
	}
	for _, wrong := range file.Wrong {
		if err := unreadable(stderr, wrong, each); err != nil {
			return err
		}
	}
	if err := file.Nothing(a.Book.Counts); err != nil && file.Wrong == nil {
		return err
	}
	a.Source = cmp.Or(a.Source, file.Source())
	return a.documents(file, each)
}

// unreadable makes a file, or a part of it, one of the results, for programs that read nothing else.
func unreadable(stderr io.Writer, err error, each func(audited) error) error {
	cli.Unusable(stderr, err)
	return each(audited{err: err, class: judged.Unreadable})
}

// documents does so for a file that was read as a whole. As in a stream, instance types are for what follows.
func (a *auditor) documents(file *manifest.File, each func(audited) error) error {
	for _, d := range file.Documents() {
		result := audited{err: errNoObject, class: judged.Unreadable}
		if content := d.Content(); content != nil {
			if instancetypes.IsMember(content) {
				text, err := d.JSON()
				if err != nil {
					return fmt.Errorf("%s: %w", d, err)
				}
				a.keep(content, d.Line, len(text))
				if !a.Book.IsWhole() {
					continue
				}
			}
			result = a.judgeObject(d.Object)
		}
		if err := each(result); err != nil {
			return err
		}
	}
	return nil
}

var errNoObject = errors.New("an object is expected")

// judge validates one object of a stream.
func (a *auditor) judge(r *objectReader, object []byte) audited {
	vm, err := r.decode(object)
	if err != nil {
		return named(vm, err)
	}
	if !manifest.IsTemplate(manifest.TextAt(vm, "kind")) {
		return a.judgeDecoded(vm, manifest.Object{})
	}
	file, err := manifest.Parse("the template", string(object))
	if err != nil {
		return named(vm, err)
	}
	return a.judgeObject(file.Objects()[0].Loaded())
}

// judgeObject validates an object of a file. As in vmrules check, it fills in a template's parameters.
func (a *auditor) judgeObject(o manifest.Object) audited {
	filled, err := a.Fill(o)
	if err != nil {
		return named(o.Content(), err)
	}
	return a.judgeDecoded(filled.Content(), o)
}

// named returns a result with the names of an object.
func named(object map[string]any, err error) audited {
	result := audited{
		Kind: manifest.TextAt(object, "kind"), Namespace: manifest.TextAt(object, "metadata", "namespace"),
		Name: manifest.TextAt(object, "metadata", "name"), err: err, object: object, class: judged.Unreadable,
	}
	if namespace, name, ok := vmrules.TemplateOf(object); ok {
		result.Template = namespace + "/" + name
	}
	return result
}

// judgeDecoded validates an object, which may be a template that was written otherwise and is filled in.
func (a *auditor) judgeDecoded(vm map[string]any, written manifest.Object) audited {
	result := named(vm, nil)
	_, isList := vm["items"]
	if isList && strings.HasSuffix(result.Kind, "List") && a.Options.Rules != nil {
		// Only ValidateOwn would find the VMs.
		result.err = errors.New("a list inside a list is not read: move its items to the outer list")
		return result
	}
	j, err := a.Judging.Judge(vm, written, a.Options.For)
	result.report, result.Note, result.SSP, result.err = j.Report, j.Note, j.SSP, err
	result.found, result.notFound = j.Found, j.NotFound
	if j.By != nil {
		result.template = j.By.Written()
		result.annotation = openreports.LostRules(vm, result.template, j.Report)
	}
	if result.annotation != "" {
		result.Lost = fmt.Sprintf("has lost %s, which %s has for its VMs", vmrules.Annotation, j.Targets()[0].Template)
	}
	if err == nil {
		result.class, result.gaps = j.Class()
		result.results = j.Results()
	}
	result.fails = a.Options.Strict && manifest.HoldsVM(vm) && !a.Options.AllowsAll(result.gaps)
	return result
}
