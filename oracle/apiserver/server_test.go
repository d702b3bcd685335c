// Package apiserver compares this project with a real kube-apiserver: what that makes of the policies
// of package policy, with what vmrules says. README.md says how to run it.
package apiserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// demandedVariable is an environment variable. If it is set, the tests fail if there is no server to
// start. Otherwise they are skipped.
const demandedVariable = "VMRULES_APISERVER"

// A server is a running API server with KubeVirt's definitions.
type server struct {
	config *rest.Config
	typed  *kubernetes.Clientset
	vms    dynamic.ResourceInterface
	any    dynamic.Interface
}

var virtualMachines = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachines"}

// environment is what all tests share, and TestMain stops.
var environment *envtest.Environment

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	status := m.Run()
	if environment != nil {
		if err := environment.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(status)
}

var started = sync.OnceValues(func() (*server, error) {
	text, err := exec.Command("./build", "--folder").Output()
	folder := strings.TrimSpace(string(text))
	if err != nil {
		return nil, errors.New("LEFT OUT: there is no kube-apiserver in " + folder + ": run oracle/apiserver/build")
	}
	environment = &envtest.Environment{
		BinaryAssetsDirectory: folder,
		CRDDirectoryPaths:     []string{filepath.Join(folder, "crds")},
		ErrorIfCRDPathMissing: true,
	}
	config, err := environment.Start()
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // no limit
	config.WarningHandler = rest.NoWarnings{}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	all, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &server{config: config, typed: typed, any: all, vms: all.Resource(virtualMachines).Namespace("default")}, nil
})

// start returns the server that all tests share.
func start(t testing.TB) *server {
	t.Helper()
	s, err := started()
	switch {
	case err == nil:
	case environment == nil && os.Getenv(demandedVariable) == "":
		t.Skip(err)
	default:
		t.Fatal(err)
	}
	return s
}

var dryRun = []string{metav1.DryRunAll}

// create returns what the server would make of a new VM.
func (s *server) create(vm map[string]any) (*unstructured.Unstructured, error) {
	return s.vms.Create(context.Background(), &unstructured.Unstructured{Object: vm}, metav1.CreateOptions{DryRun: dryRun})
}

// update returns an error if the server would refuse an update.
func (s *server) update(vm *unstructured.Unstructured) error {
	_, err := s.vms.Update(context.Background(), vm, metav1.UpdateOptions{DryRun: dryRun})
	return err
}

// A verdict is what a server says to a write.
type verdict string

const (
	admitted verdict = "admitted"
	refused  verdict = "refused by a policy"
	failed   verdict = "an expression failed"
	invalid  verdict = "refused by the definition"
)

func verdictOf(err error) verdict {
	switch {
	case err == nil:
		return admitted
	case !strings.Contains(err.Error(), "ValidatingAdmissionPolicy"):
		return invalid
	case strings.Contains(err.Error(), "resulted in error"):
		return failed
	case apierrors.IsInvalid(err):
		return refused
	}
	return verdict(err.Error())
}
