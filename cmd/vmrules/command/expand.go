package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/manifest"
	"github.com/vmrules/vmrules/instancetype"
)

// writeExpanded writes the VMs in YAML, as KubeVirt expands them. Before those of an object, it
// writes the results for people as comments.
func writeExpanded(w io.Writer, c *checker) error {
	s := yamlStream{w: w}
	for _, o := range c.checked {
		var results strings.Builder
		o.write(&results, c)
		s.begin()
		s.comment(results.String())
		for _, vm := range c.vmsIn(o.object) {
			s.begin()
			expanded, err := c.expandVM(vm, o.object)
			if err != nil {
				c.notExpanded = true
				s.comment("not expanded: " + err.Error())
			}
			if expanded != nil {
				s.document(withComments(expanded))
			}
		}
	}
	s.comment(c.nothing())
	return s.err
}

// A yamlStream writes documents of YAML with comments above them, until there is an error.
type yamlStream struct {
	w       io.Writer
	hasText bool // since the last separator
	err     error
}

// begin ends a document.
func (s *yamlStream) begin() {
	if s.hasText {
		s.write("---\n")
		s.hasText = false
	}
}

// comment writes the lines of a text as comments.
func (s *yamlStream) comment(text string) {
	for line := range strings.Lines(text) {
		s.write("# " + oneLine(strings.TrimSuffix(line, "\n")) + "\n")
	}
}

func (s *yamlStream) document(n *yaml.Node) {
	var text strings.Builder
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	s.err = cmp.Or(s.err, encoder.Encode(n), encoder.Close())
	// The encoder does not end the line of a comment that comes last.
	s.write(strings.TrimSuffix(text.String(), "\n") + "\n")
	s.hasText = true
}

func (s *yamlStream) write(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, text)
	}
}

// vmsIn returns the VirtualMachines in an object, with the parameters of templates filled in.
func (c *checker) vmsIn(o manifest.Object) []map[string]any {
	filled, err := c.fill(o)
	if err != nil {
		return nil // which is among the results
	}
	content := filled.Content()
	spec, _ := content["spec"].(map[string]any)
	switch o.Kind {
	case "VirtualMachine", "":
		return []map[string]any{content}
	case "VirtualMachinePool":
		return objectsAmong(spec["virtualMachineTemplate"])
	case "VirtualMachineTemplate":
		return objectsAmong(spec["virtualMachine"])
	}
	objects, _ := content["objects"].([]any)
	return slices.DeleteFunc(objectsAmong(objects...), func(vm map[string]any) bool { return vm["kind"] != "VirtualMachine" })
}

func objectsAmong(values ...any) []map[string]any {
	var all []map[string]any
	for _, v := range values {
		if object, ok := v.(map[string]any); ok {
			all = append(all, object)
		}
	}
	return all
}

// What the expansion of a VM may cost. Real ones cost a thousandth of that.
const (
	expansionWork = 1_000_000_000 // about a second
	expansionSize = 64 << 20      // bytes
)

// expandVM returns a VM as KubeVirt expands it. If its preference is not known, the expansion
// is nearly complete, and there is an error too.
func (c *checker) expandVM(vm map[string]any, in manifest.Object) (*instancetype.Expansion, error) {
	given, preferred, err := c.with.set.For(in.Kind, in.Namespace).Find(vm)
	if err != nil {
		return nil, err
	}
	b := instancetype.Meter{Work: expansionWork, Kept: expansionSize}
	expanded, err := b.ExpandNamed(vm, given, preferred)
	if err != nil {
		return nil, err
	}
	if len(expanded.Conflicts) > 0 {
		return nil, refusal(expanded.Conflicts)
	}
	return expanded, expanded.Unknown
}

// refusal returns an error with a line for each conflict.
func refusal(conflicts []instancetype.Conflict) error {
	text := "KubeVirt refuses the VM"
	for _, conflict := range conflicts {
		text += fmt.Sprintf("\n  %s: %s", conflict.Field, conflict.Message)
	}
	return errors.New(text)
}

// withComments returns an expanded VM with a comment behind each field that was set, which
// names the object that sets it.
func withComments(expanded *instancetype.Expansion) *yaml.Node {
	t := yamlTree{comments: map[string]string{}}
	for _, o := range expanded.Set {
		at, comment := o.Pointer, "from "+o.From
		if o.Removed {
			at, comment = parentOf(o)
		}
		if before := t.comments[at]; before != "" {
			comment = before + "; " + comment
		}
		t.comments[at] = comment
	}
	return t.node(expanded.VM, "")
}

// parentOf returns the place for a comment about a field that was removed, and the comment.
func parentOf(o instancetype.Origin) (at, comment string) {
	i := strings.LastIndexByte(o.Pointer, '/')
	return o.Pointer[:i], fmt.Sprintf("%s is removed by %s", o.Pointer[i+1:], o.From)
}

// A yamlTree makes nodes of YAML from the values of an expanded VM.
type yamlTree struct {
	comments map[string]string // by JSON Pointer
}

func (t yamlTree) node(v any, at string) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		return t.object(v, at)
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i, item := range v {
			in := at + "/" + strconv.Itoa(i)
			made := t.node(item, in)
			made.HeadComment = t.comment(in)
			n.Content = append(n.Content, made)
		}
		return n
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: v.String()}
	}
	n := new(yaml.Node)
	_ = n.Encode(v) // a scalar has a form in YAML
	return n
}

// escape escapes a name as a JSON Pointer does.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

func (t yamlTree) object(v map[string]any, at string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		in := at + "/" + escape.Replace(name)
		key, value := t.node(name, ""), t.node(v[name], in)
		if len(value.Content) > 0 {
			key.LineComment = t.comment(in)
		} else {
			value.LineComment = t.comment(in)
		}
		n.Content = append(n.Content, key, value)
	}
	return n
}

func (t yamlTree) comment(at string) string {
	if text := t.comments[at]; text != "" {
		return "# " + oneLine(text)
	}
	return ""
}
