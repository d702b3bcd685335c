package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/admission"
	"github.com/vmrules/vmrules/admission/reports"
)

// A config is what the flags say.
type config struct {
	host, certDir   string
	port            int
	metrics, health string
	drain           time.Duration
	from            []string // files to read instead of a cluster
	selfSigned      bool
	verbose         bool
	version         bool
	reports         bool
	options         []admission.Option
}

// parse reads the flags. It writes usage and mistakes to w.
func parse(args []string, w io.Writer) (*config, error) {
	c := &config{}
	flags := flag.NewFlagSet("vmrules-webhook", flag.ContinueOnError)
	flags.SetOutput(w)
	flags.StringVar(&c.host, "host", "", "the `address` to serve reviews at (default all)")
	flags.IntVar(&c.port, "port", 9443, "the port to serve reviews at")
	flags.StringVar(&c.certDir, "cert-dir", "", "the `folder` of the certificate: tls.crt and tls.key, which are read again when they change")
	flags.StringVar(&c.metrics, "metrics", ":8080", "the `address` to serve metrics at; 0: none")
	flags.StringVar(&c.health, "health", ":8081", "the `address` to serve /healthz and /readyz at; 0: none")
	flags.DurationVar(&c.drain, "drain", 5*time.Second, "how long reviews are still served after a signal to end")
	flags.Func("from", "a `file` with templates, instance types and VMs, instead of a cluster, to try the webhook out; may be repeated", func(name string) error {
		c.from = append(c.from, name)
		return nil
	})
	flags.BoolVar(&c.selfSigned, "self-signed", false, "write a self-signed certificate for localhost to --cert-dir, to try the webhook out")
	flags.BoolVar(&c.verbose, "verbose", false, "also log reviews that allow a request")
	flags.BoolVar(&c.version, "version", false, "print the version")
	for action, usage := range map[admission.Action]string{
		admission.Refuse: "refuse VMs for a `reason`: Template if theirs is missing, Instancetype, Preference or Parameter; may be repeated",
		admission.Warn:   "only warn for a `reason`: broken-template, or Parameter if one of a template is not filled in; may be repeated",
	} {
		flags.Func(string(action), usage, func(reason string) error {
			option := admission.WithUndecided(vmrules.Doubt(reason), action)
			if reason == "broken-template" {
				option = admission.WithBrokenTemplate(action)
			}
			c.options = append(c.options, option)
			return nil
		})
	}
	flags.Func("template-namespace", "look for a template in a `namespace`, too, if the VM names no other; may be repeated", func(name string) error {
		c.options = append(c.options, admission.WithTemplateNamespaces(name))
		return nil
	})
	flags.BoolVar(&c.reports, "reports", false, "also keep a Report of openreports.io for each VM that has rules")
	var settings reports.Settings
	flags.Float64Var(&settings.Rate, "reports-rate", 20, "how many VMs a second are validated for reports")
	flags.StringVar(&settings.LeaseNamespace, "reports-namespace", "", "the `namespace` in which replicas agree which of them writes reports (default that of the pod)")
	for _, f := range []struct {
		name, usage string
		option      admission.Option
	}{
		{"namespace-fallback", "look for a template in the VM's own namespace if the VM names no other", admission.WithNamespaceFallback()},
		{"no-ratcheting", "validate updates like creations: also refuse them for what was wrong before", admission.WithoutRatcheting()},
		{"protect-templates", "refuse to delete templates that have rules and that VMs refer to", admission.WithProtectedTemplates()},
		{"refuse-broken-templates", "refuse to create or change templates whose rules cannot be read, or fail every VM", admission.WithRefusedTemplates()},
	} {
		flags.BoolFunc(f.name, f.usage, func(text string) error {
			isSet, err := strconv.ParseBool(text)
			if isSet {
				c.options = append(c.options, f.option)
			}
			return err
		})
	}
	switch err := flags.Parse(args); {
	case err != nil:
		return nil, err
	case c.version:
		return c, nil
	case flags.NArg() > 0:
		return nil, fmt.Errorf("there is an argument %q: there are only flags", flags.Arg(0))
	case c.certDir == "":
		return nil, errors.New("--cert-dir is missing: give the folder of tls.crt and tls.key")
	case c.reports && c.from != nil:
		return nil, errors.New("--reports needs a cluster: leave out --from, or write reports about files with vmrules audit -o report")
	case c.reports:
		c.options = append(c.options, admission.WithReports(settings))
	}
	return c, nil
}
