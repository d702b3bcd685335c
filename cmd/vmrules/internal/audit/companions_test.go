package audit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/cmd/vmrules/internal/build"
	"github.com/vmrules/vmrules/cmd/vmrules/internal/cli"
)

const clusterInstancetype = `{"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineClusterInstancetype",
"metadata": {"name": "t%d"}, "spec": {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}}}
`

const vmWithInstancetype = `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "vm%d", "annotations": {
"vm.kubevirt.io/validations": "[{\"name\": \"n\", \"rule\": \"integer\", \"path\": \"jsonpath::.spec.domain.cpu.sockets\", \"message\": \"m\"}]"}},
"spec": {"instancetype": {"name": "t%d"}, "template": {"spec": {"domain": {}}}}}
`

// auditStream returns what audit writes about a stream, to stdout and stderr.
func auditStream(stream string) string {
	var out bytes.Buffer
	status := cli.Execute(Command(build.Build{Name: "vmrules"}), []string{"-"}, cli.Streams{In: strings.NewReader(stream), Out: &out, Err: &out})
	return fmt.Sprintf("%sexit status %d\n", out.String(), status)
}

// Instance types of a stream are for the VMs that follow, and only for those, however many
// objects wait.
func TestAuditInstancetypesInStream(t *testing.T) {
	const types = 30
	var stream, want strings.Builder
	row := func(i, vms, notFound int) string {
		return fmt.Sprintf("VirtualMachineClusterInstancetype %-4s %-4d 0          %d\n", fmt.Sprintf("t%d", i), vms, notFound)
	}
	notFound := 0
	for i := range types {
		for range i {
			fmt.Fprintf(&stream, vmWithInstancetype, i, i)
		}
		notFound += i
		fmt.Fprintf(&stream, clusterInstancetype, i)
		fmt.Fprintf(&stream, vmWithInstancetype, i, i)
		fmt.Fprintf(&stream, vmWithInstancetype, i, 0)
	}
	fmt.Fprintf(&want, "%d objects: %d valid, %d invalid, 0 without rules, 0 unreadable\n\n", notFound+2*types, 2*types, notFound)
	fmt.Fprintf(&want, "RULE  VIOLATED  WARNED  UNDECIDED\nn     0         0       %d\n\n", notFound)
	fmt.Fprint(&want, "INSTANCE TYPE OR PREFERENCE            VMS  INVALID  NOT FOUND\n")
	for i := types - 1; i > 0; i-- {
		want.WriteString(row(i, 1, i))
	}
	want.WriteString(row(0, types+1, 0))
	want.WriteString("vmrules: " + notInStream + "\nexit status 1\n")
	tables, rest, _ := strings.Cut(auditStream(stream.String()), "\nINVALID  ")
	_, end, _ := strings.Cut(rest, "-o jsonl lists all\n")
	if diff := cmp.Diff(fields(want.String()), fields(tables+end)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fields returns the fields of a text with tables, one on each line.
func fields(text string) string { return strings.Join(strings.Fields(text), "\n") }

// A stream may have any number of instance types, but audit keeps only some.
func TestAuditInstancetypesAreBounded(t *testing.T) {
	var stream strings.Builder
	long := `"metadata": {"uid": "` + strings.Repeat("x", 1<<20) + `", `
	for i := range maxCompanions>>20 + 2 {
		stream.WriteString(strings.Replace(fmt.Sprintf(clusterInstancetype, i), `"metadata": {`, long, 1))
	}
	fmt.Fprintf(&stream, vmWithInstancetype, 0, 0)
	fmt.Fprintf(&stream, vmWithInstancetype, 0, maxCompanions>>20+1)
	got := auditStream(stream.String())
	for _, want := range []string{
		"2 objects: 1 valid, 1 invalid",
		"vmrules: <stdin>: the instance types and preferences have more than 16777216 bytes up to here: those that follow are not used",
		"exit status 2",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
