package main

import (
	"encoding/json"
	"strings"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/lint/ssp"
)

// isPlain reports whether a question is about rules and a VirtualMachine alone, which is all that the programs
// of others see.
func (q *question) isPlain() bool {
	return (q.Call == "" || q.Call == "validate") && q.Version == "" && q.Object["kind"] == "VirtualMachine" && q.hasNoOption()
}

// hasNoOption reports whether nothing but the rules and the object counts.
func (q *question) hasNoOption() bool {
	o := q.Options
	isSet := o.Strict || o.Partial || o.Ratcheting || o.WithoutInstancetypes || o.Root != "" || o.Defaults != nil || o.WarnIfUndecided != nil
	return !isSet && q.Old == nil && q.Instancetype == nil && q.Preference == nil && q.Cluster == nil
}

const notAsked = "it is asked about rules and a VirtualMachine alone"

// bySSP answers as KubeVirt's deployed validator, the one of ssp-operator.
func (q *question) bySSP() answer {
	if !q.isPlain() {
		return answer{ID: q.ID, Skipped: notAsked}
	}
	verdict := ssp.Judge(q.Annotation, q.Object)
	refused := verdict.Refused != "" && verdict.Pointer == ""
	return answer{ID: q.ID, Refused: &refused, Valid: &verdict.Accepted}
}

// byConsole answers as kubevirt-plugin's form for CPUs: of the first rule about cores, sockets or threads, the
// value has to reach min, and nothing else counts.
func (q *question) byConsole() answer {
	if !q.isPlain() {
		return answer{ID: q.ID, Skipped: notAsked}
	}
	var rules []struct {
		Path string
		Min  json.Number
	}
	refused := json.Unmarshal([]byte(q.Annotation), &rules) != nil
	valid := true
	for _, r := range rules {
		for _, name := range []string{"cores", "sockets", "threads"} {
			if !strings.Contains(r.Path, "cpu."+name) {
				continue
			}
			path := vmrules.MustParsePath("jsonpath::.spec.template.spec.domain.cpu." + name)
			found, _ := path.Find(q.Object)
			for _, m := range found {
				n, isNumber := m.Value.(json.Number)
				value, _ := n.Float64()
				least, err := r.Min.Float64()
				valid = valid && !(isNumber && err == nil && value < least)
			}
			return answer{ID: q.ID, Refused: &refused, Valid: &valid}
		}
	}
	return answer{ID: q.ID, Refused: &refused, Valid: &valid}
}
