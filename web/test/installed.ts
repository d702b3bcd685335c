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

/** install packs the package, and installs it in a new folder. Other packages are found in the folders around. */
export function install(): Installed {
  const folder = mkdtempSync(join(fileURLToPath(new URL("build/", root)), "installed-"));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const installed = installIn(folder);
  return { ...installed, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** installIn packs the package, and installs it in a folder. */
export function installIn(folder: string): Installed {
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      ...{ cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 },
      stdio: ["ignore", "pipe", "inherit"],
    });
  const [packed] = JSON.parse(
    run("npm", "pack", fileURLToPath(root), "--ignore-scripts", "--json", "--silent"),
  );
  const place = join(folder, "node_modules/@vmrules/vmrules");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  run("tar", "-xzf", packed.filename, "-C", place, "--strip-components=1");
  return {
    ...{ folder, run, tarball: packed.filename },
    files: packed.files.map(({ path }: { path: string }) => path).sort(),
    remove: () => {
      rmSync(place, { recursive: true, force: true });
      rmSync(join(folder, packed.filename));
    },
  };
}
