// Package newest_test requires the newest Kubernetes and controller-runtime for the workspaces that use it.
// A go.mod that is released requires the oldest.
package newest_test

import (
	_ "github.com/google/cel-go/cel"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	_ "k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/apiserver/pkg/cel/environment"
	_ "k8s.io/client-go/rest"
	_ "sigs.k8s.io/controller-runtime"
)
