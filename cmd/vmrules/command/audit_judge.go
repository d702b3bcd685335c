package command

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/judged"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
)

// judge judges one object of a stream.
func (a *auditor) judge(r *objectReader, object json.RawMessage) audited {
	vm, err := r.decode(object)
	if err != nil {
		return named(vm, err)
	}
	if !manifest.IsTemplate(manifest.TextAt(vm, "kind")) {
		return a.judgeDecoded(vm, manifest.Object{})
	}
	file, err := manifest.Parse("the template", object)
	if err != nil {
		return named(vm, err)
	}
	return a.judgeObject(file.Objects()[0].Loaded())
}

// judgeObject judges an object of a file. The parameters of a template are filled in, as in
// vmrules check.
func (a *auditor) judgeObject(o manifest.Object) audited {
	filled, err := a.fill(o)
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

// judgeDecoded judges an object whose parameters are filled in, if it is a template that was written
// otherwise.
func (a *auditor) judgeDecoded(vm map[string]any, written manifest.Object) audited {
	result := named(vm, nil)
	_, isList := vm["items"]
	if isList && strings.HasSuffix(result.Kind, "List") && a.book.isGiven() {
		result.err = errNested // only ValidateOwn would find the VMs
		return result
	}
	j, err := a.judging.judge(vm, written)
	result.report, result.Note, result.SSP, result.err = j.Report, j.note, j.ssp, err
	result.found, result.notFound = j.Found, j.NotFound
	if err == nil {
		result.class, result.gaps = j.class()
		result.results = j.Results()
	}
	result.fails = a.strict && manifest.HoldsVM(vm) && !j.Passed()
	return result
}

var errNested = errors.New("a list inside a list is not read: move its items to the outer list")
