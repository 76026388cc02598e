/** How `checkStateBackend` ends; it is no run of a world, and a backend may use the machine. */
export type ExpectedOfBackend =
  | "held"
  /** The law that breaks, or the exception, is named. */
  | { readonly broken: string }
  /**
   * Two stores behave differently; by the likely source. What breaks by chance often enough may
   * also be accused, because it fails again each time that it is tried.
   */
  | { readonly notDeterministic: readonly string[]; readonly orBroken?: true };

/** A backend with one source of chance, time, work or misbehaviour. */
export interface BackendRow {
  readonly name: string;
  readonly top?: string;
  /** The body of a function that is called with the key in `get` and in `set`. */
  readonly each: string;
  /** Members of the class. */
  readonly members?: string;
  readonly expected: ExpectedOfBackend;
}

const BOOM = "it threw RangeError: boom, which nobody caught";

/** State backends as `checkStateBackend` sees them. */
export const BACKEND_CORPUS: readonly BackendRow[] = [
  { name: "chance that decides nothing", each: "Math.random();", expected: "held" },
  {
    name: "chance that loses every tenth write",
    each: "",
    members:
      "override async set(...args: [any, any, any, any]): Promise<void> { if (Math.random() >= 0.1) await super.set(...args); }",
    // Chance alone decides which runs differ; where only the first does, that looks like state.
    expected: { notDeterministic: ["unknown", "state-outlives-run"], orBroken: true },
  },
  {
    name: "identities of its own",
    top: "import { randomUUID } from 'node:crypto';",
    each: "randomUUID();",
    expected: "held",
  },
  { name: "the time, read", each: "new Date().toISOString();", expected: "held" },
  {
    name: "expiry by the machine's clock",
    each: "",
    members:
      "override async get(...args: [any, any]): Promise<any> { const found = await super.get(...args); return found?.expiresAt != null && found.expiresAt < Date.now() ? undefined : found; }",
    expected: { broken: "get() returns what is stored" },
  },
  {
    name: "a pause",
    each: "await new Promise((resolve) => setTimeout(resolve, 0));",
    expected: "held",
  },
  {
    name: "work of the thread pool",
    top: "import { gzip } from 'node:zlib';",
    each: "await crypto.subtle.digest('SHA-256', new Uint8Array(9)); await new Promise((r) => gzip('x', r));",
    expected: "held",
  },
  {
    name: "files that are written and read",
    top: "import { mkdtempSync } from 'node:fs'; import { readFile, writeFile } from 'node:fs/promises'; import { tmpdir } from 'node:os'; const file = mkdtempSync(tmpdir() + '/backend-') + '/x';",
    each: "await writeFile(file, 'x'); await readFile(file);",
    expected: "held",
  },
  {
    name: "a server of its own",
    top: "import { createServer, connect } from 'node:net'; const server = createServer((s) => s.end('x')); const port = await new Promise<number>((r) => server.listen(0, '127.0.0.1', () => r((server.address() as any).port))); let asked = 0;",
    each: "if ((asked += 1) > 20) return; await new Promise((r) => connect(port, '127.0.0.1').on('data', () => {}).on('close', r));",
    expected: "held",
  },
  {
    name: "a server that is not there",
    top: "import { connect } from 'node:net';",
    each: "await new Promise((r, fail) => connect(9, '127.0.0.1').on('connect', r).on('error', fail));",
    expected: { broken: "ECONNREFUSED" },
  },
  { name: "output", each: "console.error('a backend'); ", expected: "held" },
  {
    name: "a throw in a method",
    each: "throw new RangeError('boom');",
    expected: { broken: "it threw RangeError: boom" },
  },
  {
    name: "a throw in a timer",
    each: "setTimeout(() => { throw new RangeError('boom'); }, 1);",
    expected: { broken: BOOM },
  },
  {
    name: "a throw in a callback that leaves its caller waiting",
    top: "import { stat } from 'node:fs';",
    each: "await new Promise(() => stat('/', () => { throw new RangeError('boom'); }));",
    expected: { broken: BOOM },
  },
  {
    name: "a throw in a microtask",
    each: "queueMicrotask(() => { throw new RangeError('boom'); });",
    expected: { broken: BOOM },
  },
  {
    name: "a rejection that nobody handles",
    each: "void Promise.reject(new RangeError('boom'));",
    expected: { broken: BOOM },
  },
  {
    name: "process.exit",
    top: "import process from 'node:process';",
    each: "process.exit(0);",
    expected: {
      broken: "it threw ProcessExited: the code called process.exit(0), which nobody caught",
    },
  },
  {
    name: "process.exit that is caught",
    top: "import process from 'node:process';",
    each: "try { process.exit(0); } catch {}",
    expected: {
      broken: "it threw ProcessExited: the code called process.exit(0), which nobody caught",
    },
  },
  {
    name: "an interval that is left behind",
    each: "setInterval(() => {}, 1_000);",
    expected: "held",
  },
  {
    name: "state that outlives a store",
    top: "const all = new Map<string, any>();",
    each: "",
    members:
      "override async get(scope: any, key: string): Promise<any> { const place = JSON.stringify([scope, key]); const found = await super.get(scope, key); if (found !== undefined) all.set(place, found); return found ?? all.get(place); }",
    expected: { notDeterministic: ["state-outlives-run"] },
  },
];

/** Returns a module with the backend of a row. */
export function backendModuleOf(
  { top = "", each, members = "" }: BackendRow,
  root: string,
): string {
  const call = (name: string, params: string): string =>
    members.includes(` ${name}(`)
      ? ""
      : `override async ${name}(...args: ${params}): Promise<any> { await each(); return super.${name}(...args); }`;
  return `import { MemoryStateBackend } from "${root}src/store/mod.ts";
${top}
async function each(): Promise<unknown> { ${each} }
class Odd extends MemoryStateBackend {
  ${members}
  ${call("get", "[any, any]")}
  ${call("set", "[any, any, any, any]")}
}
export function createBackend(): Odd {
  return new Odd();
}
`;
}
