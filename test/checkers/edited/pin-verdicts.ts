// Pins what the checkers say of the edited traces: run it when they were meant to say something else.
// With the name of a trace it prints what they say of each edit of it, and pins nothing.
//
//   node test/checkers/edited/pin-verdicts.ts ["manager 81"]
import { writeFileSync } from "node:fs";
import { knownToday, nameOf, type Pins, verdictsOf } from "./judge-traces.ts";
import { readTraces } from "./recorded-traces.ts";

const [wanted] = process.argv.slice(2);
const known = knownToday();
const verdicts = readTraces()
  .filter((trace) => wanted === undefined || nameOf(trace) === wanted)
  .map((trace) =>
    verdictsOf(trace, known[trace.world] ?? [], (edit, said) => {
      if (wanted !== undefined) console.log([edit, ...said].join("\n  "));
    }),
  );
if (wanted === undefined) {
  const pins: Pins = { known, verdicts };
  const file = new URL("verdicts.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(pins, undefined, 2)}\n`);
}
