// Example is a manager with a webhook that judges VMs.
package main

import (
	"log"
	"log/slog"
	"os"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/vmrules/vmrules/admission"
)

func main() {
	ctrllog.SetLogger(logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, nil)))
	server := webhook.NewServer(webhook.Options{
		Host: "", Port: 9443, // all addresses
		CertDir: "/certificate", // of tls.crt and tls.key, which cert-manager writes
	})
	m, err := admission.NewManager(config.GetConfigOrDie(),
		manager.Options{WebhookServer: server, HealthProbeBindAddress: ":8081"},
		admission.WithProtectedTemplates())
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(m.Start(signals.SetupSignalHandler()))
}
