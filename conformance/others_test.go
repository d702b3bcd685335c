package main

import (
	"encoding/json"
	"regexp"

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
	return answer{ID: q.ID, Refused: refused, Valid: &verdict.Accepted}
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
		if name := aboutCPU.FindString(r.Path); name != "" {
			valid = q.reaches(name, r.Min)
			break
		}
	}
	return answer{ID: q.ID, Refused: refused, Valid: &valid}
}

var aboutCPU = regexp.MustCompile(`cpu\.(cores|sockets|threads)`)

// reaches reports whether a number of the VM's domain is no less than another, as far as both are numbers.
func (q *question) reaches(name string, least json.Number) bool {
	found, _ := vmrules.MustParsePath("jsonpath::.spec.template.spec.domain." + name).Find(q.Object)
	bound, err := least.Float64()
	for _, m := range found {
		n, isNumber := m.Value.(json.Number)
		if value, _ := n.Float64(); isNumber && err == nil && value < bound {
			return false
		}
	}
	return true
}
