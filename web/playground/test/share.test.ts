import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import type { Input } from "../src/protocol.js";
import { fromHash, LinkError, toHash } from "../src/share.js";

const input: Input = {
  texts: { template: "[]\n", vm: "é😀\u0000", cluster: "" },
  partial: true,
  ssp: false,
  values: { NAME: "a", CORES: 2 },
};

function linkOf(json: string): string {
  return `#1.${deflateRawSync(json).toString("base64url")}`;
}

test("a link holds everything", async () => {
  assert.deepEqual(await fromHash(await toHash(input)), input);
  const large = { ...input, texts: { ...input.texts, vm: "x1\n".repeat(300_000) } };
  assert.deepEqual(await fromHash(await toHash(large)), large);
});

test("no link is no error", async () => {
  assert.equal(await fromHash(""), undefined);
  assert.equal(await fromHash("#"), undefined);
});

test("a link that cannot be used has a message", async () => {
  const good = await toHash(input);
  const links = {
    "#x": "not complete",
    "#1.": "not complete",
    "#1.%3Cscript%3E": "not complete",
    [good.replace("#1", "#2")]: "another version",
    [good.slice(0, -9)]: "damaged",
    [`${good.slice(0, 30)}AAAA${good.slice(34)}`]: "damaged",
    "#1.AAAA": "damaged",
    "#1.A": "damaged",
    [linkOf("x".repeat(5_000_000))]: "more than 4000000 bytes",
    [linkOf("{")]: "damaged",
  };
  for (const [link, want] of Object.entries(links)) {
    await assert.rejects(
      () => fromHash(link),
      (error) => error instanceof LinkError && error.message.includes(want),
      link.slice(0, 60),
    );
  }
});

test("of a link with other things in it, only what is known counts", async () => {
  const nothing = {
    texts: { template: "", vm: "", cluster: "" },
    partial: false,
    ssp: false,
    values: {},
  };
  for (const json of ["null", "1", "[]", '"x"', '{"texts": 1, "values": "ab", "partial": "yes"}']) {
    const got = await fromHash(linkOf(json));
    assert.deepEqual({ ...got, values: {} }, nothing, json);
  }
  const odd = await fromHash(
    linkOf('{"texts": {"vm": {"a": 1}, "__proto__": {"x": 1}}, "values": {"A": [1], "B": "b"}}'),
  );
  assert.deepEqual(odd, { ...nothing, values: { B: "b" } });
});
