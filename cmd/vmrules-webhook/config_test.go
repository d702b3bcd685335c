package main

import (
	"io"
	"strings"
	"testing"

	"github.com/vmrules/vmrules/admission"
	"github.com/vmrules/vmrules/cmd/vmrules-webhook/internal/files"
)

func TestParse(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--cert-dir d", ""},
		{"--cert-dir d --warn Parameter --refuse Template --warn broken-template --refuse Preference", ""},
		{"--cert-dir d --namespace-fallback --no-ratcheting=false --protect-templates --refuse-broken-templates", ""},
		{"--cert-dir d --template-namespace openshift --template-namespace kubevirt-os-images", ""},
		{"--cert-dir d --reports --reports-rate 0.5 --reports-namespace n", ""},
		{"--cert-dir d --reports --reports-rate -1", "the rate of reports is -1: it must be more than 0 and at most 1000"},
		{"--cert-dir d --reports --from f", "--reports needs a cluster: leave out --from, or write reports about files with vmrules audit -o report"},
		{"--cert-dir d --warn Bound", `what becomes of a rule that is Undecided because of "Bound" cannot be set: only Instancetype, Preference, Template and Parameter may warn`},
		{"--cert-dir d vm.yaml", `there is an argument "vm.yaml": there are only flags`},
		{"--warn Parameter", "--cert-dir is missing: give the folder of tls.crt and tls.key"},
		{"--weather", "flag provided but not defined: -weather"},
	} {
		t.Run(test.args, func(t *testing.T) {
			c, err := parse(strings.Fields(test.args), io.Discard)
			if err == nil {
				_, err = admission.New(&files.Reader{}, c.options...)
			}
			if err == nil && test.want != "" || err != nil && err.Error() != test.want {
				t.Errorf("got %v", err)
			}
		})
	}
}
