import type { Row } from "./corpus-row.ts";
import { KEY_ROWS } from "./key-rows.ts";

/** Deno binds named imports of the runtime's modules for good. */
const BOUND_ON_DENO = { deno: { refused: "a named import of" } } as const;

const TIME: readonly Row[] = [
  { name: "Date.now", each: "return Date.now();", expected: "held" },
  { name: "new Date", each: "return new Date().toISOString();", expected: "held" },
  { name: "Date called", each: "return Date();", expected: "held" },
  {
    name: "Date.now captured",
    top: "const { now } = Date;",
    each: "return now();",
    expected: "held",
  },
  {
    name: "Date captured",
    top: "const D = Date;",
    each: "return new D().getTime();",
    expected: "held",
  },
  {
    name: "date.constructor",
    top: "const epoch = new Date(0);",
    each: "return new (epoch.constructor as DateConstructor)().getTime();",
    expected: "held",
  },
  {
    name: "a class that extends Date",
    top: "class Stamp extends Date {}",
    each: "return [new Stamp().getTime(), new Stamp() instanceof Stamp];",
    expected: "held",
  },
  {
    name: "local time",
    each: "return [new Date(2026, 5, 1).getTime(), new Date().getHours(), String(new Date())];",
    expected: "held",
  },
  {
    name: "Intl.DateTimeFormat of now",
    each: "return new Intl.DateTimeFormat(undefined, { timeStyle: 'full' }).format();",
    expected: "held",
  },
  {
    name: "Intl.DateTimeFormat captured",
    top: "const format = new Intl.DateTimeFormat('de', { timeStyle: 'medium' }).format;",
    each: "return format();",
    expected: "held",
  },
  {
    name: "toLocaleString",
    each: "return [new Date().toLocaleString(), (1e6).toLocaleString()];",
    expected: "held",
  },
  {
    name: "Temporal.Now",
    each: "return String((globalThis as any).Temporal?.Now.instant() ?? '');",
    expected: "held",
  },
  {
    name: "performance.now captured",
    top: "const now = performance.now.bind(performance);",
    each: "return now();",
    expected: "held",
  },
  {
    name: "performance.mark and measure",
    each: "performance.mark('a'); return performance.measure('b', 'a').startTime;",
    expected: "held",
  },
  {
    name: "performance.timeOrigin",
    each: "return performance.timeOrigin + performance.now();",
    expected: "held",
  },
  { name: "Event.timeStamp", each: "return new Event('x').timeStamp;", expected: "held" },
  {
    name: "process.hrtime",
    top: "import process from 'node:process';",
    each: "return [process.hrtime(), String(process.hrtime.bigint())];",
    expected: "held",
  },
  {
    name: "hrtime captured",
    top: "import { hrtime } from 'node:process'; const { bigint } = hrtime;",
    each: "return String(bigint());",
    expected: "held",
    on: BOUND_ON_DENO,
  },
  {
    name: "process.uptime",
    top: "import process from 'node:process';",
    each: "return process.uptime();",
    expected: "held",
  },
];

