package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kubeconfig "sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/vmrules/vmrules/admission"
	"github.com/vmrules/vmrules/cmd/vmrules-webhook/internal/files"
)

// path is where reviews are served.
const path = "/validate"

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

// runWithFiles serves reviews about the objects of files.
func (c *config) runWithFiles(ctx context.Context, server webhook.Server) error {
	reader, err := files.Read(c.from...)
	if err != nil {
		return err
	}
	if err := c.register(server, reader); err != nil {
		return err
	}
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

// runInCluster serves reviews about the objects of a cluster.
func (c *config) runInCluster(ctx context.Context, server webhook.Server, kube *rest.Config) error {
	kube.QPS, kube.Burst = 100, 200 // a review may read several objects
	revision := &unstructured.Unstructured{}
	revision.SetAPIVersion("apps/v1")
	revision.SetKind("ControllerRevision")
	m, err := manager.New(kube, manager.Options{
		WebhookServer:          server,
		Metrics:                metricsserver.Options{BindAddress: c.metrics},
		HealthProbeBindAddress: c.health,
		Cache:                  cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		Client: client.Options{Cache: &client.CacheOptions{
			Unstructured: true,
			DisableFor:   []client.Object{revision}, // a cluster has many, of which VMs name few
		}},
	})
	if err != nil {
		return err
	}
	err = errors.Join(
		c.register(m.GetWebhookServer(), freshReader{m.GetClient(), m.GetAPIReader()}), // the call has the manager start it
		m.AddHealthzCheck("alive", healthz.Ping),
		m.AddReadyzCheck("serving", server.StartedChecker()),
	)
	if err != nil {
		return err
	}
	return m.Start(ctx)
}

// register serves reviews by a reader.
func (c *config) register(server webhook.Server, reader client.Reader) error {
	r, err := admission.New(reader, c.options...)
	if err == nil {
		server.Register(path, r)
	}
	return err
}

// A freshReader reads from a cache, and asks the API server for what the cache does not have,
// such as a template that was created just before its VM.
type freshReader struct {
	client.Reader
	live client.Reader
}

func (r freshReader) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	err := r.Reader.Get(ctx, key, into, opts...)
	if apierrors.IsNotFound(err) {
		return r.live.Get(ctx, key, into, opts...)
	}
	return err
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
