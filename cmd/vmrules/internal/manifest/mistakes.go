package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/lint"
)

// Mistakes returns what is wrong in an object whose parameters are not filled in, outside of its
// rules: kinds and keys that are only nearly right, rules at a place where nobody reads them, templates
// whose VMs no rule applies to, and parameters that a template does not declare, each of them once. There
// are at most maxMistakes. Their offsets count in the file.
func (o Object) Mistakes() []lint.Finding {
	s := mistakes{
		object: o, reported: map[string]bool{}, variables: map[string]bool{}, visited: map[*node]bool{},
		read: map[*node]bool{},
	}
	for _, p := range o.Parameters() {
		s.declared = append(s.declared, p.Name)
		s.reported[p.Name] = true
	}
	root := o.tree()
	s.ofTemplate = root.text("metadata", "annotations", vmrules.OldAnnotation)
	s.kind = s.meantKind(root, o.Kind)
	if IsTemplate(s.kind) {
		s.own = root.get("metadata", "annotations")
	}
	for _, n := range readers(root, s.kind, s.meantKind) {
		s.read[n.get("metadata", "annotations")] = true
		s.vmHasRules = s.vmHasRules || n.get("metadata", "annotations", vmrules.Annotation) != nil
	}
	if homes[s.kind] != "" {
		s.fields()
	}
	if s.kind == kindKubeVirt { // what virt-template looks at
		s.isProcessed = true
		s.visit(root.get("spec", "virtualMachine"), false)
		s.visit(root.get("spec", "message"), false)
		s.isProcessed = false
	}
	s.visit(root, o.IsTemplate())
	return s.found
}

// fields finds fields that are not read as they are meant. Of rules in one of them, it says no more.
func (s *mistakes) fields() {
	places := NewLocator(s.object)
	lint.ObjectFields(s.object.Content(), func(pointer string, f lint.Finding) {
		m, _ := places.member(pointer)
		s.read[m.value], s.read[m.value.get("annotations")] = true, true
		s.add(f, s.ofKey(m))
	})
}

type mistakes struct {
	object      Object
	kind        string          // that it has or nearly has
	own         *node           // the annotations of a template itself
	vmHasRules  bool            // whether a VM inside has an annotation for them
	ofTemplate  string          // its own rules, which are for VMs without any
	declared    []string        // parameters
	reported    map[string]bool // parameters that are declared, or reported already
	read        map[*node]bool  // annotations that are read as rules
	isProcessed bool            // virt-template refuses undeclared parameters here
	variables   map[string]bool // names in scripts that are not nearly those of parameters
	visited     map[*node]bool  // nodes to which aliases refer
	found       []lint.Finding
}

// maxMistakes limits both the mistakes that are reported and the names in scripts that are
// compared with those of parameters.
const maxMistakes = 1000

func (s *mistakes) isFull() bool {
	return len(s.found) >= maxMistakes || len(s.variables) >= maxMistakes
}

func (s *mistakes) visit(n *node, isTemplate bool) {
	if n == nil || s.visited[n] || s.isFull() {
		return
	}
	if n.isShared {
		s.visited[n] = true
	}
	s.annotationKeys(n, isTemplate)
	text, _ := n.scalar.(string)
	s.parameters(n.at, text, false)
	for _, m := range n.members {
		s.parameters(m.at, m.key, false)
		if m.key == vmrules.Annotation {
			rules, _ := m.value.scalar.(string)
			s.parameters(m.value.at, rules, true)
		}
		s.misplaced(n, m)
		s.visit(m.value, false)
	}
}

// misplaced finds rules at a place from where no VM has them.
func (s *mistakes) misplaced(in *node, m member) {
	isOld := m.key == vmrules.OldAnnotation && s.kind == kindKubeVirt
	switch home := homes[s.kind]; {
	case home == "" || s.read[in]:
	case in == s.own && (isOld || m.key == vmrules.Annotation):
		f := lint.TemplateAnnotation(m.key, home)
		if s.vmHasRules {
			f.Severity, f.Suggestion = lint.SeverityNote, ""
		}
		s.add(f, s.ofKey(m))
	case m.key == vmrules.Annotation:
		s.add(lint.MisplacedAnnotation(home), s.ofKey(m))
	}
}

// meantKind returns the kind that a value has, or nearly has, which it reports. The kind may be that of the
// list around it.
func (s *mistakes) meantKind(n *node, kind string) string {
	if kind == "" || n.text("kind") == "" {
		return kind
	}
	f, found := lint.ObjectKind(n.text("apiVersion"), kind)
	if !found {
		return kind
	}
	s.add(f, s.ofKey(member{at: n.get(f.Key).at, key: n.text(f.Key)}))
	if f.Key == "kind" {
		kind = f.Suggestion
	}
	return kind
}

