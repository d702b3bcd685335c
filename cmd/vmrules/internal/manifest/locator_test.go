package manifest

import (
	"fmt"
	"testing"
)

func TestLocator(t *testing.T) {
	const text = `kind: List
items:
- kind: VirtualMachine
  metadata: {labels: {a/b: x, c~d: y}}
  spec:
    disks:
    - name: one
    - &two {name: two}
    - *two
    cores: 1
`
	file, err := Parse("file", text)
	if err != nil {
		t.Fatal(err)
	}
	l := NewLocator(file.Objects()[0])
	for _, test := range []struct{ pointer, want string }{
		{"", "3:3"},
		{"/spec", "5:3"},
		{"/spec/disks/0/name", "7:7"},
		{"/spec/disks/1", "8:12"},
		{"/spec/disks/2/name", "8:13"},
		{"/spec/disks/3/name", "6:5"},
		{"/spec/disks/x", "6:5"},
		{"/spec/disks/-1", "6:5"},
		{"/spec/disks/0/name/deeper", "7:7"},
		{"/spec/cores", "10:5"},
		{"/spec/memory/guest", "5:3"},
		{"/metadata/labels/a~1b", "4:23"},
		{"/metadata/labels/c~0d", "4:31"},
		{"/status", "3:3"},
	} {
		line, column, _ := l.Place(test.pointer)
		if got := fmt.Sprintf("%d:%d", line, column); got != test.want {
			t.Errorf("%q is at %s, want %s", test.pointer, got, test.want)
		}
	}
}
