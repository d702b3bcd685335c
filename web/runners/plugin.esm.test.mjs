import { init, parseRules, VmrulesError } from "@vmrules/vmrules";

test("what cannot be fetched", async () => {
  const nowhere = init("http://127.0.0.1:1/vmrules.wasm");
  await expect(nowhere).rejects.toBeInstanceOf(VmrulesError);
});

test("from the file of the package", async () => {
  await init();
  expect(parseRules("[]").length).toBe(0);
});
