import { builtinModule } from "../../src/platform/mod.ts";
import { gateFunction } from "./gate.ts";
import { type Callback, perRealm, type Realm, runOutside } from "./realm.ts";

const TO_STDOUT = ["log", "info", "debug", "dir", "table", "group", "groupCollapsed"];
const TO_STDERR = ["error", "warn", "trace", "assert"];

interface Printed {
  readonly name: string;
  readonly stream: "stdout" | "stderr";
  readonly args: readonly unknown[];
}

/** What the console of each run has counted, and when its timers were started. */
interface Labels {
  readonly counts: Map<string, number>;
  readonly startedAt: Map<string, number>;
}

const labelsIn = perRealm((): Labels => ({ counts: new Map(), startedAt: new Map() }));

/** Makes what code prints by `console` part of its run; counts and timers begin anew in each. */
export function gateConsole(): void {
  const gate = (name: string, stream: "stdout" | "stderr"): void =>
    gateFunction(console, name, (realm, args) => printed(realm, { name, stream, args }));
  for (const name of TO_STDOUT) gate(name, "stdout");
  for (const name of TO_STDERR) gate(name, "stderr");
  gateCounts();
  gateStopwatches();
}

function gateCounts(): void {
  gateFunction(console, "count", (realm, [given]) => {
    const { counts } = labelsIn(realm);
    const label = labelFrom(given);
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    print(realm, `${label}: ${count}`);
  });
  gateFunction(console, "countReset", (realm, [given]) => {
    labelsIn(realm).counts.delete(labelFrom(given));
  });
}

function gateStopwatches(): void {
  gateFunction(console, "time", (realm, [given]) => {
    const { startedAt } = labelsIn(realm);
    const label = labelFrom(given);
    if (!startedAt.has(label)) startedAt.set(label, realm.monotonicMs);
  });
  for (const name of ["timeLog", "timeEnd"]) {
    gateFunction(console, name, (realm, [given, ...data]) => {
      const { startedAt } = labelsIn(realm);
      const label = labelFrom(given);
      const since = startedAt.get(label);
      if (since === undefined) return;
      print(realm, `${label}: ${realm.monotonicMs - since}ms`, ...data);
      if (name === "timeEnd") startedAt.delete(label);
    });
  }
}

function labelFrom(given: unknown): string {
  return given === undefined ? "default" : inWords([given]);
}

function printed(realm: Realm, { name, stream, args }: Printed): void {
  if (name === "assert" && args[0] === true) return;
  const shown = name === "assert" ? ["Assertion failed:", ...args.slice(1)] : args;
  realm.print(stream, `${inWords(shown)}\n`);
}

function print(realm: Realm, ...shown: readonly unknown[]): void {
  realm.print("stdout", `${inWords(shown)}\n`);
}

function inWords(args: readonly unknown[]): string {
  const util = builtinModule("node:util") as { readonly format: Callback } | undefined;
  if (util === undefined) return args.map(String).join(" ");
  return runOutside(() => util.format(...args)) as string;
}
