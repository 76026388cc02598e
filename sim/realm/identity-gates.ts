import { builtinModule } from "../../src/platform/mod.ts";
import { gateFunction, gateValue, isReplaceable } from "./gate.ts";

/** As in a container: each host has a name of its own, and its process the same number. */
const PID = 17;
const PARENT_PID = 1;
const MIB = 1024 * 1024;

const MEMORY: Readonly<Record<string, number>> = Object.freeze({
  rss: 96 * MIB,
  heapTotal: 48 * MIB,
  heapUsed: 32 * MIB,
  external: 4 * MIB,
  arrayBuffers: MIB,
});

/** Fixes what differs between machines and processes: pid, host name, memory and processor figures. */
export function gateIdentity(): void {
  const { process } = globalThis as unknown as { readonly process?: Record<string, unknown> };
  // Deno has them fixed.
  if (isReplaceable(process, "pid")) gateValue(process, "pid", () => PID);
  if (isReplaceable(process, "ppid")) gateValue(process, "ppid", () => PARENT_PID);
  gateFunction(process, "memoryUsage", () => ({ ...MEMORY }));
  gateFunction(process?.["memoryUsage"] as object | undefined, "rss", () => MEMORY["rss"]);
  gateFunction(process, "availableMemory", () => 1024 * MIB);
  gateFunction(process, "constrainedMemory", () => 1024 * MIB);
  for (const name of ["cpuUsage", "threadCpuUsage"]) {
    gateFunction(process, name, (_, [since]) =>
      since === undefined ? { user: 1_000_000, system: 100_000 } : { user: 0, system: 0 },
    );
  }
  gateFunction(process, "resourceUsage", (_, args, real) => {
    const usage = real(...args) as Record<string, number>;
    return Object.fromEntries(Object.keys(usage).map((name) => [name, 0]));
  });
  gateFunction(process, "getActiveResourcesInfo", () => []);
  gateFunction(process, "umask", () => 0o22);
  gateMachine();
}

/** One processor, no load, one address. */
function gateMachine(): void {
  const os = builtinModule("node:os") as object | undefined;
  gateFunction(os, "cpus", () => [
    {
      model: "virtual",
      speed: 2_000,
      times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 },
    },
  ]);
  gateFunction(os, "availableParallelism", () => 1);
  gateFunction(os, "networkInterfaces", () => ({}));
  gateFunction(os, "hostname", ({ hostName }) => hostName);
  gateFunction(os, "freemem", () => 512 * MIB);
  gateFunction(os, "totalmem", () => 1024 * MIB);
  gateFunction(os, "loadavg", () => [0, 0, 0]);
  const v8 = builtinModule("node:v8") as object | undefined;
  for (const name of ["getHeapStatistics", "getHeapCodeStatistics", "getCppHeapStatistics"]) {
    gateFunction(v8, name, (_, args, real) => zeros(real(...args)));
  }
  gateFunction(v8, "getHeapSpaceStatistics", (_, args, real) =>
    (real(...args) as readonly unknown[]).map(zeros),
  );
  const { Deno, navigator } = globalThis as unknown as Readonly<
    Record<"Deno" | "navigator", object | undefined>
  >;
  const prototype = navigator && (Object.getPrototypeOf(navigator) as object);
  gateValue(prototype, "hardwareConcurrency", () => 1);
  gateValue(prototype, "language", () => "en-US");
  gateValue(prototype, "languages", () => Object.freeze(["en-US"]));
  gateFunction(Deno, "hostname", ({ hostName }) => hostName);
  gateFunction(Deno, "memoryUsage", () => ({ ...MEMORY }));
  gateFunction(Deno, "networkInterfaces", () => []);
  gateFunction(Deno, "systemMemoryInfo", (_, args, real) => zeros(real(...args)));
  gateFunction(Deno, "osUptime", ({ monotonicMs }) => Math.trunc(monotonicMs / 1_000));
  gateFunction(Deno, "loadavg", () => [0, 0, 0]);
}

/** Returns the figures with the same names, and 0 for each that is a number. */
function zeros(figures: unknown): object {
  return Object.fromEntries(
    Object.entries(figures as object).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === "number" ? 0 : value,
    ]),
  );
}
