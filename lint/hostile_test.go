package lint_test

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/internal/racetest"
	"github.com/vmrules/vmrules/lint"
)

func workOf(work int) vmrules.Option {
	return vmrules.WithBudget(vmrules.Budget{Time: time.Duration(work)})
}

// TestHostile lints annotations of the largest size. A smaller Budget finds less, and a
// finding says so.
func TestHostile(t *testing.T) {
	t.Parallel()
	racetest.SkipLong(t)
	const values = `{"name":"r","rule":"enum","path":"jsonpath::.spec.hostname","message":"m","values":[`
	numbered := func(format string) func(int) string {
		return func(i int) string { return strings.ReplaceAll(format, "#", strconv.Itoa(i)) }
	}
	var characters strings.Builder
	for i := range rune(1000) {
		characters.WriteRune(0x4e00 + i)
		characters.WriteByte('+')
	}
	tests := []struct {
		name         string
		before, then string
		item         func(i int) string
	}{
		{"rules with nothing", "[", "]", numbered(`{"rle":1,"nme":1,"pth":1}`)},
		{"rules for one path", "[", "]", numbered(`{"name":"#","rule":"integer","path":"jsonpath::.a","message":"m","min":#,"max":9999}`)},
		{"rules that all contradict the first", "[", "]",
			numbered(`{"name":"#","rule":"enum","path":"jsonpath::.a","message":"m","values":[#]}`)},
		{"values", `[{"name":"r","rule":"enum","path":"jsonpath::.a","message":"m","min":-1,"regex":"^[0-9]+$","values":[`, `]}]`,
			numbered(`#`)},
		{"the same value", "[" + values, "]}]", numbered(`1`)},
		{"values that do not fit", `[{"name":"r","rule":"integer","path":"jsonpath::.a","message":"m","regex":"(a|b)*c$","values":[`,
			`]}]`, numbered(`"x#"`)},
		{"regexes beside many values", "[" + values + strings.Repeat(`"sata", `, 9000) + `"ide"]},`,
			`,{"name":"last","rule":"regex","path":"jsonpath::.spec.hostname","message":"m","regex":"^$"}]`,
			numbered(`{"name":"#","rule":"regex","path":"jsonpath::.spec.hostname","message":"m","regex":"[a-z]"}`)},
		{"paths in a key in another case", `[{"name":"r","rule":"enum","path":"jsonpath::.a","message":"m","Values":[`, `]}]`,
			numbered(`"jsonpath::..a[*]"`)},
		{"misspelt values", `[{"name":"r","rule":"enum","path":"jsonpath::.spec.domain.devices.disks[*].disk.bus","message":"m","values":[`,
			`]}]`, numbered(`"sa#a"`)},
		{"misspelt keys", `[{`, `}]`, numbered(`"mi#":1`)},
		{"names at any depth", "[" + values, "]}]", numbered(`"jsonpath::..fea#res"`)},
		{"wildcards at any depth", "[" + values, "]}]", numbered(`"jsonpath::..*..*[?(@..*.x==@..*)]"`)},
		{"steps", `[{"name":"r","rule":"enum","message":"m","path":"jsonpath::.spec`, `"}]`,
			func(int) string { return strings.Repeat("[*]", 9) }},
		{"characters", "[", "]",
			numbered(`{"name":"#","rule":"regex","path":"jsonpath::.a","message":"m","regex":"(?=a)` + characters.String() + `"}`)},
		{"nested repeats", "[", "]", numbered(`{"name":"#","rule":"regex","path":"jsonpath::.a","message":"m","regex":"` +
			strings.Repeat("(?:", 90) + `(?=a)[b-z]+` + strings.Repeat("a)+", 90) + `"}`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			separator := ","
			if test.name == "steps" {
				separator = ""
			}
			var s strings.Builder
			s.WriteString(test.before)
			for i := range 10_000 {
				next := test.item(i)
				if s.Len()+len(separator)+len(next)+len(test.then) > 256<<10 {
					break
				}
				if i > 0 {
					s.WriteString(separator)
				}
				s.WriteString(next)
			}
			s.WriteString(test.then)
			// With a smaller budget, it finds less, and says so.
			all, few := lint.Annotation(s.String(), workOf(200_000_000)), lint.Annotation(s.String(), workOf(40_000_000))
			if len(few) > len(all)+1 {
				t.Errorf("%d findings, and %d with less to spend", len(all), len(few))
			}
			if len(few) < len(all) && !isTooMuch(few) {
				t.Error("no finding says that findings are missing")
			}
		})
	}
}

