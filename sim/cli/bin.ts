#!/usr/bin/env node
// The door for whatever Node a machine has: this file keeps to syntax that Node 10 can read, so
// that
// an old one gets a sentence instead of a stack trace. Everything else lives behind the dynamic
// import.
const needed = "22.18.0";

function isOlder(version: string, than: string): boolean {
  const left = version.split(".");
  const right = than.split(".");
  for (let at = 0; at < right.length; at += 1) {
    const difference = Number(left[at]) - Number(right[at]);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

const { versions } = process;
const onNode = versions["deno"] === undefined && versions["bun"] === undefined;

if (onNode && isOlder(versions.node, needed)) {
  console.error(`Cannot run faultlane on Node ${versions.node}: it needs Node ${needed} or newer`);
  process.exitCode = 2;
} else {
  import("./main.ts")
    .then(({ main, endProcess }) => main(process.argv.slice(2)).then(endProcess))
    .catch((error: unknown) => {
      console.error(error);
      process.exit(3);
    });
}
