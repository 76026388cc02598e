import type { Logger } from "../time/mod.ts";
import {
  type AmbientWindow,
  ANY_WINDOW,
  contextEntries,
  enterWindow,
  type RejectTarget,
  stayInWindow,
} from "./ambient.ts";

/**
 * The first 64 pulls of a stream each enter their own async context. If no filter of the group has
 * used the ambient reject by then, the stream keeps one context for all its pulls, and returns to
 * one for each pull as soon as a filter uses it.
 *
 * This saves a third of the time of an event. The price: if the first ambient reject of a group
 * comes after 64 pulls, and from a task that has outlived its window, it rejects the open event.
 *
 * That price cannot be avoided: a generator that goes on after a `yield` runs in the context of
 * whoever drives it, in which an earlier window may be stored.
 */
const PULLS_WITH_OWN_CONTEXT = 64;

/**
 * When a pull finds the stream's window in its context, the next 64 are assumed to come from the
 * same task and are not checked, unless some stream enters a context in between.
 *
 * The price: a stream that moves to a task which pulled another stream before is noticed this late;
 * until then a first ambient reject goes to the other stream.
 */
const PULLS_WITHOUT_CHECK = 64;

/** Whether any filter of a group has used the ambient reject. */
export interface AmbientUse {
  isUsed: boolean;
}

/** Decides, pull by pull, which async context a stream enters. */
export class AmbientEntry {
  readonly #target: RejectTarget;
  readonly #group: AmbientUse;
  readonly #logger: Logger;
  readonly #anyWindow: AmbientWindow;
  #ownContextsLeft = PULLS_WITH_OWN_CONTEXT;
  #uncheckedPullsLeft = 0;
  /** Whether the last pull shares its context with others of this stream. */
  #isShared = false;
  /** `contextEntries()` at the last check. */
  #entriesSeen = 0;

  constructor(target: RejectTarget, group: AmbientUse, logger: Logger) {
    this.#target = target;
    this.#group = group;
    this.#logger = logger;
    this.#anyWindow = { target, number: ANY_WINDOW };
  }

  /** Records an ambient reject through `window`; returns the window that it means. */
  noteUse(window: number | undefined): number | undefined {
    this.#group.isUsed = true;
    return this.#isShared ? ANY_WINDOW : window;
  }

  /** Enters the context of a pull; returns the pull's window if it has one of its own. */
  enter(): AmbientWindow | undefined {
    if (this.#ownContextsLeft > 0 || this.#group.isUsed) {
      this.#ownContextsLeft -= 1;
      this.#isShared = false;
      return enterWindow(this.#target, this.#logger);
    }
    this.#isShared = true;
    if (this.#uncheckedPullsLeft > 0 && this.#entriesSeen === contextEntries()) {
      this.#uncheckedPullsLeft -= 1;
      return undefined;
    }
    const wasThere = stayInWindow(this.#anyWindow, this.#logger);
    this.#uncheckedPullsLeft = wasThere ? PULLS_WITHOUT_CHECK : 0;
    this.#entriesSeen = contextEntries();
    return undefined;
  }
}
