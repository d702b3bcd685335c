import { call, type Texts } from "./engine.js";
import { optionsOf } from "./options.js";
import { type ObjectInput, textOf } from "./text.js";
import type { Conflict, Expansion } from "./types.js";

/** Named are the instance type and the preference that a VM names. */
export interface Named {
  instancetype?: ObjectInput | null;
  preference?: ObjectInput | null;
}

/** expand returns a VM as KubeVirt expands it by its instance type and preference, or their conflicts. */
export function expand(vm: ObjectInput, named: Named): Expansion {
  return call("expand", {}, texts(vm, named));
}

/** checkRequirements returns what a preference requires and the VM does not have. */
export function checkRequirements(vm: ObjectInput, named: Named): Conflict[] {
  return call("checkRequirements", {}, texts(vm, named));
}

function texts(vm: ObjectInput, named: Named): Texts {
  const kinds = { instancetype: "any", preference: "any" } as const;
  const { instancetype, preference } = optionsOf(named, kinds, "the second argument");
  return {
    vm: textOf("vm", vm),
    instancetype: textOf("instancetype", instancetype),
    preference: textOf("preference", preference),
  };
}
