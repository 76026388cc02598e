import { gateFunction, gateValue } from "./gate.ts";
import type { Realm } from "./realm.ts";

const USE = "process.stdin";

/** What code asks of standard input without waiting for it. */
const HARMLESS = new Set<PropertyKey>(["isTTY", "fd", "constructor", Symbol.toStringTag]);

/** Refuses to read standard input: nobody types in a run, and a service has none. */
export function gateStandardInput(): void {
  const { process, Deno, Bun } = globalThis as {
    readonly process?: object;
    readonly Deno?: { readonly stdin?: object };
    readonly Bun?: { readonly stdin?: object };
  };
  gateValue(process, "stdin", inputOf);
  for (const name of ["read", "readSync"]) {
    gateFunction(Deno?.stdin, name, (realm) => {
      throw realm.refuse(`Deno.stdin.${name}`);
    });
  }
  for (const name of ["text", "json", "arrayBuffer", "bytes", "stream"]) {
    gateFunction(Bun?.stdin, name, (realm) => {
      throw realm.refuse(`Bun.stdin.${name}`);
    });
  }
}

/** Looks like standard input until it is read. */
function inputOf(realm: Realm): object {
  return new Proxy(
    { fd: 0, isTTY: undefined },
    {
      get(target, name) {
        if (HARMLESS.has(name)) return Reflect.get(target, name) as unknown;
        // A promise that resolves to it looks for this one.
        if (name === "then") return undefined;
        throw realm.refuse(USE);
      },
    },
  );
}
