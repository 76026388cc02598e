// Pins the digests anew: run it when behaviour was meant to change, and say why in the commit.
// `npm run pin -- tasks` pins those of one family only, and leaves the others as they are.
import { writeFileSync } from "node:fs";
import { LineDigest } from "../../sim/trace/digest.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { loadParts, readScenario, scenarioFamilies } from "../sim/read-scenarios.ts";
import digests from "./digests.json" with { type: "json" };

const wanted = process.argv[2];
const families = scenarioFamilies().map(([family]) => family);
if (wanted !== undefined && !families.includes(wanted)) {
  console.error(`No such family: "${wanted}". There are ${families.join(", ")}.`);
  process.exit(2);
}
const before = digests as Readonly<Record<string, unknown>>;
const pinned = new Map<string, unknown>();
const thousands = new Map<string, unknown>();
for (const [family, members] of scenarioFamilies()) {
  const title = `a thousand seeds of ${family}`;
  if (wanted !== undefined && wanted !== family) {
    for (const name of members) pinned.set(name, before[name]);
    thousands.set(title, before[title]);
    continue;
  }
  for (const name of members) {
    const three: string[] = [];
    const parts = await loadParts(name);
    for (const seed of [1, 2, 3]) {
      three.push((await simulate(readScenario(name), { ...parts, seed, trace: false })).digest);
    }
    pinned.set(name, three);
  }
  const all = new LineDigest();
  for (let at = 0; at < 1_000; at += 1) {
    const name = members[at % members.length] as string;
    const options = { ...(await loadParts(name)), seed: 1_001 + at, trace: false };
    all.add((await simulate(readScenario(name), options)).digest);
  }
  thousands.set(title, all.hex());
}
const sorted = [...pinned].toSorted(([one], [other]) => (one < other ? -1 : 1));
writeFileSync(
  new URL("digests.json", import.meta.url),
  `${JSON.stringify(Object.fromEntries([...sorted, ...thousands]), undefined, 2)}\n`,
);
