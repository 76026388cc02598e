/**
 * What a runtime provides: its clock, its async context, what it has open. The only part of the
 * package that looks at the runtime.
 *
 * ```ts
 * import { sleep } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const start = systemClock.now();
 * await sleep(systemClock, 5);
 * console.log(systemClock.now() > start); // => true
 * ```
 *
 * - Importing it has no effect and fails in no runtime; each function looks for what it needs when
 *   it is called.
 *
 * @module
 */
export { type AsyncContext, bindAsyncContext, createAsyncContext } from "./async-context.ts";
export {
  type AsyncResourceListener,
  type AsyncResourceWatch,
  watchAsyncResources,
} from "./async-resources.ts";
export { builtinModule, syncBuiltinModules } from "./builtin-modules.ts";
export { type LoadedModule, loadedModules } from "./loaded-modules.ts";
export { openResources, openSockets } from "./open-resources.ts";
export { systemClock } from "./system-clock.ts";
export {
  onUncaughtException,
  onUnhandledRejection,
  uncaughtErrorsKeepContext,
  type UncaughtListener,
} from "./uncaught-errors.ts";
export { utf8Bytes, type Utf8Bytes, utf8BytesFrom } from "./utf8-bytes.ts";
