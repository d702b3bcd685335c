import windows from "../../../testdata/quickstart/template.yaml?raw";
import windowsVM from "../../../testdata/quickstart/vm.json?raw";
import broken from "./examples/broken.yaml?raw";
import cluster from "./examples/instancetype.cluster.yaml?raw";
import instancetype from "./examples/instancetype.json?raw";
import instancetypeVM from "./examples/instancetype.vm.yaml?raw";
import kinds from "./examples/kinds.json?raw";
import kindsVM from "./examples/kinds.vm.yaml?raw";
import oneRule from "./examples/one-rule.json?raw";
import oneRuleVM from "./examples/one-rule.vm.yaml?raw";
import parameters from "./examples/parameters.yaml?raw";
import type { Texts } from "./protocol.js";

/** An Example is what the editors may hold at first. */
export interface Example {
  title: string;
  texts: Texts;
}

export const examples: Example[] = [
  { title: "Quickstart: one rule", texts: { template: oneRule, vm: oneRuleVM, cluster: "" } },
  { title: "A Windows desktop", texts: { template: windows, vm: windowsVM, cluster: "" } },
  { title: "A broken template", texts: { template: broken, vm: "", cluster: "" } },
  { title: "Each kind of rule", texts: { template: kinds, vm: kindsVM, cluster: "" } },
  {
    title: "An instance type and a preference",
    texts: { template: instancetype, vm: instancetypeVM, cluster },
  },
  { title: "A template with parameters", texts: { template: parameters, vm: "", cluster: "" } },
];
