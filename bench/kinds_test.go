package bench

import (
	"context"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/kyverno/kyverno/pkg/engine/validate"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/vmrules/vmrules"
	"github.com/vmrules/vmrules/kinds/crd"
	"github.com/vmrules/vmrules/kinds/kyverno"
)

// A kindSet is a rule of a kind beyond the format that demands the same of the buses of
// disks as the set enum.
type kindSet struct {
	name string
	keys string // the rule's keys that belong to its kind
	path string
	// alone prepares the library behind the kind. The function that it returns reports
	// whether a VM satisfies the rule; it finds the rule's values without a path.
	alone func(testing.TB) func(devices map[string]any) bool
}

var kindSets = []kindSet{
	{
		"cel", `"expression": "` + busesExpression + `"`, "jsonpath::.spec.domain.devices.disks",
		aloneCEL,
	},
	{
		"schema", `"schema": ` + busesSchema, "jsonpath::.spec.domain.devices.disks",
		aloneSchema,
	},
	{
		"pattern", `"pattern": ` + busesPattern, "jsonpath::.spec.domain.devices",
		alonePattern,
	},
}

const (
	busesExpression = `self.all(d, (!has(d.disk) || d.disk.bus in ['virtio', 'sata']) && (!has(d.cdrom) || d.cdrom.bus in ['virtio', 'sata']))`
	busesSchema     = `{"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
		"disk": {"type": "object", "properties": {"bus": {"type": "string", "enum": ["virtio", "sata"]}}},
		"cdrom": {"type": "object", "properties": {"bus": {"type": "string", "enum": ["virtio", "sata"]}}}
	}}}`
	busesPattern = `{"disks": [{"=(disk)": {"bus": "virtio | sata"}, "=(cdrom)": {"bus": "virtio | sata"}}]}`
)

func (s kindSet) rules(t testing.TB) vmrules.Rules {
	rules, err := vmrules.ParseRules(`[{"name": "bus", "rule": "`+s.name+`", "path": "`+s.path+`", "message": "the bus is virtio or sata", `+s.keys+`}]`,
		vmrules.Strict(), vmrules.WithKind("cel", crd.CEL), vmrules.WithKind("schema", crd.Schema), vmrules.WithKind("pattern", kyverno.Pattern))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func aloneCEL(t testing.TB) func(map[string]any) bool {
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: []cel.EnvOption{cel.Variable("self", cel.DynType)},
	})
	if err != nil {
		t.Fatal(err)
	}
	env := set.NewExpressionsEnv()
	ast, issues := env.Compile(busesExpression)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	program, err := env.Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		t.Fatal(err)
	}
	return func(devices map[string]any) bool {
		satisfied, _, err := program.ContextEval(context.Background(), map[string]any{"self": devices["disks"]})
		return err == nil && satisfied == types.True
	}
}

func aloneSchema(t testing.TB) func(map[string]any) bool {
	var written apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(busesSchema), &written); err != nil {
		t.Fatal(err)
	}
	var disks apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&written, &disks, nil); err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(&apiextensions.JSONSchemaProps{
		Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"disks": disks},
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(devices map[string]any) bool {
		return len(validation.ValidateCustomResource(nil, map[string]any{"disks": devices["disks"]}, validator)) == 0
	}
}

func alonePattern(t testing.TB) func(map[string]any) bool {
	var pattern any
	if err := json.Unmarshal([]byte(busesPattern), &pattern); err != nil {
		t.Fatal(err)
	}
	return func(devices map[string]any) bool {
		return validate.MatchPattern(logr.Discard(), devices, pattern) == nil
	}
}

// BenchmarkKinds judges each VM by each kind, and by the library behind the kind alone.
// First it checks that both give the same verdict.
func BenchmarkKinds(b *testing.B) {
	for _, set := range kindSets {
		rules, alone := set.rules(b), set.alone(b)
		for _, vm := range usualVMs {
			devices := object(object(specOf(vm.object), "domain"), "devices")
			if got, want := vmrules.Validate(rules, vm.object), alone(devices); got.Valid() != want || want == vm.fails {
				b.Fatalf("%s, %s: alone %v, vmrules %s", set.name, vm.name, want, got)
			}
			prefix := "kind=" + set.name + "/vm=" + vm.name
			b.Run(prefix+"/peer=vmrules", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					vmrules.Validate(rules, vm.object)
				}
			})
			b.Run(prefix+"/peer=alone", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					alone(devices)
				}
			})
		}
	}
}