// annotationKeys finds annotations that nobody reads, and those that leave the VM of a template without rules.
func (s *mistakes) annotationKeys(n *node, isTemplate bool) {
	all := n.get("metadata", "annotations")
	for _, m := range all.inside(object) {
		text, isText := m.value.scalar.(string)
		if f, found := lint.AnnotationKey(m.key, text, isTemplate); found {
			s.add(f, s.ofKey(m))
		}
		if f, found := lint.UnjudgedTemplate(m.key, text, s.ofTemplate); found && isText && s.read[all] && s.object.IsTemplate() {
			s.add(f, s.ofKey(m))
		}
	}
}

func (s *mistakes) add(f lint.Finding, at Span) {
	isSame := func(other lint.Finding) bool { return other.ID == f.ID && other.Offset == at.Start }
	if s.isFull() || slices.ContainsFunc(s.found, isSame) { // about a value to which aliases refer
		return
	}
	f.Offset, f.End = at.Start, at.End
	s.object.File.source.setPlace(&f, at)
	s.found = append(s.found, f)
}

func (s *mistakes) ofKey(m member) Span {
	return Span{m.at, endOfScalar(s.object.File.source.text, m.at, m.key)}
}

// parameters finds references to undeclared parameters in a text, which begins at an offset. A text of
// several lines may be a script, in which only names that are nearly those of parameters, and ${{NAME}} as
// a whole, are no variables. In rules and settings, there are no variables.
func (s *mistakes) parameters(at int, text string, inRules bool) {
	if !s.object.IsTemplate() {
		return
	}
	isScript := strings.Contains(strings.TrimSpace(text), "\n") && !inRules && !s.isProcessed
	var places *finder // nil until there is a mistake
	for r := range form.References(text) {
		if s.reported[r.Name] || s.isFull() || isScript && !isSetting(text, r.Start) && s.isVariable(r.Name) {
			continue
		}
		s.reported[r.Name] = true
		if places == nil {
			places = newFinder(s.object.File.source.text, at, text)
		}
		f := lint.UndeclaredParameter(r.Name, s.declared, s.isProcessed)
		if text[r.Start:r.End] == text { // then it is not for a shell
			f.Severity = lint.SeverityError
		}
		s.add(f, places.span(Span{r.Start, r.End}))
	}
}

// isSetting reports whether a place is in a key of cloud-init's configuration of the guest, but not in
// what it runs.
func isSetting(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	isRun := strings.HasPrefix(line, "runcmd") || strings.HasPrefix(line, "bootcmd")
	return strings.HasPrefix(text, "#cloud-config") && line != "" && 'a' <= line[0] && line[0] <= 'z' && !isRun
}

// isVariable reports whether a name in a script is probably a variable of the script.
func (s *mistakes) isVariable(name string) bool {
	s.variables[name] = s.variables[name] || // or not nearly the name of a parameter
		lint.UndeclaredParameter(name, s.declared, false).Severity != lint.SeverityError
	return s.variables[name]
}

// homes has the kinds of objects that may contain VMs, and says where the rules of these belong.
var homes = map[string]string{
	"VirtualMachine":                   "in the metadata of the VirtualMachine itself",
	"VirtualMachineInstance":           "in the metadata of the VirtualMachineInstance itself",
	"VirtualMachineInstanceReplicaSet": "in spec.template.metadata",
	"VirtualMachinePool":               "in spec.virtualMachineTemplate.metadata",
	kindOpenShift:                      "in the metadata of the VirtualMachine in objects",
	kindKubeVirt:                       "in spec.virtualMachine.metadata",
}

// readers returns the values inside an object whose own annotations are read as rules. Meant returns the
// kind that an item of a list has.
func readers(n *node, kind string, meant func(*node, string) string) []*node {
	if item, isList := strings.CutSuffix(kind, "List"); isList {
		return readersIn(n.get("items"), item, meant)
	}
	if kind != "" && homes[kind] == "" || n == nil {
		return nil
	}
	switch kind {
	case "": // it may be of any kind
		return []*node{n, n.get("spec", "template"), n.get("spec", "virtualMachineTemplate")}
	case kindOpenShift:
		if objects := n.get("objects"); objects != nil {
			return readersIn(objects, "", meant)
		}
		var all []*node
		for _, m := range n.members { // one of them may be meant
			all = append(all, readersIn(m.value, "", meant)...)
		}
		return all
	case kindKubeVirt:
		n = n.get("spec", "virtualMachine")
		meant(n, n.text("kind"))
	case "VirtualMachineInstanceReplicaSet":
		n = n.get("spec", "template")
	case "VirtualMachinePool":
		n = n.get("spec", "virtualMachineTemplate")
	}
	return []*node{n} // nil if it is missing
}

func readersIn(list *node, kind string, meant func(*node, string) string) []*node {
	var all []*node
	for _, m := range list.inside(array) {
		item := m.value
		all = append(all, readers(item, meant(item, cmp.Or(item.text("kind"), kind)), meant)...)
	}
	return all
}
