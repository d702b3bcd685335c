package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// ownRules are the rules of the VMs that clusterVM makes.
const ownRules = `[
{"name": "memory", "path": "jsonpath::.spec.domain.memory.guest", "rule": "integer",
"message": "This VM requires more memory.", "min": 1610612736},
{"name": "cores", "path": "jsonpath::.spec.domain.cpu.cores", "rule": "integer",
"message": "cpu cores must be limited", "min": 1, "max": 8},
{"name": "bus", "path": "jsonpath::.spec.domain.devices.disks[*].disk.bus", "rule": "enum",
"valid": "jsonpath::.spec.domain.devices.disks[*].disk.bus",
"message": "the disk bus type must be one of the supported ones", "values": ["virtio", "sata"], "justWarning": true},
{"name": "model", "path": "jsonpath::.spec.domain.devices.interfaces[*].model", "rule": "enum",
"message": "the model of the interface", "values": ["virtio", "e1000e", ""]}
]`

// A vmAsText is a VM of a cluster as kubectl prints it, with what the API server adds.
const vmAsText = `{
  "apiVersion": "kubevirt.io/v1",
  "kind": "VirtualMachine",
  "metadata": {
    "annotations": {
      "vm.kubevirt.io/validations": %[2]s
    },
    "creationTimestamp": "2025-04-02T09:12:41Z",
    "generation": %[1]d,
    "labels": {
      "app": "desktop-%[1]d",
      "vm.kubevirt.io/template": "windows-desktop-%[1]d",
      "vm.kubevirt.io/template.namespace": "openshift"
    },
    "managedFields": [
      {
        "apiVersion": "kubevirt.io/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
          "f:metadata": {"f:annotations": {".": {}, "f:vm.kubevirt.io/validations": {}}},
          "f:spec": {"f:template": {".": {}, "f:spec": {".": {}, "f:domain": {".": {}, "f:cpu": {"f:cores": {}}}}}}
        },
        "manager": "Mozilla",
        "operation": "Update",
        "time": "2025-04-02T09:12:41Z"
      }
    ],
    "name": "desktop-%[1]d",
    "namespace": "desktops-%[3]d",
    "resourceVersion": "18213364%[1]d",
    "uid": "6f0c8e2a-54a5-4c0e-9a1b-8f6d5f2f3c1%[1]d"
  },
  "spec": {
    "runStrategy": "Always",
    "template": {
      "metadata": {
        "annotations": {"vm.kubevirt.io/flavor": "large", "vm.kubevirt.io/os": "windows"},
        "creationTimestamp": null,
        "labels": {"kubevirt.io/domain": "desktop-%[1]d", "kubevirt.io/size": "large"}
      },
      "spec": {
        "architecture": "amd64",
        "domain": {
          "cpu": {"cores": %[4]d, "sockets": 1, "threads": 1},
          "devices": {
            "disks": [
              {"bootOrder": 1, "disk": {"bus": "virtio"}, "name": "rootdisk"},
              {"cdrom": {"bus": "sata", "readonly": true}, "name": "drivers"}
            ],
            "interfaces": [{"macAddress": "02:24:4f:00:00:0%[1]d", "masquerade": {}, "model": "%[5]s", "name": "default"}],
            "rng": {}
          },
          "features": {"acpi": {}, "hyperv": {"relaxed": {}, "vapic": {}}},
          "machine": {"type": "pc-q35-rhel9.6.0"},
          "memory": {"guest": "%[6]s"}
        },
        "networks": [{"name": "default", "pod": {}}],
        "volumes": [
          {"dataVolume": {"name": "desktop-%[1]d"}, "name": "rootdisk"},
          {"containerDisk": {"image": "virtio-win"}, "name": "drivers"}
        ]
      }
    }
  },
  "status": {
    "conditions": [
      {"lastProbeTime": null, "lastTransitionTime": "2025-04-02T09:14:02Z", "status": "True", "type": "Ready"}
    ],
    "created": true,
    "observedGeneration": %[1]d,
    "printableStatus": "Running",
    "ready": true,
    "volumeSnapshotStatuses": [
      {"enabled": true, "name": "rootdisk"},
      {"enabled": false, "name": "drivers", "reason": "no snapshots"}
    ]
  }
}`

// clusterVM returns a VM of a cluster. Of every ten, two break a rule.
func clusterVM(i int, rules string) string {
	i %= 10
	quoted, _ := json.Marshal(rules)
	cores, memory, model := 4, "8Gi", "virtio"
	switch i {
	case 3:
		cores = 12
	case 7:
		memory, model = "1Gi", "ne2k_pci"
	}
	return fmt.Sprintf(vmAsText, i, quoted, i/3, cores, model, memory)
}

// cluster returns a List of VMs, as kubectl prints it.
func cluster(vms int) io.Reader {
	var all []string
	for i := range vms {
		all = append(all, clusterVM(i, ownRules))
	}
	return strings.NewReader(`{
  "apiVersion": "v1",
  "items": [
` + strings.Join(all, ",\n") + `
  ],
  "kind": "List",
  "metadata": {
    "resourceVersion": ""
  }
}
`)
}
