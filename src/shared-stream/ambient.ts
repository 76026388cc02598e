import { type AsyncContext, createAsyncContext } from "../platform/mod.ts";
import { type Logger, consoleLogger } from "../time/mod.ts";

/** Where an ambient reject goes. */
export interface RejectTarget {
  /** Rejects the event of `window` if that window is still open, and logs a warning if not. */
  rejectIfOpen(window: number | undefined): void;
}

/** The window that one pull opens, as stored in the async context of the task that pulled. */
export interface AmbientWindow {
  readonly target: RejectTarget;
  /** Identifies the window; undefined until the pull brings an event. */
  number: number | undefined;
}

/** Stands for whichever window is open at the moment of the reject. */
export const ANY_WINDOW = -1;

/** Undefined until the first stream is pulled; null where the runtime has no async context. */
let context: AsyncContext<AmbientWindow> | null | undefined;
/** The logger of the manager that entered a context last. */
let logger: Logger = consoleLogger;
/** The target of the synchronous filter that is running. */
let visited: RejectTarget | undefined;

/**
 * Rejects the event that the calling filter works on: the ambient form of `stream.reject()`, for
 * code that has no reference to the stream.
 *
 * Holds: where no window is open it logs a warning and does nothing. That is so on the fast path,
 * in a standalone trigger, between two events, in a task that outlived its window, and on a runtime
 * without async context (Node, Deno and Bun have one).
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, reject_shared_stream_event()
 *
 * @example
 * ```ts
 * import { rejectSharedStreamEvent, type SharedStream, TriggerEvent } from "faultlane";
 *
 * function parse(text: string): unknown {
 *   try {
 *     return JSON.parse(text);
 *   } catch {
 *     rejectSharedStreamEvent(); // dead-letters the event
 *     return undefined;
 *   }
 * }
 *
 * async function* filterSharedStream(stream: SharedStream<string>): AsyncGenerator<TriggerEvent> {
 *   for await (const text of stream) {
 *     const order = parse(text);
 *     if (order !== undefined) yield new TriggerEvent(order);
 *   }
 * }
 * ```
 */
export function rejectSharedStreamEvent(): void {
  if (visited !== undefined) {
    visited.rejectIfOpen(ANY_WINDOW);
    return;
  }
  const window = context?.get();
  if (window === undefined) warnOutsideWindow();
  else window.target.rejectIfOpen(window.number);
}

/**
 * Stores this pull's window in the async context of the current task, for
 * `rejectSharedStreamEvent`; undefined where the runtime has no async context.
 *
 * Why so: the filter's continuation inherits the context that was entered before it awaited the
 * pull, so that no driver has to cooperate. Each pull has a window of its own, whatever that costs
 * (a seventh of the processor time of an event with one subscriber, by `npm run bench:ambient`),
 * because a task that was started in an earlier window must not reject a later event (E-09).
 */
export function enterWindow(target: RejectTarget, log: Logger): AmbientWindow | undefined {
  context ??= createAsyncContext<AmbientWindow>() ?? null;
  if (context === null) return undefined;
  logger = log;
  const window: AmbientWindow = { target, number: undefined };
  context.enter(window);
  return window;
}

/**
 * Stores a window that is open in the async context of the current task, unless it is there.
 *
 * Why so: a generator that goes on after a `yield` runs in the context of its driver, in which the
 * window of an earlier pull is stored if the filter pulled more than once since. A driver binds
 * what was yielded before it lets the filter go on, so a bind enters the open window.
 */
export function enterOpenWindow(window: AmbientWindow | undefined): void {
  if (window === undefined || context?.get() === window) return;
  context?.enter(window);
}

/** Makes ambient rejects go to `target` until `endVisit`. Visits do not nest. */
export function beginVisit(target: RejectTarget): void {
  visited = target;
}

export function endVisit(): void {
  visited = undefined;
}

/**
 * Clears the window in the async context of the current task. A driver calls it after it made the
 * first pull of one stream and before it starts another task, which would inherit the window.
 */
export function clearAmbientWindow(): void {
  context?.enter(NO_WINDOW);
}

function warnOutsideWindow(): void {
  logger.warn("Cannot reject a shared stream event outside an ack-mode binding window");
}

const NO_WINDOW: AmbientWindow = {
  target: { rejectIfOpen: warnOutsideWindow },
  number: undefined,
};
