package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// These have the fields of the Prometheus operator's kinds that the manifests use.
type (
	serviceMonitor struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Selector  metav1.LabelSelector `json:"selector"`
			Endpoints []struct {
				Port     string `json:"port"`
				Interval string `json:"interval"`
			} `json:"endpoints"`
		} `json:"spec"`
	}
	prometheusRule struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Groups []struct {
				Name  string `json:"name"`
				Rules []struct {
					Alert       string            `json:"alert"`
					Expr        string            `json:"expr"`
					For         string            `json:"for"`
					Labels      map[string]string `json:"labels"`
					Annotations map[string]string `json:"annotations"`
				} `json:"rules"`
			} `json:"groups"`
		} `json:"spec"`
	}
)

// registered returns the names of the metrics of the program.
func registered(t *testing.T) map[string]bool {
	t.Helper()
	collector, ok := metrics.Registry.(prometheus.Collector)
	if !ok {
		t.Fatalf("%T does not describe its metrics", metrics.Registry)
	}
	described := make(chan *prometheus.Desc)
	go func() {
		collector.Describe(described)
		close(described)
	}()
	all := map[string]bool{"up": true} // which Prometheus makes
	for d := range described {
		name, _, _ := strings.Cut(strings.TrimPrefix(d.String(), `Desc{fqName: "`), `"`)
		all[name] = true
	}
	return all
}

var (
	metricName = regexp.MustCompile(`\b([a-z_]+)(?:\{|\[| ==)`)
	ofBuckets  = regexp.MustCompile(`_(bucket|sum|count)$`)
	duration   = regexp.MustCompile(`^[1-9][0-9]*[smh]$`) // as the kinds have it
)

// The alerts are about metrics that exist, and have a runbook.
func TestMonitoring(t *testing.T) {
	const name = "vmrules-webhook"
	all := manifests(t, "deploy/monitoring/*.yaml")
	service := typed[corev1.Service](t, manifests(t, "deploy/*.yaml"), "Service "+name)
	monitor := typed[serviceMonitor](t, all, "ServiceMonitor "+name)
	for k, v := range monitor.Spec.Selector.MatchLabels {
		if service.Labels[k] != v {
			t.Errorf("the service does not have the label %s=%s", k, v)
		}
	}
	if e := monitor.Spec.Endpoints[0]; monitor.Namespace != service.Namespace || e.Port != service.Spec.Ports[1].Name || !duration.MatchString(e.Interval) {
		t.Errorf("the metrics are read from %+v", e)
	}
	runbooks, err := os.ReadFile("deploy/monitoring/README.md")
	if err != nil {
		t.Fatal(err)
	}
	known := registered(t)
	groups := typed[prometheusRule](t, all, "PrometheusRule "+name).Spec.Groups
	if len(groups) != 2 || len(groups[0].Rules) != 5 || len(groups[1].Rules) != 3 {
		t.Fatalf("the rules are %+v", groups)
	}
	for _, rule := range slices.Concat(groups[0].Rules, groups[1].Rules) {
		names := metricName.FindAllStringSubmatch(rule.Expr, -1)
		if len(names) == 0 || strings.Count(rule.Expr, "(") != strings.Count(rule.Expr, ")") {
			t.Errorf("%s: the expression is %s", rule.Alert, rule.Expr)
		}
		for _, found := range names {
			if !known[ofBuckets.ReplaceAllString(found[1], "")] {
				t.Errorf("%s: there is no metric %s", rule.Alert, found[1])
			}
		}
		if s := rule.Labels["severity"]; !duration.MatchString(rule.For) || s != "warning" && s != "critical" || rule.Annotations["summary"] == "" {
			t.Errorf("%s: %+v", rule.Alert, rule)
		}
		if !strings.HasSuffix(rule.Annotations["runbook_url"], "/cmd/vmrules-webhook/deploy/monitoring/README.md#"+strings.ToLower(rule.Alert)) ||
			!strings.Contains(string(runbooks), "\n## "+rule.Alert+"\n") {
			t.Errorf("%s has no runbook", rule.Alert)
		}
	}
}
