import { type AsyncContext, createAsyncContext } from "../platform/mod.ts";
import { type Logger, silentLogger } from "../time/mod.ts";

/** What a reject, ambient or not, is about. */
export interface RejectTarget {
  /** Rejects the event of the window if it is still the open one; otherwise warns. */
  rejectIfOpen(window: number | undefined): void;
}

/** The window that one pull opened, as the code that runs in it finds it. */
export interface AmbientWindow {
  readonly target: RejectTarget;
  /** Undefined before an event came. */
  number: number | undefined;
}

/** Undefined until the first stream is pulled; null where the runtime has no async context. */
let context: AsyncContext<AmbientWindow> | null | undefined;
let logger: Logger = silentLogger;
let marks = 0;
/** The subscriber whose synchronous filter runs at this moment. */
let visited: RejectTarget | undefined;

/** A window that stands for whichever is open at the call. */
export const ANY_WINDOW = -1;

/**
 * Marks the current task as the one that works on the event which this pull will bring.
 *
 * Why so: the filter's continuation inherits what was entered before it awaited the pull, so no
 * driver has to cooperate; and because each pull has a mark of its own, a task that was started in
 * an earlier window cannot reject a later event (spec E-09).
 */
export function enterWindow(target: RejectTarget, log: Logger): AmbientWindow | undefined {
  const window: AmbientWindow = { target, number: undefined };
  return enter(window, log) ? window : undefined;
}

/**
 * Marks the current task with a window that it may be marked with already; answers whether it was.
 */
export function stayInWindow(window: AmbientWindow, log: Logger): boolean {
  if (context?.get() === window) return true;
  enter(window, log);
  return false;
}

/** How often a task was marked: while it stays the same, no mark has taken the place of another. */
export function marksMade(): number {
  return marks;
}

/**
 * Rejects the raw event that the calling filter works on; the ambient form of `stream.reject()`.
 *
 * Holds: outside an open window (the fast path, a standalone trigger, between two raw events, a
 * runtime without an async context) it warns and does nothing.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, reject_shared_stream_event()
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
 * A synchronous filter is about to run: until `leaveVisit`, or until another one does, the ambient
 * reject is about its window. None runs within another.
 */
export function enterVisit(target: RejectTarget): void {
  visited = target;
}

export function leaveVisit(): void {
  visited = undefined;
}

/**
 * Leaves the window that the current task entered by pulling; the filter that it started keeps its
 * own.
 *
 * For a driver that starts several filters in one task: a filter runs in its driver's task up to
 * its first pull, and the mark of that pull would pass to whatever the driver starts next.
 */
export function leaveEventWindow(): void {
  marks += 1;
  context?.enter(NO_WINDOW);
}

function enter(window: AmbientWindow, log: Logger): boolean {
  context ??= createAsyncContext<AmbientWindow>() ?? null;
  if (context === null) return false;
  logger = log;
  marks += 1;
  context.enter(window);
  return true;
}

function warnOutsideWindow(): void {
  logger.warn("Cannot reject a shared stream event outside an ack-mode binding window");
}

const NO_WINDOW: AmbientWindow = {
  target: { rejectIfOpen: warnOutsideWindow },
  number: undefined,
};
