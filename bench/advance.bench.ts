/**
 * `npm run bench`: the verb `faultlane bench`, and what only a checkout has beside it: the packages
 * that do a part of the same work, the other runtime, and bench/README.md, written by `--write`.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Command } from "commander";
import { type BenchFlags, benchAndPrint, withBenchFlags } from "../sim/cli/bench.ts";
import { EXIT, WrongInput } from "../sim/cli/output.ts";
import { PEER_PACKAGES, peersAt } from "./advance/peers.ts";
import { writeReadme } from "./advance/readme.ts";
import { measureRuntimes } from "./advance/runtimes.ts";

interface Flags extends BenchFlags {
  /** This process only, and no peers: how the bench calls itself on another runtime. */
  readonly alone?: boolean;
  readonly write?: true | string;
}

const RUNTIME_ROUNDS = 3;

const command = withBenchFlags(new Command("bench"))
  .option("--alone", "no peers, no other runtime")
  .option("--write [folder]", "write what was found into bench/README.md and its charts");
const { alone, write, ...flags } = command.parse().opts<Flags>();
const isOnNode = process.versions["deno"] === undefined && process.versions["bun"] === undefined;
const asksRuntimes = flags.only === undefined || flags.only.includes("runtimes");
const withRuntimes = isOnNode && asksRuntimes && flags.quick !== true;

try {
  const extras = {
    peers: peersAt,
    packages: PEER_PACKAGES,
    ...(withRuntimes ? { otherRows: async () => [await measureRuntimes(RUNTIME_ROUNDS)] } : {}),
  };
  const report = await benchAndPrint(flags, alone === true ? {} : extras);
  if (write === true) writeReadme(report);
  else if (write !== undefined) writeReadme(report, pathToFileURL(`${resolve(write)}/`));
} catch (error) {
  const isWrongInput = error instanceof WrongInput || error instanceof RangeError;
  console.error(isWrongInput ? error.message : error);
  process.exitCode = isWrongInput ? EXIT.wrongInput : EXIT.kitFailed;
}
