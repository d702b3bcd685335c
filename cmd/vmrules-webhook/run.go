package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	kubeconfig "sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/vmrules/vmrules/admission"
	"github.com/vmrules/vmrules/cmd/vmrules-webhook/internal/files"
)

// run serves reviews until the context ends.
func (c *config) run(ctx context.Context) error {
	if c.selfSigned {
		if err := writeCertificate(c.certDir); err != nil {
			return err
		}
	}
	server := webhook.NewServer(webhook.Options{Host: c.host, Port: c.port, CertDir: c.certDir})
	if len(c.from) > 0 {
		return c.runWithFiles(ctx, server)
	}
	kube, err := kubeconfig.GetConfig()
	if err != nil {
		return fmt.Errorf("%w: without a cluster, give templates by --from", err)
	}
	return c.runInCluster(ctx, server, kube)
}

func (c *config) runWithFiles(ctx context.Context, server webhook.Server) error {
	reader, err := files.Read(c.from...)
	if err != nil {
		return err
	}
	r, err := admission.New(reader, c.options...)
	if err != nil {
		return err
	}
	server.Register(admission.Path, r)
	measured, err := metricsserver.NewServer(metricsserver.Options{BindAddress: c.metrics}, nil, nil)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return server.Start(ctx) })
	if measured != nil {
		group.Go(func() error { return measured.Start(ctx) })
	}
	return group.Wait()
}

func (c *config) runInCluster(ctx context.Context, server webhook.Server, kube *rest.Config) error {
	m, err := admission.NewManager(kube, manager.Options{
		WebhookServer:          server,
		Metrics:                metricsserver.Options{BindAddress: c.metrics},
		HealthProbeBindAddress: c.health,
	}, c.options...)
	if err != nil {
		return err
	}
	return m.Start(lingering(ctx, c.drain))
}

// lingering returns a context that ends some time after another.
func lingering(ctx context.Context, d time.Duration) context.Context {
	later, end := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(d, end) })
	return later
}

// writeCertificate writes a self-signed certificate for localhost into a folder.
func writeCertificate(folder string) error {
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", nil, nil)
	if err != nil {
		return err
	}
	return errors.Join(
		os.MkdirAll(folder, 0o700),
		os.WriteFile(filepath.Join(folder, "tls.key"), key, 0o600),
		os.WriteFile(filepath.Join(folder, "tls.crt"), certificate, 0o600),
	)
}
