package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/unjudged"
)

// judge judges one object of a stream.
func (a *auditor) judge(r *objectReader, object json.RawMessage) audited {
	vm, err := r.decode(object)
	if err != nil {
		return named(vm, err)
	}
	if !manifest.IsTemplate(manifest.TextAt(vm, "kind")) {
		return a.judgeDecoded(vm)
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
	result := a.judgeDecoded(filled.Content())
	if result.SSP != nil && o.IsTemplate() {
		result.SSP = sspVerdict(filled.Content(), o.Content())
	}
	return result
}

// named returns a result with the names of an object.
func named(object map[string]any, err error) audited {
	result := audited{
		Kind: manifest.TextAt(object, "kind"), Namespace: manifest.TextAt(object, "metadata", "namespace"),
		Name: manifest.TextAt(object, "metadata", "name"), err: err, object: object,
	}
	if namespace, name, ok := vmrules.TemplateOf(object); ok {
		result.Template = namespace + "/" + name
	}
	return result
}

// judgeDecoded judges an object whose parameters, if it is a template, are filled in.
func (a *auditor) judgeDecoded(vm map[string]any) audited {
	result := named(vm, nil)
	with := a.with.set.For(result.Kind, result.Namespace)
	option := with.Option()
	if a.isReport {
		option = saying(with)
	}
	result.report, result.err = a.report(vm, &result, option)
	if a.isReport {
		var missing error
		if result.policy, missing = a.policyOf(vm, result.by); len(result.report.Results()) == 0 {
			result.err = cmp.Or(result.err, missing)
		}
	}
	result.lacksTemplate = result.err == nil && !a.book.isGiven() && a.lacksTemplate(vm, result.report)
	if result.err == nil {
		result.unjudged = unjudged.Why(result.report)
	}
	result.lacksRules = a.requireRules && result.unjudged != "" && manifest.HoldsVM(vm)
	result.found, result.notFound = with.Found, with.NotFound
	if a.profile.name != "" {
		result.SSP = a.sspVerdictOn(vm)
	}
	return result
}

func (a *auditor) report(vm map[string]any, result *audited, with vmrules.ValidateOption) (*vmrules.Report, error) {
	kind := result.Kind
	_, isList := vm["items"]
	isList = isList && strings.HasSuffix(kind, "List")
	if isList && (a.book.isGiven() || a.templates != nil) {
		return nil, errNested // only ValidateOwn would find the VMs
	}
	if a.book.isGiven() {
		return a.book.judge(vm, manifest.HoldsVM(vm), with), nil
	}
	if annotation, ok := annotationOf(vm, kind); ok {
		parsed := a.parse(annotation)
		if parsed.err != nil {
			return nil, parsed.err
		}
		return vmrules.Validate(parsed.rules, vm, with), nil
	}
	if a.templates == nil || manifest.IsTemplate(kind) || !manifest.HoldsVM(vm) {
		return unjudged.Own(vm, with, vmrules.WithParseOptions(a.reading...))
	}
	b, err := a.basisOf(vm)
	result.Note, result.by = b.note, b.template
	if err != nil {
		return nil, err
	}
	return vmrules.Validate(b.rules, vm, with), nil
}

var errNested = errors.New("a list inside a list is not read: move its items to the outer list")
