// Pins the digests anew: run it when behaviour was meant to change, and say why in the commit.
import { writeFileSync } from "node:fs";
import { LineDigest } from "../../sim/digest.ts";
import { simulate } from "../../sim/scenario/simulate.ts";
import { readScenario, scenarioFamilies, scenarioNames } from "../sim/read-scenarios.ts";

const names = scenarioNames();
const pinned: Record<string, unknown> = {};
for (const name of names) {
  const digests: string[] = [];
  for (const seed of [1, 2, 3]) {
    digests.push((await simulate(readScenario(name), { seed, trace: false })).digest);
  }
  pinned[name] = digests;
}
for (const [family, members] of scenarioFamilies()) {
  const all = new LineDigest();
  for (let at = 0; at < 1_000; at += 1) {
    const scenario = readScenario(members[at % members.length] as string);
    all.add((await simulate(scenario, { seed: 1_001 + at, trace: false })).digest);
  }
  pinned[`a thousand seeds of ${family}`] = all.hex();
}
writeFileSync(
  new URL("digests.json", import.meta.url),
  `${JSON.stringify(pinned, undefined, 2)}\n`,
);