const TIMERS: readonly Row[] = [
  {
    name: "setTimeout captured",
    top: "const { setTimeout: later } = globalThis;",
    each: "await new Promise((resolve) => later(resolve, 30));",
    expected: "held",
  },
  {
    name: "setTimeout of node:timers",
    top: "import timers from 'node:timers';",
    each: "await new Promise((resolve) => timers.setTimeout(resolve, 30));",
    expected: "held",
  },
  {
    name: "setTimeout imported from node:timers",
    top: "import { setTimeout as later } from 'node:timers';",
    each: "await new Promise((resolve) => later(resolve, 30));",
    expected: "held",
    on: BOUND_ON_DENO,
  },
  {
    name: "timers/promises",
    top: "import timers from 'node:timers/promises';",
    each: "return await timers.setTimeout(30, 'rested');",
    expected: "held",
  },
  {
    name: "setTimeout imported from timers/promises",
    top: "import { setTimeout as rest } from 'node:timers/promises';",
    each: "return await rest(30, 'rested');",
    expected: "held",
    on: BOUND_ON_DENO,
  },
  {
    name: "setInterval of timers/promises",
    top: "import timers from 'node:timers/promises';",
    each: "let n = 0; for await (const _ of timers.setInterval(10)) if (++n === 3) break; return n;",
    expected: "held",
  },
  {
    name: "scheduler.wait",
    top: "import timers from 'node:timers/promises';",
    each: "await timers.scheduler.wait(20); await timers.scheduler.yield();",
    expected: "held",
  },
  {
    name: "util.promisify(setTimeout)",
    top: "import { promisify } from 'node:util'; const rest = promisify(setTimeout);",
    each: "return await rest(20, 'rested');",
    expected: "held",
  },
  {
    name: "setImmediate",
    each: "await new Promise((resolve) => setImmediate(resolve));",
    expected: "held",
  },
  {
    name: "AbortSignal.timeout",
    each: "const s = AbortSignal.timeout(20); await new Promise((r) => s.addEventListener('abort', r)); return s.reason.name;",
    expected: "held",
  },
  {
    name: "a timer that is refreshed, unreferenced and disposed of",
    each: "const t = setTimeout(() => {}, 5); t.unref(); t.refresh(); clearTimeout(t); return t.hasRef?.() ?? true;",
    expected: "held",
  },
  {
    name: "a timer's number, and a timer cleared by it",
    each: "let fired = 0; const one = Number(setTimeout(() => { fired += 1; }, 2)); clearTimeout(one); const two = setInterval(() => { fired += 1; }, 2); clearInterval(String(Number(two)) as any); await new Promise((r) => setTimeout(r, 9)); return [one, Number(two), fired];",
    expected: "held",
  },
  {
    name: "an interval that is set while the module is loaded",
    top: "setInterval(() => {}, 1_000);",
    each: "return 1;",
    expected: { refused: "a timer that is set while it is loaded" },
  },
  {
    name: "an unreferenced interval of a library",
    top: "(setInterval(() => {}, 1_000) as any).unref?.();",
    each: "return 1;",
    expected: "held",
  },
  {
    name: "100,000 microtasks",
    each: "for (let n = 0; n < 100_000; n += 1) await null;",
    expected: "held",
  },
];

const CHANCE: readonly Row[] = [
  {
    name: "Math.random captured",
    top: "const { random } = Math;",
    each: "return random();",
    expected: "held",
  },
  {
    name: "crypto.randomUUID captured",
    top: "const uuid = crypto.randomUUID.bind(crypto);",
    each: "return uuid();",
    expected: "held",
  },
  {
    name: "crypto.getRandomValues",
    each: "return crypto.getRandomValues(new Uint8Array(8));",
    expected: "held",
  },
  {
    name: "randomness of node:crypto",
    top: "import crypto from 'node:crypto';",
    each: "return [crypto.randomUUID(), crypto.randomBytes(4).toString('hex'), crypto.randomInt(1000)];",
    expected: "held",
  },
  {
    name: "randomness imported from node:crypto",
    top: "import { randomBytes, randomInt, randomUUID, randomFillSync } from 'node:crypto';",
    each: "return [randomUUID(), randomBytes(4).toString('hex'), randomInt(5, 1000), randomFillSync(new Uint8Array(3))];",
    expected: "held",
    on: BOUND_ON_DENO,
  },
  {
    name: "randomBytes with a callback",
    top: "import crypto from 'node:crypto';",
    each: "return await new Promise((resolve) => crypto.randomBytes(4, (_, b) => resolve(b.toString('hex'))));",
    expected: "held",
  },
  {
    name: "an identity drawn at import",
    top: "const id = crypto.randomUUID();",
    each: "return id;",
    expected: "held",
  },
];

