// The schemas for inputs in react-jsonschema-form, in Chromium: the inputs that one expects, one
// error for a mistake, and the verdicts of validate.

import assert from "node:assert/strict";
import type { Server } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type * as Api from "@vmrules/vmrules";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { launch, root, serve } from "../browser.js";
import type * as PageModule from "./page.js";

let server: Server;
let browser: Browser;
let page: Page;

before(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL("page.js", import.meta.url))],
    outfile: fileURLToPath(new URL("build/forms.js", root)),
    bundle: true,
    format: "esm",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  const served = await serve();
  server = served.server;
  browser = await launch();
  page = await browser.newPage();
  await page.goto(`${served.url}/empty.html`);
  await page.evaluate(async (url) => {
    const api: typeof Api = await import(`${url}/dist/index.js`);
    await api.init();
    Object.assign(globalThis, { api, forms: await import(`${url}/build/forms.js`) });
  }, served.url);
});

after(async () => {
  await browser?.close();
  server?.close();
});

declare const api: typeof Api;
declare const forms: typeof PageModule;
declare const entered: object;

const annotation = JSON.stringify([
  {
    name: "cores",
    rule: "integer",
    path: "jsonpath::.spec.domain.cpu.cores",
    message: "the licence covers 8 cores",
    min: 1,
    max: 8,
  },
  {
    name: "even",
    rule: "enum",
    path: "jsonpath::.spec.domain.cpu.cores",
    message: "an even number is faster",
    values: [2, 4, 6, 8],
    justWarning: true,
  },
  {
    name: "memory",
    rule: "integer",
    path: "jsonpath::.spec.domain.memory.guest",
    message: "1 to 8 GiB of memory",
    min: "1Gi",
    max: "8Gi",
  },
  {
    name: "bus",
    rule: "enum",
    path: "jsonpath::.spec.domain.devices.disks[*].disk.bus",
    message: "a bus that the system knows",
    values: ["virtio", "sata"],
  },
  {
    name: "hostname",
    rule: "string",
    path: "jsonpath::.spec.hostname",
    message: "a name of small letters",
    valid: "jsonpath::.spec.hostname",
    regex: "^[a-z]+$",
  },
  {
    name: "numa",
    rule: "enum",
    path: "jsonpath::.spec.domain.cpu.dedicatedCpuPlacement",
    message: "dedicated CPUs, or not",
    values: [true, false],
    valid: "jsonpath::.spec.domain.cpu.dedicatedCpuPlacement",
  },
  {
    name: "model",
    rule: "enum",
    path: "jsonpath::.spec.domain.cpu.model",
    message: "dedicated CPUs need a model",
    values: ["host-model", "host-passthrough"],
    valid: "jsonpath::.spec.domain.cpu.dedicatedCpuPlacement",
  },
]);

const vm = {
  kind: "VirtualMachine",
  apiVersion: "kubevirt.io/v1",
  spec: {
    template: {
      spec: {
        hostname: "office",
        domain: {
          cpu: { cores: 2 },
          memory: { guest: "2Gi" },
          devices: { disks: [{ name: "root", disk: { bus: "virtio" } }] },
        },
      },
    },
  },
};

/** show renders the form of the VM. */
async function show(): Promise<void> {
  await page.evaluate(
    async ([annotation, vm]) => {
      const rules = api.parseRules(annotation);
      Object.assign(globalThis, { rules, entered: vm });
      await forms.show(api, api.inputs(rules, vm).schema, vm);
    },
    [annotation, vm] as const,
  );
}

const domain = "#root_spec_template_spec_domain";

interface Shown {
  tag: string;
  type: string | null;
  min: string | null;
  max: string | null;
  options: string[];
  help: string;
}

/** shown returns how an input is rendered. */
function shown(id: string): Promise<Shown> {
  return page.$eval(id, (element) => ({
    tag: element.tagName.toLowerCase(),
    type: element.getAttribute("type"),
    min: element.getAttribute("min"),
    max: element.getAttribute("max"),
    options: [...element.querySelectorAll("option")].map((o) => o.textContent).filter(Boolean),
    help: document.getElementById(`${element.id}__description`)?.textContent ?? "",
  }));
}

/** errors returns all errors that the form shows. */
function errors(): Promise<string[]> {
  return page.$$eval(".error-detail li, .text-danger", (all) => [
    ...new Set(all.filter((e) => e.children.length === 0).map((e) => e.textContent ?? "")),
  ]);
}

/** isValid returns the verdict of validate on what is entered. */
function isValid(): Promise<boolean> {
  return page.evaluate(
    () => api.validate((globalThis as unknown as { rules: Api.Rules }).rules, entered).valid,
  );
}

