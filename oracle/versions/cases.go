package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// A corpus has a case for each VM and template in files.
type corpus []map[string]any

// add adds those of a file of YAML or JSON, perhaps compressed.
func (c *corpus) add(name string, entry fs.DirEntry, err error) error {
	if err != nil || entry.IsDir() {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var text io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			return err
		}
	}
	for documents := yaml.NewYAMLOrJSONDecoder(text, 4096); ; {
		var document any
		switch err := documents.Decode(&document); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		c.search(document)
	}
}

func (c *corpus) search(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			c.search(item)
		}
	case map[string]any:
		kind, _ := v["kind"].(string)
		if vm := v["vm"]; vm != nil { // with what it is judged by
			*c = append(*c, map[string]any{
				"Object": vm, "Annotation": v["annotation"], "Instancetype": v["instancetype"], "Preference": v["preference"],
			})
			return
		}
		if kind == "Template" && v["objects"] != nil || kind == "VirtualMachine" && v["spec"] != nil {
			*c = append(*c, map[string]any{"Object": v})
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c.search(v[name])
		}
	}
}

// A generator changes cases by chance: their text, so that they may become anything.
type generator struct {
	*rand.Rand
	corpus corpus
}

// chance is true once in n times.
func (g generator) chance(n int) bool { return g.IntN(n) == 0 }

// What VMs of package model name.
const (
	instancetype = `{"apiVersion":"instancetype.kubevirt.io/v1beta1","kind":"VirtualMachineClusterInstancetype","metadata":{"name":"u1.small"},
		"spec":{"cpu":{"guest":2},"memory":{"guest":"4Gi"}}}`
	preference = `{"apiVersion":"instancetype.kubevirt.io/v1beta1","kind":"VirtualMachineClusterPreference","metadata":{"name":"fedora"},
		"spec":{"cpu":{"preferredCPUTopology":"preferCores"},"devices":{"preferredDiskBus":"virtio"}}}`
)

// varied returns a case of package model, or of the corpus, with changes.
func (g generator) varied(model string) (string, error) {
	var c map[string]json.RawMessage
	if err := json.Unmarshal([]byte(model), &c); err != nil {
		return "", err
	}
	if g.chance(2) {
		c["Instancetype"], c["Preference"] = g.changed([]byte(instancetype)), g.changed([]byte(preference))
	}
	if len(g.corpus) > 0 && g.chance(2) {
		for name, v := range g.corpus[g.IntN(len(g.corpus))] {
			if v != nil {
				c[name] = json.RawMessage(written(v))
			}
		}
	}
	if g.chance(2) {
		c["Annotation"] = g.changed(c["Annotation"])
	}
	if g.chance(2) {
		probe := `[{"name":"probe","rule":"regex","message":"m","path":"jsonpath::.spec.probe","regex":"` + g.piece() + g.piece() + g.piece() + `"},`
		if probed := strings.Replace(string(c["Annotation"]), "[", probe, 1); json.Valid([]byte(probed)) {
			c["Annotation"] = json.RawMessage(probed)
		}
	}
	if g.chance(10) {
		c["Annotation"] = json.RawMessage(written(g.changedText(string(c["Annotation"]))))
	}
	object := strings.ReplaceAll(string(c["Object"]), `"domain":{`, `"probe":"`+g.letter()+g.letter()+g.letter()+`","domain":{`)
	if g.chance(3) {
		object = strings.ReplaceAll(object, `"spec":{`, `"spec":{"instancetype":{"name":"u1.small"},"preference":{"name":"fedora"},`)
	}
	if g.chance(2) {
		own := fmt.Sprintf(`"metadata":{"annotations":{"vm.kubevirt.io/validations":%s}},"spec":{`, written(string(c["Annotation"])))
		object = strings.ReplaceAll(object, `"spec":{`, own)
	}
	for _, name := range []string{"Object", "Template", "Old"} {
		c[name] = g.changed([]byte(object))
	}
	for _, option := range []string{"Ratcheting", "Floats", "Strict", "Detect", "WholeObjects"} {
		c[option] = fmt.Append(nil, g.chance(6))
	}
	return written(c), nil
}

// A token is a name or a scalar in JSON.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.e]*|true|false|null`)

// changed returns JSON with up to three names or scalars changed.
func (g generator) changed(text json.RawMessage) json.RawMessage {
	for range g.IntN(4) {
		tokens := token.FindAllIndex(text, -1)
		if len(tokens) < 2 { // {} and null stay what they are
			break
		}
		at, other := tokens[g.IntN(len(tokens))], tokens[g.IntN(len(tokens))]
		instead := []string{string(text[other[0]:other[1]]), odd[g.IntN(len(odd))], g.changedText(string(text[at[0]:at[1]]))}[g.IntN(3)]
		if changed := slices.Concat(text[:at[0]], []byte(instead), text[at[1]:]); json.Valid(changed) {
			text = changed
		}
	}
	return text
}

// changedText returns a text without a part, with one twice, or with one more.
func (g generator) changedText(s string) string {
	i := g.IntN(len(s) + 1)
	j := i + g.IntN(min(len(s)-i, 9)+1)
	return s[:i] + []string{"", s[i:j] + s[i:j], g.piece(), s[i:j] + g.piece()}[g.IntN(4)] + s[j:]
}

func (g generator) piece() string { return pieces[g.IntN(len(pieces))] }

func (g generator) letter() string {
	return []string{"a", "b", "A", "k", `\u212a`, "é", "1", "_", "-", " ", `\n`, ""}[g.IntN(12)]
}

// odd are values that a field or an argument may have, or should not, and names of arguments.
var odd = strings.Fields(`null true false "" "a" "2Gi" "500m" "1e3" "-0" "${A}" "${{A}}" "jsonpath::.spec.domain.cpu.cores"
	"jsonpath::.spec..name" 0 1 -1 2.5 1e3 1.0 12345678901234567890.5 1e400 [] [null] ["a",1] {} {"name":"a"} [["a"]] "min" "valid"
	"regex" "(?=a)b*" "a_1" "A-b" "values" "maxLength" "enum" "integer" "` + strings.Repeat("é", 300) + `"`)

// pieces are parts of paths, regular expressions and JSON.
var pieces = strings.Fields(`\" \\ ' [ ] { } , . .. * [*] [0] [-1:] [0,1] ['a'] [?(@.name=='a')] [?(@.n>1)] $ jsonpath:: / ^ | (?i) (?m)
	(?=a) (?<!b) (a) \\1 \\d+ \\w \\W \\s \\b \\Z \\R \\p{L} \\$ [[:alpha:]] [^a-z] a*+ (?>a|b) {2,3} + ? (?: ) a b 0 é 🙂 \ud800 \n “ " 1e999 null
	${A} : \u0000 \ufffd`)

// smaller returns the cases that lack a member or an item of one, at any depth, the smallest first.
func smaller(one string) (cases []string) {
	var whole any
	if decode(one, &whole) == nil {
		withoutParts(whole, func(part any) { cases = append(cases, written(part)) })
	}
	slices.SortFunc(cases, func(a, b string) int { return len(a) - len(b) })
	return cases
}

func withoutParts(v any, add func(any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			with := maps.Clone(v)
			delete(with, name)
			add(with)
			withoutParts(v[name], func(part any) { with[name] = part; add(with) })
		}
	case []any:
		for i := range v {
			add(slices.Delete(slices.Clone(v), i, i+1))
			with := slices.Clone(v)
			withoutParts(v[i], func(part any) { with[i] = part; add(with) })
		}
	}
}