// isTooMuch reports whether a finding says that the budget is used up.
func isTooMuch(findings []lint.Finding) bool {
	return slices.ContainsFunc(findings, func(f lint.Finding) bool {
		return f.ID == "not-checked" || strings.Contains(f.Message, "is used up")
	})
}

// rulesText returns n rules with these members. In the members, # is replaced with the rule's
// number.
func rulesText(n int, members string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(`{"name":"#","message":"m",`+members+`}`, "#", strconv.Itoa(i))
	}
	return strings.Join(all, ",")
}

// TestOrdinary checks that the default Budget is enough for large ordinary annotations, with
// and without a broken rule.
func TestOrdinary(t *testing.T) {
	racetest.SkipLong(t)
	t.Parallel()
	values := make([]string, 10_000)
	for i := range values {
		values[i] = `"value-` + strconv.Itoa(i) + `"`
	}
	const bus = `jsonpath::.spec.domain.devices.disks[*].disk.bus`
	for name, text := range map[string]string{
		"1,000 enums":   rulesText(1000, `"rule":"enum","path":"`+bus+`","valid":"`+bus+`","values":["virtio","sata","scsi"]`),
		"1,000 regexes": rulesText(1000, `"rule":"regex","path":"`+bus+`","regex":"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?#$"`),
		"10,000 values": `{"name":"r","message":"m","rule":"enum","path":"` + bus + `","values":[` + strings.Join(values, ",") + `]}`,
	} {
		for _, text := range []string{"[" + text + "]", "[" + text + `,{"name":"broken"}]`} {
			if isTooMuch(lint.Annotation(text)) {
				t.Errorf("%s are too much", name)
			}
		}
	}
}

// TestBudget checks that a call allocates and keeps memory in proportion to its Budget.
func TestBudget(t *testing.T) {
	racetest.SkipLong(t)
	given := vmrules.Budget{Time: 20 * time.Millisecond, Memory: 1 << 20}
	const (
		perWork = 2       // bytes allocated for each unit of work: the text is read more than once
		perKept = 2       // bytes kept for each byte of the budget
		spare   = 4 << 20 // bytes that depend only on the input's size
	)
	text := "[" + rulesText(2500, `"rule":"integer","path":"jsonpath::.spec.domain.cpus.core","min":1`) + ",{}]"
	var before, after, live runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	made := lint.Annotation(text, vmrules.WithBudget(given))
	runtime.ReadMemStats(&after)
	runtime.GC()
	runtime.ReadMemStats(&live)
	if got, most := int64(after.TotalAlloc-before.TotalAlloc), perWork*given.Time.Nanoseconds()+spare; got > most {
		t.Errorf("it allocates %d bytes, more than %d", got, most)
	}
	if got, most := int64(live.HeapAlloc-before.HeapAlloc), perKept*given.Memory+spare/4; got > most {
		t.Errorf("it keeps %d bytes, more than %d", got, most)
	}
	runtime.KeepAlive(made)
}

// TestPathsInUnknownKeysAreCharged checks that a path in a key that only KubeVirt's template
// validator reads is paid for before it is read.
func TestPathsInUnknownKeysAreCharged(t *testing.T) {
	annotation := `[{"name": "r", "rule": "enum", "path": "jsonpath::.a", "message": "m", "Values": ["jsonpath::.` + strings.Repeat("a", 50_000) + `"]}]`
	for kept, isRefused := range map[int64]bool{0: false, 8 << 20: true} {
		found := lint.Annotation(annotation, vmrules.WithBudget(vmrules.Budget{Memory: kept}))
		got := slices.ContainsFunc(found, func(f lint.Finding) bool { return f.ID == "not-checked" })
		if got != isRefused {
			t.Errorf("with %d bytes, %d findings; not checked: %t", kept, len(found), got)
		}
	}
}
