import { expect, test } from "vitest";
import { judge } from "./plugin";

test("a plugin", async () => {
  expect((await judge({ cores: 12 })).valid).toBe(false);
  expect((await judge({ cores: 8 })).valid).toBe(true);
});