const IDENTITY: readonly Row[] = [
  {
    name: "process.pid",
    top: "import process from 'node:process';",
    each: "return [process.pid, process.ppid];",
    expected: "held",
  },
  {
    name: "memory and processor figures",
    top: "import process from 'node:process';",
    each: "return [process.memoryUsage(), process.memoryUsage.rss(), process.cpuUsage()];",
    expected: "held",
  },
  {
    name: "the host's name and load",
    top: "import os from 'node:os';",
    each: "return [os.hostname(), os.freemem(), os.loadavg(), os.uptime()];",
    expected: "held",
  },
];

const WORK: readonly Row[] = [
  {
    name: "crypto.subtle.digest",
    each: "return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(9)));",
    expected: "held",
  },
  {
    name: "ten digests at once, in the order of their completion",
    each: "const order: number[] = []; await Promise.all([...Array(10).keys()].map(async (n) => { await crypto.subtle.digest('SHA-256', new Uint8Array(10 ** (6 - (n % 6)))); order.push(n); })); return order;",
    expected: "held",
  },
  {
    name: "pbkdf2 and scrypt",
    top: "import crypto from 'node:crypto';",
    each: "const a = new Promise((r) => crypto.pbkdf2('p', 's', 50, 8, 'sha1', (_, k) => r(k.toString('hex')))); const b = new Promise((r) => crypto.scrypt('p', 's', 8, { N: 16 }, (_, k) => r(k.toString('hex')))); return await Promise.race([a, b]);",
    expected: "held",
  },
  {
    name: "zlib.gzip",
    top: "import zlib from 'node:zlib';",
    each: "return await new Promise((r) => zlib.gzip('text', (_, b) => r(b.length)));",
    expected: "held",
  },
  {
    name: "a zlib stream",
    top: "import { createGzip } from 'node:zlib';",
    each: "const z = createGzip(); let n = 0; z.on('data', (b) => (n += b.length)); z.write('a'.repeat(50_000)); z.end('b'); await new Promise((r) => z.on('end', r)); return n;",
    expected: "held",
    on: BOUND_ON_DENO,
  },
  {
    name: "CompressionStream",
    each: "const s = new Blob(['text'.repeat(1000)]).stream().pipeThrough(new CompressionStream('gzip')); return (await new Response(s).arrayBuffer()).byteLength;",
    expected: "held",
  },
  {
    name: "fs.readFile",
    top: "import fs from 'node:fs'; import { fileURLToPath } from 'node:url'; const file = fileURLToPath(import.meta.url);",
    each: "return await new Promise((r) => fs.readFile(file, 'utf8', (_, t) => r(t.length)));",
    expected: "held",
  },
  {
    name: "fs.promises",
    top: "import fs from 'node:fs'; import { fileURLToPath } from 'node:url'; const file = fileURLToPath(import.meta.url);",
    each: "const h = await fs.promises.open(file); const t = await h.readFile('utf8'); await h.close(); return [t.length, (await fs.promises.stat(file)).size];",
    expected: "held",
  },
  {
    name: "readFile imported from fs/promises",
    top: "import { readFile } from 'node:fs/promises'; import { fileURLToPath } from 'node:url'; const file = fileURLToPath(import.meta.url);",
    each: "return (await readFile(file, 'utf8')).length;",
    expected: "held",
    on: BOUND_ON_DENO,
  },
  {
    name: "fs.createReadStream",
    top: "import fs from 'node:fs'; import { fileURLToPath } from 'node:url'; const file = fileURLToPath(import.meta.url);",
    each: "let n = 0; for await (const c of fs.createReadStream(file, { highWaterMark: 64 })) n += c.length; return n;",
    expected: "held",
  },
  {
    name: "WebAssembly.compile",
    each: "return String(await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));",
    expected: "held",
  },
  {
    name: "dynamic import",
    each: "return typeof (await import('node:querystring')).default;",
    expected: "held",
  },
  {
    name: "Blob, Response and ReadableStream",
    each: "return [await new Blob(['ab']).text(), await new Response('cd').text(), await new Response(new Blob(['e'])).text()];",
    expected: "held",
  },
  {
    name: "structuredClone and MessageChannel",
    each: "const c = new MessageChannel(); const got = new Promise((r) => (c.port1.onmessage = (e) => r(e.data))); c.port2.postMessage(structuredClone({ a: 1 })); const m = await got; c.port1.close(); return m;",
    expected: "held",
  },
  {
    name: "AsyncLocalStorage.snapshot made at import",
    top: "import { AsyncLocalStorage } from 'node:async_hooks'; const outside = AsyncLocalStorage.snapshot();",
    each: "return outside(() => [Date.now(), Math.random()]);",
    expected: "held",
    on: {},
  },
  {
    name: "AsyncResource.bind made at import",
    top: "import { AsyncResource } from 'node:async_hooks'; const outside = AsyncResource.bind(() => Date.now());",
    each: "return outside();",
    expected: "held",
  },
];

