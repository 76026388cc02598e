import { builtinModule } from "../../src/platform/mod.ts";
import { gateClass, gateFunction } from "./gate.ts";
import { hookingModule } from "./runtime-gates.ts";
import { loadQuietly } from "./load-quietly.ts";

/** Functions of the runtime's modules that reach outside of the process, by module. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "node:http": ["request", "get"],
  "node:https": ["request", "get"],
  "node:http2": ["connect"],
  "node:tls": ["connect"],
  "node:net": ["connect", "createConnection"],
  "node:dgram": ["createSocket"],
  "node:dns": [
    ...["lookup", "lookupService", "resolve", "resolve4", "resolve6", "resolveAny", "reverse"],
    ...["resolveCname", "resolveMx", "resolveNs", "resolveSrv", "resolveTxt"],
  ],
  "node:dns/promises": [
    ...["lookup", "lookupService", "resolve", "resolve4", "resolve6", "resolveAny", "reverse"],
    ...["resolveCname", "resolveMx", "resolveNs", "resolveSrv", "resolveTxt"],
  ],
  "node:child_process": [
    ...["spawn", "exec", "execFile", "fork", "spawnSync", "execSync", "execFileSync"],
  ],
  "node:cluster": ["fork"],
  "node:inspector": ["open", "waitForDebugger"],
  "node:trace_events": ["createTracing"],
  "node:module": ["register", "registerHooks"],
  "node:os": ["setPriority"],
  "node:v8": [
    ...["writeHeapSnapshot", "getHeapSnapshot", "setFlagsFromString", "queryObjects"],
    ...["setHeapSnapshotNearHeapLimit", "takeCoverage", "stopCoverage"],
  ],
  "node:process": ["setuid", "setgid", "seteuid", "setegid", "setgroups", "initgroups", "execve"],
};

/** Classes of the runtime's modules that do so, or see what no run can fix. */
const REFUSED_CLASSES: Readonly<Record<string, readonly string[]>> = {
  "node:worker_threads": ["Worker"],
  "node:inspector": ["Session"],
  "node:inspector/promises": ["Session"],
  "node:v8": ["GCProfiler"],
};

/** Functions of node:fs that change something, without their forms with Sync. */
const WRITES = [
  ...["writeFile", "appendFile", "mkdir", "mkdtemp", "rm", "rmdir", "unlink", "rename", "copyFile"],
  ...["cp", "chmod", "chown", "lchown", "lutimes", "utimes", "symlink", "link", "truncate"],
  ...["ftruncate", "fchmod", "fchown", "futimes", "fsync", "fdatasync", "write", "writev"],
] as const;

const WATCHES = ["watch", "watchFile", "createWriteStream"] as const;

const DENO = [
  ...["connect", "connectTls", "listen", "listenTls", "listenDatagram", "serve", "writeFile"],
  ...["writeFileSync", "writeTextFile", "writeTextFileSync", "remove", "removeSync", "mkdir"],
  ...["mkdirSync", "rename", "renameSync", "makeTempFile", "makeTempDir", "resolveDns", "kill"],
  ...["openKv", "watchFs"],
] as const;

const BUN = [
  ...["spawn", "spawnSync", "serve", "listen", "connect", "udpSocket", "write", "sleepSync"],
] as const;

/** The descriptors of standard output and standard error. */
const OUTPUTS: Readonly<Record<number, "stdout" | "stderr">> = { 1: "stdout", 2: "stderr" };

