// Example is a manager with a webhook that judges VMs.
package main

import (
	"log"

	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"

	"github.com/vmrules/vmrules/admission"
)

func main() {
	m, err := manager.New(config.GetConfigOrDie(), manager.Options{})
	if err != nil {
		log.Fatal(err)
	}
	reviewer, err := admission.New(m.GetClient(), admission.WithProtectedTemplates())
	if err != nil {
		log.Fatal(err)
	}
	m.GetWebhookServer().Register("/validate", reviewer)
	log.Fatal(m.Start(signals.SetupSignalHandler()))
}
