// What a console's plugin does: it judges a VM by the rules of a template.

import { init, parseRules, type Report, validate } from "@vmrules/vmrules";

const cores = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",
  "message": "1 to 8 cores", "min": 1, "max": 8}]`;

/** judge returns the report on a VM. */
export async function judge(cpu: object): Promise<Report> {
  await init();
  const vm = { spec: { template: { spec: { domain: { cpu } } } } };
  return validate(parseRules(cores), vm);
}
