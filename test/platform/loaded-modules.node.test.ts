import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { loadedModules } from "../../src/platform/mod.ts";

test("modules are listed from when they are loaded on, in this order, and searched for once", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "faultlane-modules-")));
  const part = `/${basename(folder)}/`;
  const require = createRequire(join(folder, "any.js"));
  try {
    for (const name of ["second", "first"]) {
      writeFileSync(join(folder, `${name}.cjs`), `exports.name = ${JSON.stringify(name)};`);
    }
    expect(loadedModules(part)).toEqual([]);
    for (const name of ["second", "first"]) require(`./${name}.cjs`);
    const modules = loadedModules(part);
    expect(modules.map((one) => one.exports())).toEqual([{ name: "second" }, { name: "first" }]);
    expect(modules.map(({ path }) => path.endsWith(".cjs"))).toEqual([true, true]);
    // Errors of a library ask at each throw.
    expect(loadedModules(part)).toBe(modules);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
