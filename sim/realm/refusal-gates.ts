import { builtinModule } from "../../src/platform/mod.ts";
import { gateClass, gateFunction } from "./gate.ts";

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
    for (const name of names) refuse(holder, name, `${module.slice(5).replace("/", ".")}.${name}`);
  }
  const net = builtinModule("node:net") as
    | Record<string, { readonly prototype: object }>
    | undefined;
  refuse(net?.["Socket"]?.prototype, "connect", "net.Socket.connect");
  refuse(net?.["Server"]?.prototype, "listen", "net.Server.listen");
  gateWrites();
  const workers = builtinModule("node:worker_threads") as object | undefined;
  refuseClass(workers, "Worker", "worker_threads.Worker");
  for (const name of ["Worker", "SharedWorker", "WebSocket", "EventSource", "XMLHttpRequest"]) {
    refuseClass(globalThis, name, name);
  }
  refuse(globalThis, "fetch", "fetch");
  refuse(Atomics, "wait", "Atomics.wait");
  refuse(Atomics, "waitAsync", "Atomics.waitAsync");
  const { Deno, Bun } = globalThis as { readonly Deno?: object; readonly Bun?: object };
  for (const name of DENO) refuse(Deno, name, `Deno.${name}`);
  refuseClass(Deno, "Command", "Deno.Command");
  for (const name of BUN) refuse(Bun, name, `Bun.${name}`);
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