const REFUSED: readonly Row[] = [
  { name: "fetch", each: "await fetch('http://127.0.0.1:9/');", expected: { refused: "fetch" } },
  {
    name: "fetch that is caught",
    each: "await fetch('http://127.0.0.1:9/').catch(() => 1);",
    expected: { refused: "fetch" },
  },
  {
    name: "net.connect",
    top: "import net from 'node:net';",
    each: "net.connect(9, '127.0.0.1').on('error', () => {});",
    expected: { refused: "net.connect" },
  },
  {
    name: "a socket of its own",
    top: "import { Socket } from 'node:net';",
    each: "new Socket().connect(9, '127.0.0.1').on('error', () => {});",
    expected: { refused: "net.Socket.connect" },
  },
  {
    name: "a server",
    top: "import { createServer } from 'node:net';",
    each: "createServer().listen(0);",
    expected: { refused: "net.Server.listen" },
    on: BOUND_ON_DENO,
  },
  {
    name: "http.get",
    top: "import http from 'node:http';",
    each: "http.get('http://127.0.0.1:9/').on('error', () => {});",
    expected: { refused: "http.get" },
  },
  {
    name: "dns.lookup",
    top: "import dns from 'node:dns';",
    each: "dns.lookup('localhost', () => {});",
    expected: { refused: "dns.lookup" },
  },
  {
    name: "dgram",
    top: "import dgram from 'node:dgram';",
    each: "dgram.createSocket('udp4').bind(0);",
    expected: { refused: "dgram.createSocket" },
  },
  {
    name: "child_process.exec",
    top: "import cp from 'node:child_process';",
    each: "cp.exec('true');",
    expected: { refused: "child_process.exec" },
  },
  {
    name: "a worker thread",
    top: "import wt from 'node:worker_threads';",
    each: "new wt.Worker('setInterval(() => {}, 9)', { eval: true });",
    expected: { refused: "worker_threads.Worker" },
  },
  {
    name: "a worker that is started at import",
    top: "import wt from 'node:worker_threads'; new wt.Worker('for (;;) {}', { eval: true });",
    each: "return 1;",
    expected: { refused: "worker_threads.Worker" },
  },
  {
    name: "fs.writeFile",
    top: "import fs from 'node:fs';",
    each: "fs.writeFile('/nowhere/x', 'x', () => {});",
    expected: { refused: "fs.writeFile" },
  },
  {
    name: "fs.appendFileSync",
    top: "import fs from 'node:fs';",
    each: "fs.appendFileSync('/nowhere/x', 'x');",
    expected: { refused: "fs.appendFileSync" },
  },
  {
    name: "WebSocket",
    each: "new WebSocket('ws://127.0.0.1:9/');",
    expected: { refused: "WebSocket" },
  },
  {
    name: "Atomics.wait",
    each: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);",
    expected: { refused: "Atomics.wait" },
  },
];

const PROCESS = "import process from 'node:process';";

