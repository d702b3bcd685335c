// What the console has from the cluster: a VM, and the template that it names.

const cpu = "jsonpath::.spec.domain.cpu";
const memory = "jsonpath::.spec.domain.memory";

const rules = [
  {
    ...{ name: "licensed-cores", rule: "integer", path: `${cpu}.cores`, min: 1, max: 8 },
    message: "The licence covers 8 cores",
  },
  {
    ...{ name: "two-sockets", rule: "integer", path: `${cpu}.sockets`, max: 2, justWarning: true },
    message: "The system uses two sockets",
  },
  {
    ...{ name: "minimal-memory", rule: "integer", path: `${memory}.guest`, min: "4Gi" },
    message: "The system needs 4 GiB of memory",
  },
  {
    ...{ name: "memory-hotplug", rule: "integer", path: `${memory}.maxGuest` },
    ...{ valid: `${memory}.maxGuest`, min: `${memory}.guest` },
    message: "Memory can only be added to what the VM starts with",
  },
];

/** A VM is what the form reads of one. */
export interface VM {
  spec: {
    template: {
      spec: {
        domain: {
          cpu: { [count in "cores" | "sockets" | "threads"]?: number | undefined };
          memory: { guest?: string | undefined; maxGuest?: string };
        };
      };
    };
  };
}

export const vm: VM & { [member: string]: unknown } = {
  ...{ apiVersion: "kubevirt.io/v1", kind: "VirtualMachine" },
  metadata: { name: "desktop", labels: { "vm.kubevirt.io/template": "windows-desktop" } },
  spec: {
    template: {
      spec: {
        domain: {
          cpu: { cores: 2, sockets: 1, threads: 1 },
          memory: { guest: "4Gi", maxGuest: "16Gi" },
        },
      },
    },
  },
};

export const template = {
  ...{ apiVersion: "template.openshift.io/v1", kind: "Template" },
  metadata: { name: "windows-desktop" },
  objects: [
    {
      ...{ apiVersion: "kubevirt.io/v1", kind: "VirtualMachine" },
      metadata: { annotations: { "vm.kubevirt.io/validations": JSON.stringify(rules) } },
    },
  ],
};
