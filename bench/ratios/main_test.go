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
BenchmarkValidate/set=enum/vm=3-disks-pass/peer=cel-go-2       	100	60000 ns/op	33331 B/op	623 allocs/op
BenchmarkValidate/set=enum/vm=64-disks-pass/peer=vmrules-2     	100	 4000 ns/op	1896 B/op	22 allocs/op
BenchmarkValidate/set=regex/vm=3-disks-pass/peer=vmrules-2     	100	 1000 ns/op	1100 B/op	13 allocs/op
BenchmarkParse/set=hundred/reader=vmrules-2                    	100	2000000 ns/op	1589713 B/op	18494 allocs/op
BenchmarkParse/set=hundred/reader=encoding-json-2              	100	 400000 ns/op	115953 B/op	934 allocs/op
BenchmarkKinds/kind=cel/vm=3-disks-pass/peer=vmrules-2         	100	   6000 ns/op	1100 B/op	13 allocs/op
BenchmarkKinds/kind=cel/vm=3-disks-pass/peer=alone-2           	100	   2000 ns/op	1100 B/op	13 allocs/op
BenchmarkScale/rules=40/call=validate-2                        	100	 40000 ns/op	1000 ns/rule	44680 B/op	213 allocs/op
PASS
`

const tables = `### Validate: vmrules

| | vm=3-disks-pass | vm=64-disks-pass |
| --- | ---: | ---: |
| set=enum | 3.000µs | 4.000µs |
| set=regex | 1.000µs | – |

### Validate: vmrules / hand-written

| | vm=3-disks-pass | vm=64-disks-pass |
| --- | ---: | ---: |
| set=enum | 24 | – |
| set=regex | – | – |

### Validate: cel-go / vmrules

| | vm=3-disks-pass | vm=64-disks-pass |
| --- | ---: | ---: |
| set=enum | 20 | – |
| set=regex | – | – |

### Kinds: vmrules

| | vm=3-disks-pass |
| --- | ---: |
| kind=cel | 6.000µs |

### Kinds: vmrules / alone

| | vm=3-disks-pass |
| --- | ---: |
| kind=cel | 3 |

### Parse

| | vmrules | vmrules / encoding-json |
| --- | ---: | ---: |
| set=hundred | 2.000ms | 5 |

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

// Of several runs, a ratio has a range, and never mixes two of them.
func TestRuns(t *testing.T) {
	folder := t.TempDir()
	var paths []string
	for i, times := range [][2]string{{"300", "100"}, {"80", "40"}, {"9000", "1000"}} {
		path := filepath.Join(folder, string(rune('a'+i)))
		text := "BenchmarkValidate/set=a/vm=b/peer=vmrules-2 1 " + times[0] + " ns/op\n" +
			"BenchmarkValidate/set=a/vm=b/peer=hand-written-2 1 " + times[1] + " ns/op\n"
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
	if want := "| set=a | 3 (2–9) |"; !strings.Contains(got.String(), want) {
		t.Errorf("no row %s in\n%s", want, &got)
	}
}
