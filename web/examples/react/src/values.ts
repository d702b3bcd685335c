import type { VM } from "./vm.js";

/** Values are those of the inputs: "" is that of an empty one. */
export interface Values {
  cores: number | "";
  sockets: number | "";
  threads: number | "";
  memory: number | "";
  unit: keyof typeof units;
}

export const units = { Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

/** valuesOf returns what the inputs show of a VM. */
export function valuesOf(vm: VM): Values {
  const { cpu, memory } = vm.spec.template.spec.domain;
  const { cores = 1, sockets = 1, threads = 1 } = cpu;
  const [, amount, unit] = /^(\d+)([MGT]i)$/.exec(memory.guest ?? "") ?? [];
  return {
    ...{ cores, sockets, threads },
    ...{ memory: amount ? Number(amount) : "", unit: (unit ?? "Gi") as Values["unit"] },
  };
}

/** withValues returns the VM as the inputs have it. */
export function withValues(vm: VM, { cores, sockets, threads, memory, unit }: Values): VM {
  const edited = structuredClone(vm);
  const { domain } = edited.spec.template.spec;
  // What is empty is missing.
  domain.cpu.cores = cores === "" ? undefined : cores;
  domain.cpu.sockets = sockets === "" ? undefined : sockets;
  domain.cpu.threads = threads === "" ? undefined : threads;
  domain.memory.guest = memory === "" ? undefined : `${memory}${unit}`;
  return edited;
}
