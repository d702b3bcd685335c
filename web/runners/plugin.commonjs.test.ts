import { init, VmrulesError } from "@vmrules/vmrules";
import { judge } from "./plugin";

test("what is no address, and what cannot be fetched", async () => {
  const nowhere = init("http://127.0.0.1:1/vmrules.wasm");
  await expect(nowhere).rejects.toMatchObject({ name: "VmrulesError", code: "load" });
  await expect(nowhere).rejects.toBeInstanceOf(VmrulesError);
  await expect(init("vmrules.wasm")).rejects.toMatchObject({ code: "load" });
  await expect(init(new Uint8Array(8))).rejects.toMatchObject({ code: "not-wasm" });
});

test("a plugin, with timers that do not run", async () => {
  jest.useFakeTimers();
  expect(await judge({ cores: 12 })).toMatchObject({
    valid: false,
    results: [{ violations: [{ detail: "12 is more than max 8" }] }],
  });
  expect((await judge({ cores: 8 })).valid).toBe(true);
});
