package autogen

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmrules/vmrules/kinds/kyverno"
)

type object = map[string]any

func oneOf[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// randomResources returns a block resources. Most of them allow that rules are generated.
func randomResources(r *rand.Rand) object {
	o := object{}
	if r.IntN(5) > 0 {
		o["kinds"] = oneOf(r, []string{"Pod"}, []string{"Pod"}, []string{"v1/Pod"}, []string{"*/Pod"}, []string{"Deployment"}, []string{"apps/v1/Deployment"},
			[]string{"Service"}, []string{"Service", "Job"}, []string{"CronJob"}, []string{"*"}, []string{"Pod", "Pod"}[:1+r.IntN(12)/11])
	}
	if r.IntN(3) == 0 || len(o) == 0 {
		o["namespaces"] = []string{"shop", "x-*"}[:1+r.IntN(2)]
	}
	switch r.IntN(60) {
	case 0:
		o["name"] = "x"
	case 1:
		o["names"] = oneOf(r, []string{}, []string{"x"})
	case 2:
		o["annotations"] = oneOf(r, object{}, object{"a": "b"})
	case 3:
		o["selector"] = oneOf(r, object{}, object{"matchLabels": object{"a": "b"}})
	case 4:
		o["name"] = oneOf[any](r, "", nil)
	}
	return o
}

func randomBlock(r *rand.Rand) object {
	var items []any
	for range 1 + r.IntN(3) {
		items = append(items, object{"resources": randomResources(r)})
	}
	return oneOf(r, object{"resources": randomResources(r)}, object{"any": items}, object{"all": items})
}

func randomPolicy(r *rand.Rand) object {
	var rules []any
	for i := range 1 + r.IntN(3) {
		pattern := object{"spec": object{"a": oneOf(r, "x", "request.object.spec", "1")}}
		validate := object{"pattern": pattern}
		if r.IntN(3) == 0 {
			validate = object{"anyPattern": []any{pattern, object{"metadata": object{"labels": object{"b": "?*"}}}}}
		}
		if r.IntN(2) == 0 {
			validate["message"] = oneOf(r, "m", "see request.oldObject.metadata and request.object.spec")
		}
		rule := object{
			"name":  string(rune('a'+i)) + oneOf(r, "", "-request.object.spec", "-a-name-of-fifty-two-bytes-which-is-cut-in-one-case-ö"),
			"match": randomBlock(r), "validate": validate,
		}
		if r.IntN(3) == 0 {
			rule["exclude"] = oneOf(r, randomBlock(r), randomBlock(r), object{})
		}
		rules = append(rules, rule)
	}
	metadata := object{"name": "p"}
	if r.IntN(2) == 0 {
		metadata["annotations"] = object{"pod-policies.kyverno.io/autogen-controllers": oneOf(r,
			"none", "", "Deployment", "CronJob", "CronJob,Job", "StatefulSet,DaemonSet,StatefulSet", "ReplicationController,ReplicaSet,CronJob")}
	}
	return object{"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": metadata, "spec": object{"rules": rules}}
}

// TestRandom compares for random policies.
func TestRandom(t *testing.T) {
	compared, generated := 0, 0
	for seed := range uint64(2000) {
		document, err := json.Marshal(randomPolicy(rand.New(rand.NewPCG(seed, 1))))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := kyverno.Rules(document)
		if err != nil {
			continue
		}
		compared++
		got, want := byVMRules(t, rules), byKyverno(t, typed(t, document))
		for _, r := range got {
			if r.Controllers != nil {
				generated++
			}
		}
		if diff := cmp.Diff(want, comparable(want, got)); diff != "" {
			t.Fatalf("seed %d: %s (-Kyverno +vmrules):\n%s", seed, document, diff)
		}
	}
	t.Logf("%d policies compared, with %d generated rules", compared, generated)
	if compared < 1000 || generated < 1000 {
		t.Errorf("want more to compare, got %d policies and %d generated rules", compared, generated)
	}
}
