package bench

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/vmrules/vmrules"
)

// BenchmarkParse reads annotations with ParseRules, and into plain structs without any
// check. ParseRules also compiles regular expressions; a third reader compiles them with
// Go's regexp, to show their share.
func BenchmarkParse(b *testing.B) {
	for _, set := range []ruleSet{windows, hundred, hundredWithoutRegex} {
		annotation := set.annotation()
		for _, reader := range readers {
			if reader.compiles && set.name != hundred.name {
				continue
			}
			b.Run("set="+set.name+"/reader="+reader.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := reader.read(annotation); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A reader reads an annotation, and may compile the regular expressions in it.
type reader struct {
	name     string
	compiles bool
	read     func(annotation string) error
}

var readers = []reader{
	{"vmrules", false, readVMRules},
	{"encoding-json", false, readJSON},
	{"encoding-json+regexp", true, readJSONAndCompile},
}

func readVMRules(annotation string) error {
	_, err := vmrules.ParseRules(annotation)
	return err
}

func readJSON(annotation string) error {
	var rules []rule
	return json.Unmarshal([]byte(annotation), &rules)
}

func readJSONAndCompile(annotation string) error {
	var rules []rule
	if err := json.Unmarshal([]byte(annotation), &rules); err != nil {
		return err
	}
	for _, r := range rules {
		if r.Regex == "" {
			continue
		}
		if _, err := regexp.Compile(r.Regex); err != nil {
			return err
		}
	}
	return nil
}