/** What code does to the process that it shares with the kit. */
const PROCESS_STATE: readonly Row[] = [
  {
    name: "standard input, by events",
    top: PROCESS,
    each: "process.stdin.on('data', () => {});",
    expected: { refused: "process.stdin" },
  },
  {
    name: "standard input, awaited",
    top: PROCESS,
    each: "for await (const _ of process.stdin) continue;",
    expected: { refused: "process.stdin" },
  },
  {
    name: "handlers of signals and of the exit",
    top: PROCESS,
    each: "for (const name of ['SIGINT', 'exit', 'uncaughtException']) process.on(name, () => { process.exitCode = 9; }); return process.listenerCount('exit');",
    expected: "held",
  },
  {
    name: "a signal that it emits itself",
    top: PROCESS,
    each: "let heard = 0; process.once('SIGTERM', () => (heard += 1)); process.emit('SIGTERM' as any); return heard;",
    expected: "held",
  },
  {
    name: "all listeners of the process removed",
    top: PROCESS,
    each: "process.removeAllListeners(); void Promise.reject(new Error('boom'));",
    expected: { uncaught: "Error" },
  },
  {
    name: "process.exitCode",
    top: PROCESS,
    each: "process.exitCode = 5;",
    expected: "held",
  },
  {
    name: "a counter in process.env",
    top: PROCESS,
    each: "return (process.env.COUNT = String(Number(process.env.COUNT ?? 0) + 1));",
    expected: "held",
  },
  {
    name: "process.chdir",
    top: PROCESS,
    each: "const folder = process.cwd(); process.chdir('..'); return folder;",
    expected: "held",
  },
  {
    name: "whether it lives itself",
    top: PROCESS,
    each: "return process.kill(process.pid, 0);",
    expected: "held",
  },
  {
    name: "a signal to another process",
    top: PROCESS,
    each: "process.kill(99999999, 'SIGTERM');",
    expected: { refused: "process.kill" },
  },
  {
    name: "a member that all objects have",
    each: "const all = Object.prototype as any; Object.defineProperty(all, 'odd', { value: (all.odd ?? 0) + 1, configurable: true }); return all.odd;",
    expected: "held",
  },
  {
    name: "Error.prepareStackTrace",
    each: "(Error as any).prepareStackTrace = () => 'odd'; await fetch('http://127.0.0.1:9/').catch(() => 1);",
    expected: { refused: "fetch" },
  },
];

