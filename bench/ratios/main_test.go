package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const measurements = `goos: linux
BenchmarkValidate/set=enum/vm=3-disks-pass/peer=vmrules-2      	100	 3000 ns/op	1896 B/op	22 allocs/op
BenchmarkValidate/set=enum/vm=3-disks-pass/peer=vmrules-2      	100	 2000 ns/op	1896 B/op	22 allocs/op
BenchmarkValidate/set=enum/vm=3-disks-pass/peer=vmrules-2      	100	90000 ns/op	1896 B/op	22 allocs/op
BenchmarkValidate/set=enum/vm=3-disks-pass/peer=hand-written-2 	100	  125 ns/op	   0 B/op	 0 allocs/op
BenchmarkValidate/set=enum/vm=3-disks-pass/peer=opa-2          	100	60000 ns/op	33331 B/op	623 allocs/op
BenchmarkValidate/set=regex/vm=3-disks-pass/peer=vmrules-2     	100	 1000 ns/op	1100 B/op	13 allocs/op
BenchmarkParse/set=hundred/reader=vmrules-2                    	100	2000000 ns/op	1589713 B/op	18494 allocs/op
BenchmarkParse/set=hundred/reader=encoding-json-2              	100	 400000 ns/op	115953 B/op	934 allocs/op
BenchmarkScale/rules=40/call=validate-2                        	100	 40000 ns/op	1000 ns/rule	44680 B/op	213 allocs/op
PASS
`

const tables = `### Validate: time

| | vmrules | vmrules / hand-written | opa / vmrules |
| --- | ---: | ---: | ---: |
| set=enum vm=3-disks-pass | 3.000µs | 24 | 20 |
| set=regex vm=3-disks-pass | 1.000µs | – | – |

### Validate: allocations

| | vmrules | hand-written | opa |
| --- | ---: | ---: | ---: |
| set=enum vm=3-disks-pass | 22 | 0 | 623 |
| set=regex vm=3-disks-pass | 13 | – | – |

### Parse: time

| | vmrules | vmrules / encoding-json |
| --- | ---: | ---: |
| set=hundred | 2.000ms | 5 |

### Parse: allocations

| | vmrules | encoding-json |
| --- | ---: | ---: |
| set=hundred | 18494 | 934 |

### Scale: time for each rule, disk or value

| | validate |
| --- | ---: |
| rules=40 | 1.000µs |

`

func TestTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	if err := os.WriteFile(path, []byte(measurements), 0o600); err != nil {
		t.Fatal(err)
	}
	measured, err := read([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if write(&got, measured); got.String() != tables {
		t.Errorf("got\n%s\nwant\n%s", &got, tables)
	}
}

// Of several processes, a ratio has a range, and never mixes two of them.
func TestProcesses(t *testing.T) {
	folder := t.TempDir()
	var paths []string
	for i, times := range [][2]string{{"300", "100"}, {"80", "40"}, {"9000", "1000"}} {
		path := filepath.Join(folder, string(rune('a'+i)))
		text := "BenchmarkValidate/vm=a/peer=vmrules-2 1 " + times[0] + " ns/op\n" +
			"BenchmarkValidate/vm=a/peer=hand-written-2 1 " + times[1] + " ns/op\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	measured, err := read(paths)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	write(&got, measured)
	if want := "| vm=a | 300.0ns | 3 (2–9) |"; !strings.Contains(got.String(), want) {
		t.Errorf("no row %s in\n%s", want, &got)
	}
}
