import type * as Api from "@vmrules/vmrules";

/** Vector is a conformance vector, with what the Go library returns: see internal/engine. */
export interface Vector {
  name: string;
  call: "validate" | "rulesFor" | "validateOwn";
  texts: {
    annotation: string;
    object?: string;
    template?: string;
    oldObject?: string;
    instancetype?: string;
    preference?: string;
  };
  instancetypes?: string[];
  templates?: string[];
  parse: Api.ParseOptions;
  validate: Api.ValidateOptions;
  report?: string;
  problems?: Api.Problem[];
}

/** differences returns in what the package and the vectors differ, by the names of vectors. */
export function differences(api: typeof Api, vectors: Vector[]): string[] {
  const all: string[] = [];
  for (const v of vectors) {
    const { report, problems } = answer(api, v);
    if (report !== v.report) {
      all.push(`${v.name}: the report is\n${report}\nand not\n${v.report}`);
    }
    const wanted = JSON.stringify(v.problems);
    if (problems !== wanted) {
      all.push(`${v.name}: the problems are\n${problems}\nand not\n${wanted}`);
    }
  }
  return all;
}

interface Answer {
  report?: string;
  problems?: string;
}

function answer(api: typeof Api, v: Vector): Answer {
  try {
    return { report: api.jsonText(reportOn(api, v)) };
  } catch (error) {
    if (!(error instanceof api.VmrulesError)) {
      throw error;
    }
    return { problems: JSON.stringify(error.problems) };
  }
}

function reportOn(api: typeof Api, v: Vector): Api.Report {
  const { annotation, object, template, ...objects } = v.texts;
  const options = { ...v.validate, ...objects, instancetypes: v.instancetypes ?? [] };
  switch (v.call) {
    case "validate":
      return api.validate(api.parseRules(annotation, v.parse), object, options);
    case "rulesFor":
      return api.validate(api.rulesFor(object, template, v.parse), object, options);
    case "validateOwn":
      return api.validateOwn(object, { ...options, ...v.parse, templates: v.templates ?? null });
  }
}

/**
 * globalsLeft returns the names of globals that loading the package adds.
 */
export async function globalsLeft(load: () => Promise<unknown>): Promise<string[]> {
  const before = new Set(Object.getOwnPropertyNames(globalThis));
  await load();
  return Object.getOwnPropertyNames(globalThis).filter((name) => !before.has(name));
}

/**
 * isDeep reports whether the deepest object that is allowed is judged: the stack of WebAssembly
 * differs from one environment to the next.
 */
function isDeep(api: typeof Api): boolean {
  const levels = 999;
  const object = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const rules = api.parseRules(
    '[{"name":"n","rule":"integer","path":"jsonpath::..a..b","message":"m"}]',
  );
  return api.validate(rules, object, { oldObject: object }).results.length === 1;
}

/** Outcome is what one environment finds. */
export interface Outcome {
  vectors: number;
  differences: string[];
  globals: string[];
  deep: boolean;
}

/** examine loads the package from a URL, and runs all vectors. */
export async function examine(url: string, vectors: Vector[]): Promise<Outcome> {
  const globals = await globalsLeft(async () => ((await import(url)) as typeof Api).init());
  const api: typeof Api = await import(url);
  return {
    vectors: vectors.length,
    differences: differences(api, vectors),
    globals,
    deep: isDeep(api),
  };
}
