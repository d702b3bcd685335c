package admission_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/vmrules/vmrules/admission"
)

// gathered returns the values of counters, and the numbers of observations, by name and labels.
func gathered(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
		for _, m := range family.Metric {
			if strings.HasPrefix(family.GetName(), "vmrules_") {
				all[family.GetName()+labelsOf(m)] = m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return all
}

func labelsOf(m *dto.Metric) string {
	var labels []string
	for _, l := range m.Label {
		labels = append(labels, fmt.Sprintf("%s=%s", l.GetName(), l.GetValue()))
	}
	return "{" + strings.Join(labels, ",") + "}"
}

func TestMetrics(t *testing.T) {
	many := make([]string, 0, 1000)
	for i := range cap(many) {
		many = append(many, rule(fmt.Sprintf("rule-%d", i), "integer", "cpu.cores", "m", `"max": 8`))
	}
	before := gathered(t)
	r := reviewer(t, cluster(t, template("templates", "linux", coresRule)), admission.WithProtectedTemplates())
	for _, req := range []struct{ operation, object string }{
		{"CREATE", vm("", "", cores1)},
		{"CREATE", vm(fromLinux, "", cores1)},
		{"CREATE", vm(fromLinux, "", cores12)},
		{"CREATE", vm(withRules(many...), "", cores12)},
		{"CREATE", "{"},
		{"CREATE", vm(withRules(memoryRule), `"instancetype": {"name": "u1"}, `, "")},
	} {
		r.Handle(t.Context(), request(req.operation, req.object, ""))
	}
	got := gathered(t)
	for name, n := range before {
		if got[name] -= n; got[name] == 0 {
			delete(got, name)
		}
	}
	want := map[string]float64{
		"vmrules_admission_reviews_total{outcome=exempt}":                                 1,
		"vmrules_admission_reviews_total{outcome=allowed}":                                1,
		"vmrules_admission_reviews_total{outcome=refused}":                                2,
		"vmrules_admission_reviews_total{outcome=malformed}":                              1,
		"vmrules_admission_reviews_total{outcome=warned}":                                 1,
		"vmrules_admission_violations_total{outcome=Violated,rule=cores,source=template}": 1,
		"vmrules_admission_violations_total{outcome=Violated,rule=,source=vm}":            1000,
		"vmrules_admission_violations_total{outcome=Undecided,rule=,source=vm}":           1,
		"vmrules_admission_review_seconds{}":                                              6,
		"vmrules_admission_slow_reviews_total{}":                                          1, // of 1,000 rules
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The names of rules in templates are limited, because users write templates, too.
func TestMetricsAreBounded(t *testing.T) {
	rules := make([]string, 0, 1000)
	for i := range cap(rules) {
		rules = append(rules, rule(fmt.Sprintf("bounded-%d", i), "integer", "cpu.cores", "m", `"max": 8`))
	}
	reviewer(t, cluster(t, template("templates", "linux", rules...))).Handle(t.Context(), request("CREATE", vm(fromLinux, "", cores12), ""))
	if n := len(gathered(t)); n > 1000 {
		t.Errorf("there are %d values", n)
	}
	if n := gathered(t)["vmrules_admission_violations_total{outcome=Violated,rule=(other),source=template}"]; n < 1000-200 {
		t.Errorf("%v rules have no name of their own", n)
	}
}
