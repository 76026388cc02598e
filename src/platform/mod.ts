/**
 * What a runtime offers: its clock, its async context. The one room of `src` that may name a
 * runtime.
 *
 * - Nothing here is touched before it is used: importing costs nothing and fails nowhere.
 *
 * @module
 */
export { type AsyncContext, createAsyncContext } from "./async-context.ts";
export { openResources, openSockets } from "./open-resources.ts";
export { systemClock } from "./system-clock.ts";
export { onUnhandledRejection } from "./unhandled-rejections.ts";
export { utf8Bytes, type Utf8Bytes } from "./utf8-bytes.ts";
