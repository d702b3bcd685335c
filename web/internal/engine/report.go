package engine

import (
	"encoding/json"
	"strconv"

	"github.com/vmrules/vmrules"
)

// maxQuick is the length of the reports that reportText writes. The library cuts longer ones.
const maxQuick = 1 << 20

// reportJSON is a report as JSON. With a Report as such, all that reads reports would be linked.
type reportJSON []byte

// reportText returns the JSON of a report that has just been made, byte for byte as the library
// writes it, but without reflection, which takes long in WebAssembly.
func reportText(r *vmrules.Report) reportJSON {
	w := writer(make([]byte, 0, 1<<12))
	w = strconv.AppendBool(append(w, `{"valid":`...), r.Valid())
	w = append(strconv.AppendBool(append(w, `,"passed":`...), r.Passed()), `,"targets":[`...)
	for i, target := range r.Targets() {
		if i > 0 {
			w = append(w, ',')
		}
		w.target(&target)
	}
	w = append(w, `],"results":[`...)
	for i, result := range r.Results() {
		if i > 0 {
			w = append(w, ',')
		}
		w.result(&result)
		if len(w) > maxQuick {
			text, _ := r.MarshalJSON() // which reports always have
			return text
		}
	}
	return append(reportJSON(w), "]}"...)
}

// A writer writes the members of results. Each key is given as it is written before its value.
type writer []byte

func (w *writer) target(t *vmrules.Target) {
	w.text(`{"name":`, t.Name)
	w.some(`,"from":`, string(t.From))
	w.some(`,"template":`, t.Template)
	*w = strconv.AppendInt(append(*w, `,"rules":`...), int64(t.Rules), 10)
	*w = strconv.AppendBool(append(*w, `,"valid":`...), t.Valid)
	w.text(`,"coverage":`, string(t.Coverage))
	w.some(`,"doubt":`, string(t.Doubt))
	if len(t.Problems) > 0 {
		w.any(`,"problems":`, t.Problems)
	}
	w.some(`,"note":`, t.Note)
	*w = append(*w, '}')
}

func (w *writer) result(r *vmrules.Result) {
	*w = strconv.AppendInt(append(*w, `{"index":`...), int64(r.Index), 10)
	w.text(`,"rule":`, r.Rule)
	w.text(`,"kind":`, string(r.Kind))
	w.text(`,"path":`, r.Path.String())
	w.text(`,"message":`, r.Message)
	w.some(`,"target":`, r.Target)
	w.text(`,"outcome":`, string(r.Outcome))
	w.some(`,"undecided":`, string(r.Undecided))
	w.some(`,"note":`, r.Note)
	if r.Waits {
		*w = append(*w, `,"waits":true`...)
	}
	begin, end := `,"violations":[{"rule":`, "}"
	for i := range r.Violations {
		w.violation(begin, &r.Violations[i])
		begin, end = `,{"rule":`, "]}"
	}
	*w = append(*w, end...)
}

func (w *writer) violation(begin string, v *vmrules.Violation) {
	w.text(begin, v.Rule)
	w.text(`,"message":`, v.Message)
	w.some(`,"field":`, v.Field)
	w.some(`,"pointer":`, v.Pointer)
	w.any(`,"value":`, v.Value)
	w.text(`,"reason":`, string(v.Reason))
	w.some(`,"argument":`, v.Argument)
	w.any(`,"limit":`, v.Limit)
	w.text(`,"detail":`, v.Detail)
	w.some(`,"origin":`, v.Origin)
	if v.Warning {
		*w = append(*w, `,"warning":true`...)
	}
	*w = append(*w, '}')
}

func (w *writer) text(key, text string) {
	*w = append(*w, key...)
	if isPlain(text) {
		*w = append(append(append(*w, '"'), text...), '"')
		return
	}
	escaped, _ := json.Marshal(text) // which a string always has
	*w = append(*w, escaped...)
}

// isPlain reports whether JSON has a text as it is, between quotes.
func isPlain(text string) bool {
	for _, c := range []byte(text) {
		if c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c >= 0x7f {
			return false
		}
	}
	return true
}

// some writes a text that is not "".
func (w *writer) some(key, text string) {
	if text != "" {
		w.text(key, text)
	}
}

// any writes what may be nothing, a scalar or a list.
func (w *writer) any(key string, value any) {
	switch value := value.(type) {
	case nil:
	case string:
		w.text(key, value)
	default:
		text, _ := json.Marshal(value) // which these always have
		*w = append(append(*w, key...), text...)
	}
}
