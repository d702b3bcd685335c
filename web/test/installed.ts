import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./browser.js";

/** Installed is a folder in which the package is installed as npm would publish it. */
export interface Installed {
  folder: string;
  /** tarball is the name of the file that was packed, and files are what is in it. */
  tarball: string;
  files: string[];
  /** run runs a program there, and returns what it prints. */
  run(program: string, ...args: string[]): string;
  remove(): void;
}

/** install packs the package. Other packages are found in the folders around. */
export function install(): Installed {
  const build = fileURLToPath(new URL("build/", root));
  const folder = mkdtempSync(join(build, "installed-"));
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      ...{ cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 },
      stdio: ["ignore", "pipe", "inherit"],
    });
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const [packed] = JSON.parse(
    run("npm", "pack", fileURLToPath(root), "--ignore-scripts", "--json"),
  );
  const place = join(folder, "node_modules/@vmrules/vmrules");
  mkdirSync(place, { recursive: true });
  run("tar", "-xzf", packed.filename, "-C", place, "--strip-components=1");
  return {
    ...{ folder, run, tarball: packed.filename },
    files: packed.files.map(({ path }: { path: string }) => path).sort(),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
