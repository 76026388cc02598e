import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { sourceFileFrom } from "../tidy/source-file.ts";

const bin = fileURLToPath(new URL("../../sim/cli/bin.ts", import.meta.url));

/** Runs the bin in a Node that says of itself that it is another version. */
function runAs(version: string, argv: readonly string[]) {
  const pretend = `Object.defineProperty(process.versions, "node", { value: "${version}" })`;
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, bin, ...argv], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

it.each(["8.17.0", "20.20.2", "22.9.1", "22.17.9"])(
  "bin says one line and exits with 2 on Node %s",
  (version) => {
    expect(runAs(version, ["--help"])).toEqual({
      status: 2,
      stdout: "",
      stderr: `Cannot run faultlane on Node ${version}: it needs Node 22.18.0 or newer\n`,
    });
  },
);

it.each(["22.18.0", "24.0.0", "100.0.0"])("bin runs the command line on Node %s", (version) => {
  const { status, stdout } = runAs(version, ["--help"]);
  expect(status).toBe(0);
  expect(stdout).toContain("faultlane");
});

it("bin names the oldest Node that package.json allows", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { engines } = JSON.parse(manifest) as { engines: { node: string } };
  expect(runAs("10.0.0", []).stderr).toContain(`needs Node ${engines.node.replace(">=", "")} `);
});

it("bin loads nothing before it has looked at the version", () => {
  const forms = sourceFileFrom("sim/cli/bin.ts", readFileSync(bin, "utf8")).imports;
  expect(forms.map(({ form, specifier }) => [form, specifier])).toEqual([["dynamic", "./main.ts"]]);
});
