package manifest

import (
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/form"
	"github.com/vmrules/vmrules/lint"
)

// Mistakes returns what is wrong in an object whose parameters are not filled in, outside of its
// rules: annotations with a key that is only nearly right, or at a place where nobody reads them,
// and parameters that a template does not declare, each of them once. There are at most maxMistakes.
// Their offsets count in the file.
func (o Object) Mistakes() []lint.Finding {
	s := mistakes{object: o, reported: map[string]bool{}, variables: map[string]bool{}, visited: map[*node]bool{}}
	for _, p := range o.Parameters() {
		s.declared = append(s.declared, p.Name)
		s.reported[p.Name] = true
	}
	root := o.tree()
	if o.Kind == kindOpenShift {
		s.templateKey(root)
	}
	if homes[o.Kind] != "" {
		s.readers = setOf(readers(root, o.Kind)...)
	}
	s.visit(root, o.IsTemplate())
	return s.found
}

// templateKey finds the key of the objects of a Template if it is only nearly right.
func (s *mistakes) templateKey(root *node) {
	if m, found, ok := nearObjects(root); ok {
		s.add(found, s.ofKey(m))
	}
}

// nearObjects returns the member of a Template without objects whose key is nearly that.
func nearObjects(root *node) (member, lint.Finding, bool) {
	if root.get("objects") != nil {
		return member{}, lint.Finding{}, false
	}
	for _, m := range root.members {
		if f, found := lint.TemplateKey(m.key); found {
			return m, f, true
		}
	}
	return member{}, lint.Finding{}, false
}

// mistakes collects the mistakes in an object.
type mistakes struct {
	object    Object
	declared  []string        // parameters
	reported  map[string]bool // parameters that are declared, or reported already
	readers   map[*node]bool  // values whose annotations are read; nil if that is not known
	variables map[string]bool // names in scripts that are not nearly those of parameters
	visited   map[*node]bool  // nodes to which aliases refer
	found     []lint.Finding
}

// maxMistakes limits both the mistakes that are reported and the names in scripts that are
// compared with those of parameters.
const maxMistakes = 1000

func (s *mistakes) isFull() bool {
	return len(s.found) >= maxMistakes || len(s.variables) >= maxMistakes
}

func (s *mistakes) visit(n *node, isTemplate bool) {
	if s.visited[n] || s.isFull() {
		return
	}
	if n.isShared {
		s.visited[n] = true
	}
	s.annotationKeys(n, isTemplate)
	text, _ := n.scalar.(string)
	s.parameters(n, text, false)
	for _, m := range n.members {
		s.parameters(&node{at: m.at}, m.key, false)
		if m.key == vmrules.Annotation {
			rules, _ := m.value.scalar.(string)
			s.parameters(m.value, rules, true)
		}
		s.visit(m.value, false)
	}
	for _, item := range n.items {
		s.visit(item, false)
	}
}

func (s *mistakes) annotationKeys(n *node, isTemplate bool) {
	if s.readers != nil {
		s.misplaced(n.get("metadata", "labels"))
		if !s.readers[n] {
			s.misplaced(n.get("metadata", "annotations"))
		}
	}
	all := n.get("metadata", "annotations")
	if all == nil {
		return
	}
	for _, m := range all.members {
		if s.isFull() {
			return
		}
		text, _ := m.value.scalar.(string)
		if f, found := lint.AnnotationKey(m.key, text, isTemplate); found {
			s.add(f, s.ofKey(m))
		}
	}
}

func (s *mistakes) add(f lint.Finding, at Span) {
	f.Offset, f.End = at.Start, at.End
	s.object.File.source.setPlace(&f, at)
	s.found = append(s.found, f)
}

func (s *mistakes) ofKey(m member) Span {
	return Span{m.at, endOfScalar(s.object.File.source.text, m.at, m.key)}
}

// misplaced finds the annotation with rules among labels, or in annotations that nobody reads.
func (s *mistakes) misplaced(in *node) {
	if in == nil || s.isFull() {
		return
	}
	for _, m := range in.members {
		if m.key == vmrules.Annotation {
			s.add(lint.MisplacedAnnotation(homes[s.object.Kind]), s.ofKey(m))
		}
	}
}

// parameters finds references to undeclared parameters in a text. A text of several lines may be
// a script, in which only names that are nearly those of parameters, and ${{NAME}} as a whole,
// are no variables. In rules, there are no variables.
func (s *mistakes) parameters(n *node, text string, inRules bool) {
	if !s.object.IsTemplate() {
		return
	}
	isScript := strings.Contains(strings.TrimSpace(text), "\n") && !inRules
	var places *finder // nil until there is a mistake
	for r := range form.References(text) {
		if s.reported[r.Name] || s.isFull() || isScript && s.isVariable(r.Name) {
			continue
		}
		s.reported[r.Name] = true
		if places == nil {
			places = newFinder(s.object.File.source.text, n.at, text)
		}
		s.add(lint.UndeclaredParameter(r.Name, s.declared), Span{places.find(r.Start), places.findEnd(r.End)})
	}
}

// isVariable reports whether a name in a script is probably a variable of the script.
func (s *mistakes) isVariable(name string) bool {
	if !s.variables[name] && !lint.IsNearParameter(name, s.declared) {
		s.variables[name] = true
	}
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

// readers returns the values inside an object whose own annotations are read as rules.
func readers(n *node, kind string) []*node {
	switch item, isList := strings.CutSuffix(kind, "List"); {
	case kind == kindOpenShift:
		if m, _, found := nearObjects(n); found {
			return readersIn(m.value, "")
		}
		return readersIn(n.get("objects"), "")
	case isList:
		return readersIn(n.get("items"), item)
	case kind == kindKubeVirt:
		return []*node{n.get("spec", "virtualMachine")}
	case kind == "VirtualMachineInstanceReplicaSet":
		return []*node{n.get("spec", "template")}
	case kind == "VirtualMachinePool":
		return []*node{n.get("spec", "virtualMachineTemplate")}
	}
	return []*node{n}
}

func readersIn(list *node, kind string) []*node {
	if list == nil {
		return nil
	}
	var all []*node
	for _, item := range list.items {
		of := kind
		if written := item.text("kind"); written != "" {
			of = written
		}
		all = append(all, readers(item, of)...)
	}
	return all
}