/** Refuses, by its name and line, what has an effect outside or waits for something outside. */
export function gateRefusals(): void {
  for (const [module, names] of Object.entries(REFUSED)) {
    const holder = builtinModule(module) as object | undefined;
    for (const name of names) refuse(holder, name, useOf(module, name));
  }
  for (const [module, names] of Object.entries(REFUSED_CLASSES)) {
    const holder = builtinModule(module) as object | undefined;
    for (const name of names) refuseClass(holder, name, useOf(module, name));
  }
  gateFunction(builtinModule("node:async_hooks") as object | undefined, "createHook", (realm) => {
    throw realm.refuse(hookingModule() ?? "async_hooks.createHook");
  });
  refuseClass(
    loadQuietly(() => builtinModule("node:wasi")) as object | undefined,
    "WASI",
    "wasi.WASI",
  );
  for (const module of ["node:dns", "node:dns/promises"]) {
    const { Resolver } = (builtinModule(module) ?? {}) as { Resolver?: { prototype: object } };
    for (const name of REFUSED["node:dns"] ?? []) {
      refuse(Resolver?.prototype, name, `dns.Resolver.${name}`);
    }
  }
  const net = builtinModule("node:net") as
    | Record<string, { readonly prototype: object }>
    | undefined;
  refuse(net?.["Socket"]?.prototype, "connect", "net.Socket.connect");
  refuse(net?.["Server"]?.prototype, "listen", "net.Server.listen");
  gateWrites();
  for (const name of ["Worker", "SharedWorker", "WebSocket", "EventSource", "XMLHttpRequest"]) {
    refuseClass(globalThis, name, name);
  }
  refuse(globalThis, "fetch", "fetch");
  gateForms();
  const { Storage } = globalThis as { readonly Storage?: { readonly prototype: object } };
  for (const name of ["getItem", "setItem", "removeItem", "clear", "key"]) {
    refuse(Storage?.prototype, name, `Storage.${name}`);
  }
  refuse(URL, "createObjectURL", "URL.createObjectURL");
  refuse(Atomics, "wait", "Atomics.wait");
  refuse(Atomics, "waitAsync", "Atomics.waitAsync");
  const { Deno, Bun } = globalThis as { readonly Deno?: object; readonly Bun?: object };
  for (const name of DENO) refuse(Deno, name, `Deno.${name}`);
  refuseClass(Deno, "Command", "Deno.Command");
  for (const name of BUN) refuse(Bun, name, `Bun.${name}`);
}

/** What stands between the parts of a form is drawn by the runtime, past `crypto`. */
function gateForms(): void {
  const bodies = {
    Response: ([body]: readonly unknown[]) => body,
    Request: ([, options]: readonly unknown[]) => (options as { body?: unknown } | undefined)?.body,
  };
  for (const [name, bodyOf] of Object.entries(bodies)) {
    gateClass(globalThis, name, {
      construct: (realm, args) => {
        if (!(bodyOf(args) instanceof FormData)) return args;
        throw realm.refuse(
          `${name} of a FormData, whose boundary is chance`,
          "send JSON or URLSearchParams through the client that is passed to it",
        );
      },
    });
  }
}

function useOf(module: string, name: string): string {
  return `${module.slice("node:".length).replace("/", ".")}.${name}`;
}

function gateWrites(): void {
  const fs = builtinModule("node:fs") as { readonly promises?: object } | undefined;
  for (const name of WRITES) {
    for (const form of [name, `${name}Sync`]) {
      gateFunction(fs, form, (realm, [target, data]) => {
        const stream = OUTPUTS[Number(target)];
        if (stream === undefined || !name.startsWith("write")) throw realm.refuse(`fs.${form}`);
        const text = typeof data === "string" ? data : new TextDecoder().decode(data as Uint8Array);
        realm.print(stream, text);
        return text.length;
      });
    }
    refuse(fs?.promises, name, `fs.promises.${name}`);
  }
  for (const name of WATCHES) refuse(fs, name, `fs.${name}`);
}

function refuse(holder: object | undefined, name: string, use: string): void {
  gateFunction(holder, name, (realm) => {
    throw realm.refuse(use);
  });
}

function refuseClass(holder: object | undefined, name: string, use: string): void {
  gateClass(holder, name, {
    construct: (realm) => {
      throw realm.refuse(use);
    },
  });
}
