// template.test.ts
import { init, rulesFor, validate, violationsAt } from "@vmrules/vmrules";
import template from "./template.json";

beforeAll(() => init());

test("too many cores", () => {
  const vm = { spec: { template: { spec: { domain: { cpu: { cores: 12 } } } } } };
  const report = validate(rulesFor(vm, template), vm);
  const [wrong] = violationsAt(report, "/spec/template/spec/domain/cpu/cores");
  expect(wrong?.detail).toBe("12 is more than max 8");
});
