/**
 * Puts the gates of a simulated run in place: import it before the code under test, so that what
 * that code captures at its import is virtual, too. Outside of runs everything passes through.
 *
 * ```ts
 * // vitest.config.ts
 * export default { test: { setupFiles: ["faultlane/virtual"] } };
 * ```
 *
 * What each runtime can see:
 *
 * - Globals (Date, timers, performance, Math.random, crypto, Intl, fetch): everywhere.
 * - Members of node: modules, `crypto.randomBytes(8)`: on Node, Deno and Bun.
 * - Named imports of node: modules, `import { randomBytes }`: on Node and Bun. Deno binds them for
 *   good; the command line refuses them there by their names.
 * - What was captured before this module was loaded: on Node timers and sockets are refused when
 *   they are used; the other runtimes do not see them.
 * - `process.pid` and `process.ppid`: fixed values on Node and Bun; on Deno the machine's.
 * - `process`: listeners that code registers are its run's own, and no signal comes; reading
 *   `process.stdin` is refused. Environment, working folder, exit code and the members of built-in
 *   objects are put back after each run: on Node, Deno and Bun.
 * - Figures of processors, memory and heap are fixed, weak references live as long as the run and
 *   no finalizer is called: on Node, Deno and Bun. New contexts of `node:vm` have the run's time and
 *   chance.
 * - Files are only read: opening one for writing, a database in a file, standard input, /proc,
 *   /sys and /dev are refused. What SQL itself draws in a database in memory, and key pairs that
 *   `node:crypto` generates, are the machine's, and left to the second run.
 * - Other code of the process, while a run lasts, passes through where there is an async context:
 *   not in a browser.
 *
 * What it cannot see is found by a second run: a check that gives two results is not judged.
 *
 * @module
 */
import { installRealm } from "./install.ts";

installRealm();

export { FrozenGlobals } from "./frozen-globals.ts";
export { NotVirtual, type RealUse } from "./not-virtual.ts";