/** What shows the machine, or the work of the runtime itself. */
const RUNTIME: readonly Row[] = [
  {
    name: "processors, load and addresses",
    top: "import os from 'node:os';",
    each: "return [os.cpus(), os.availableParallelism(), os.networkInterfaces(), os.totalmem()];",
    expected: "held",
  },
  {
    name: "figures of the heap",
    top: "import v8 from 'node:v8';",
    each: "return [v8.getHeapStatistics(), v8.getHeapSpaceStatistics?.()];",
    expected: "held",
  },
  {
    name: "navigator",
    each: "return [navigator.hardwareConcurrency, navigator.language];",
    expected: "held",
  },
  {
    name: "a delay of the event loop",
    top: "import { performance, monitorEventLoopDelay as monitor } from 'node:perf_hooks';",
    each: "const h = monitor(); h.enable(); await new Promise((r) => setTimeout(r, 20)); return [h.max, performance.eventLoopUtilization()];",
    expected: "held",
  },
  {
    name: "a weak reference",
    each: "const weak = new WeakRef({}); await new Promise((r) => setTimeout(r, 50)); (globalThis as any).gc?.(); return weak.deref() === undefined;",
    expected: "held",
  },
  {
    name: "a finalizer",
    each: "let freed = 0; const r = new FinalizationRegistry(() => (freed += 1)); for (let n = 0; n < 500; n += 1) r.register(new Array(1000), n); await new Promise((r) => setTimeout(r, 50)); return freed;",
    expected: "held",
  },
  {
    name: "numbers of asynchronous resources",
    top: "import hooks from 'node:async_hooks';",
    each: "return [hooks.executionAsyncId?.(), new hooks.AsyncResource('odd').asyncId()];",
    expected: "held",
  },
  {
    name: "time and chance of a new context",
    top: "import vm from 'node:vm';",
    each: "return vm.runInNewContext('[Date.now(), Math.random(), new Date().getTime()]');",
    expected: "held",
  },
  {
    name: "a context made at import",
    top: "import vm from 'node:vm'; const context = vm.createContext({});",
    each: "return vm.runInContext('[Date.now(), Math.random()]', context);",
    expected: "held",
  },
  {
    name: "a database in memory",
    top: PROCESS,
    each: "const { DatabaseSync } = (process as any).getBuiltinModule('node:sqlite') ?? {}; if (!DatabaseSync) return 0; const d = new DatabaseSync(':memory:'); const row = d.prepare('select 7 as n').get(); d.close(); return row;",
    expected: "held",
  },
  {
    name: "a database in a file",
    top: "import { DatabaseSync } from 'node:sqlite';",
    each: "new DatabaseSync('/nowhere/odd.db');",
    expected: { refused: "sqlite.DatabaseSync on a file" },
  },
  {
    name: "a file opened for writing",
    top: "import fs from 'node:fs';",
    each: "fs.closeSync(fs.openSync('/nowhere/odd', 'w'));",
    expected: { refused: "fs.openSync for writing" },
  },
  {
    name: "standard input as a file",
    top: "import fs from 'node:fs';",
    each: "return fs.readFileSync(0, 'utf8');",
    expected: { refused: "fs.readFileSync of standard input" },
  },
  {
    name: "chance of a device",
    top: "import fs from 'node:fs';",
    each: "return fs.openSync('/dev/urandom', 'r');",
    expected: { refused: "fs.openSync of /dev/urandom" },
  },
  {
    name: "a resolver of its own",
    top: "import dns from 'node:dns';",
    each: "new dns.Resolver().resolve4('localhost', () => {});",
    expected: { refused: "dns.Resolver.resolve4" },
  },
  {
    name: "time and chance of SQL",
    top: "import process from 'node:process';",
    each: "const { DatabaseSync } = (process as any).getBuiltinModule('node:sqlite') ?? {}; if (!DatabaseSync) return 0; const d = new DatabaseSync(':memory:'); d.exec(\"create table t (a, at default current_timestamp, b default (strftime('%s', 'now'))); insert into t (a) values (1)\"); const rows = [d.prepare(\"select random() % 1000 as r, hex(randomblob(4)) as b, datetime('now', '+1 day') as d, julianday() as j, unixepoch('subsec') as u, date(0, 'unixepoch') as z\").get(), d.prepare('select * from t').get()]; d.close(); return rows;",
    expected: "held",
  },
  {
    name: "the time between two calls, in a histogram",
    top: "import hooks from 'node:perf_hooks';",
    each: "const h = hooks.createHistogram(); h.recordDelta(); await new Promise((r) => setTimeout(r, 3)); h.recordDelta(); return [h.min, h.max];",
    expected: "held",
  },
  {
    name: "a module's own hooks",
    top: "import module from 'node:module';",
    each: "(module as any).registerHooks?.({});",
    expected: { refused: "module.registerHooks" },
    on: { bun: "held" },
  },
  {
    name: "node:test",
    top: PROCESS,
    each: "if (process.versions.bun || process.versions.deno) return 0; await (process as any).getBuiltinModule('node:test')('odd', () => {});",
    expected: { refused: "node:test" },
    on: { deno: "held", bun: "held" },
  },
  {
    name: "the boundary of a form",
    each: "const form = new FormData(); form.set('a', 'b'); return new Response(form).headers.get('content-type');",
    expected: { refused: "Response of a FormData" },
  },
  {
    name: "the URL of a blob",
    each: "return URL.createObjectURL(new Blob(['x']));",
    expected: { refused: "URL.createObjectURL" },
  },
  {
    name: "standard output ended",
    top: PROCESS,
    each: "process.stdout.end('the last words'); process.stdout.destroy();",
    expected: "held",
  },
  {
    name: "a text that is thrown",
    each: "setTimeout(() => { throw 'just words'; }, 1);",
    expected: { uncaught: '"just words"' },
  },
  {
    name: "an error that cannot be read",
    each: "setTimeout(() => { throw new (class extends Error { override get message(): string { throw new Error('inner'); } })(); }, 1);",
    expected: { uncaught: "an error that cannot be read" },
  },
  {
    name: "a counter on globalThis",
    each: "const g = globalThis as any; g.__odd = (g.__odd ?? 0) + 1; return g.__odd;",
    expected: "held",
  },
  {
    name: "node:domain",
    top: PROCESS,
    each: "(process as any).getBuiltinModule('node:domain').create();",
    expected: { refused: "node:domain" },
    // Theirs hooks into nothing.
    on: { deno: "held", bun: "held" },
  },
  {
    name: "node:wasi",
    top: PROCESS,
    each: "new ((process as any).getBuiltinModule('node:wasi').WASI)({ version: 'preview1' });",
    expected: { refused: "wasi.WASI" },
  },
  {
    name: "a warning that comes once in a process",
    top: PROCESS,
    each: "const all = globalThis as any; if (all.warned === undefined) process.emitWarning('odd'); all.warned = 1;",
    expected: "held",
  },
  {
    name: "console.count and console.time",
    each: "console.time('a'); console.count('a'); await null; console.timeEnd('a');",
    expected: "held",
  },
];

