import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const run = promisify(execFile);

test("the kit plays alike when it is loaded after faultlane/virtual", async () => {
  const script = new URL("virtual-first.ts", import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [script]);
  const { verdict, digest } = await simulate(readScenario("hostile-client"), { seed: 1 });
  expect(JSON.parse(stdout)).toEqual({ verdict, digest });
});
