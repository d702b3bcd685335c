/** instances are the exports of all programs of the package that were started in this process. */
export const instances: { mem: WebAssembly.Memory; call(header: number): void }[] = [];

const { instantiate } = WebAssembly;
WebAssembly.instantiate = (async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
  const instance = await instantiate(module, imports);
  if ("room" in instance.exports) {
    instances.push(instance.exports as unknown as (typeof instances)[0]); // Node has others
  }
  return instance;
}) as typeof instantiate;
