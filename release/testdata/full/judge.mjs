// Judges VMs in an empty project that has the npm package installed.
import { readFileSync } from "node:fs";
import { init, rulesFor, validate } from "@vmrules/vmrules";

await init();
const [template, ...vms] = process.argv.slice(2).map((name) => readFileSync(name, "utf8"));
const rules = rulesFor(null, template);
console.log(rules.length, ...vms.map((vm) => validate(rules, vm).valid));
