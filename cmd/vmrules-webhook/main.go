// Vmrules-webhook is an admission webhook that refuses VMs that do not satisfy the rules of
// their templates.
//
//	vmrules-webhook --cert-dir /certificates
//
// It serves reviews at https://:9443/validate, metrics at http://:8080/metrics, and its health
// at http://:8081/healthz and /readyz. To try it out without a cluster, give it templates in
// files:
//
//	vmrules-webhook --from template.yaml --self-signed --cert-dir /tmp/certificates
package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
)

func main() {
	c, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "vmrules-webhook:", err)
		os.Exit(2)
	case c.version:
		fmt.Println(version())
		return
	}
	level := slog.LevelInfo
	if c.verbose {
		level = slog.LevelDebug
	}
	log.SetLogger(logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level})))
	if err := c.run(signals.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "vmrules-webhook:", err)
		os.Exit(1)
	}
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "vmrules-webhook, unknown version"
	}
	return fmt.Sprintf("vmrules-webhook %s, %s", info.Main.Version, info.GoVersion)
}