test("the inputs that one expects", async () => {
  await show();
  const none = { min: null, max: null, options: [] };
  assert.deepEqual(await shown(`${domain}_cpu_cores`), {
    ...{ tag: "input", type: "number", min: "1", max: "8", options: [] },
    help: "the licence covers 8 cores; an even number is faster",
  });
  assert.deepEqual(await shown(`${domain}_memory_guest`), {
    ...{ tag: "input", type: "text", ...none },
    help: "1 to 8 GiB of memory",
  });
  assert.deepEqual(await shown(`${domain}_devices_disks_0_disk_bus`), {
    ...{ tag: "select", type: null, ...none, options: ["virtio", "sata"] },
    help: "a bus that the system knows",
  });
  assert.deepEqual(await shown("#root_spec_template_spec_hostname"), {
    ...{ tag: "input", type: "text", ...none },
    help: "a name of small letters",
  });
  assert.equal(await page.$(`${domain}_cpu_model`), null);
  assert.deepEqual(await errors(), []);
  assert.equal(await page.getByText("Unsupported").count(), 0);
});

test("one error for a mistake, and the same verdict", async () => {
  for (const [id, text, error] of [
    [`${domain}_cpu_cores`, "9", "must be <= 8"],
    [`${domain}_cpu_cores`, "0", "must be >= 1"],
    [`${domain}_cpu_cores`, "2.5", "must be integer"],
    [`${domain}_memory_guest`, "9Gi", 'must match format "integral-quantity-from-1Gi-to-8Gi"'],
    [`${domain}_memory_guest`, "much", 'must match format "integral-quantity-from-1Gi-to-8Gi"'],
    ["#root_spec_template_spec_hostname", "Office", 'must match pattern "^[a-z]{1,}(?=\\n?$)"'],
  ] as const) {
    await show();
    assert.equal(await isValid(), true);
    await page.fill(id, text);
    await page.waitForFunction((n) => document.querySelectorAll(".error-detail li").length >= n, 1);
    assert.deepEqual(await errors(), [error], text);
    // A 0 counts as not set, which is 1: see the documentation of Inputs.
    assert.equal(await isValid(), text === "0", text);
  }
});

test("a field that a condition asks for", async () => {
  await show();
  await page.evaluate(async () => {
    const rules = (globalThis as unknown as { rules: Api.Rules }).rules;
    const vm = structuredClone(entered) as typeof example;
    Object.assign(vm.spec.template.spec.domain.cpu, { dedicatedCpuPlacement: true });
    Object.assign(globalThis, { entered: vm });
    await forms.show(api, api.inputs(rules, vm).schema, vm);
  });
  const { tag, options } = await shown(`${domain}_cpu_model`);
  assert.deepEqual([tag, options], ["select", ["host-model", "host-passthrough"]]);
  assert.equal(await isValid(), false);
  await page.selectOption(`${domain}_cpu_model`, { label: "host-model" });
  await page.waitForFunction(() => document.querySelectorAll(".error-detail li").length === 0);
  assert.equal(await isValid(), true);
});

/** example has the type of the VM in the page. */
export const example = vm;

test("the parameters of a template", async () => {
  const template = {
    kind: "Template",
    parameters: [
      { name: "CORES", displayName: "CPU cores", value: "2" },
      { name: "BUS", value: "sata" },
      { name: "NAME", description: "The name of the VM", required: true },
    ],
    objects: [
      {
        ...{ kind: "VirtualMachine", apiVersion: "kubevirt.io/v1" },
        metadata: { annotations: { "vm.kubevirt.io/validations": annotation } },
        spec: {
          template: {
            spec: {
              hostname: "${NAME}",
              domain: {
                cpu: { cores: "${{CORES}}" },
                memory: { guest: "2Gi" },
                devices: { disks: [{ disk: { bus: "${BUS}" } }] },
              },
            },
          },
        },
      },
    ],
  };
  await page.evaluate(async (template) => {
    Object.assign(globalThis, { entered: {} });
    await forms.show(api, api.parameterInputs(template).schema, {});
  }, template);
  const cores = await shown("#root_CORES");
  assert.deepEqual([cores.type, cores.min, cores.max], ["number", "1", "8"]);
  assert.deepEqual((await shown("#root_BUS")).options, ["virtio", "sata"]);
  assert.equal(await page.inputValue("#root_CORES"), "2");
  assert.equal((await shown("#root_NAME")).help, "The name of the VM; a name of small letters");
  for (const [name, cores, valid] of [
    ["office", "8", true],
    ["Office", "8", false],
    ["office", "9", false],
  ] as const) {
    await page.fill("#root_NAME", name);
    await page.fill("#root_CORES", cores);
    await page.waitForFunction(
      (valid) => (document.querySelectorAll(".error-detail li").length === 0) === valid,
      valid,
    );
    assert.equal((await errors()).length, valid ? 0 : 1);
    const isValid = await page.evaluate(
      (template) => api.validateOwn(api.fill(template, entered as Api.ParameterValues)).valid,
      template,
    );
    assert.equal(isValid, valid);
  }
});