const BOOM = { uncaught: "Error" } as const;

const MISBEHAVIOUR: readonly Row[] = [
  {
    name: "a throw in a timer",
    each: "setTimeout(() => { throw new Error('boom'); }, 10);",
    expected: BOOM,
  },
  {
    name: "a throw in setImmediate",
    each: "setImmediate(() => { throw new TypeError('boom'); });",
    expected: { uncaught: "TypeError" },
  },
  {
    name: "a throw in an interval",
    each: "const i = setInterval(() => { clearInterval(i); throw new Error('boom'); }, 10);",
    expected: BOOM,
  },
  {
    name: "a throw in nextTick",
    top: "import process from 'node:process';",
    each: "process.nextTick(() => { throw new Error('boom'); });",
    expected: BOOM,
  },
  {
    name: "a throw in a microtask",
    each: "queueMicrotask(() => { throw new Error('boom'); });",
    expected: BOOM,
  },
  {
    name: "a throw in the callback of real work",
    top: "import zlib from 'node:zlib';",
    each: "zlib.gzip('x', () => { throw new Error('boom'); });",
    expected: BOOM,
  },
  {
    name: "an error event that nobody hears",
    top: "import { EventEmitter } from 'node:events';",
    each: "setTimeout(() => new EventEmitter().emit('error', new Error('boom')), 5);",
    expected: BOOM,
  },
  {
    name: "a rejection that nobody handles",
    each: "void Promise.reject(new Error('boom'));",
    expected: BOOM,
  },
  {
    name: "process.exit",
    top: "import process from 'node:process';",
    each: "process.exit(0);",
    expected: { uncaught: "ProcessExited" },
  },
  {
    name: "console.log",
    each: "console.log('hello', { a: 1 }); console.error('there');",
    expected: "held",
  },
  {
    name: "process.stdout.write",
    top: "import process from 'node:process';",
    each: "process.stdout.write('hello\\n');",
    expected: "held",
  },
];

/** Every row is tried as a producer; those that need no broker as an operator, too. */
export const CORPUS: readonly Row[] = [
  ...TIME,
  ...TIMERS,
  ...CHANCE,
  ...IDENTITY,
  ...WORK,
  ...REFUSED,
  ...PROCESS_STATE,
  ...RUNTIME,
  ...MISBEHAVIOUR,
  ...KEY_ROWS,
];
