import type { JourneyStep, JourneySubject } from "./model/journey.ts";
import type { RunModel } from "./model/run-model.ts";

/** What a listener is called for: something of the page that has changed. */
export type Change = "cursor" | "journey" | "search" | "view";

/** A chosen journey and its steps. */
export interface ChosenJourney {
  readonly subject: JourneySubject;
  readonly steps: readonly JourneyStep[];
}

/**
 * What the panels of a page share: the cursor, the chosen journey, what was searched for.
 *
 * Holds: listeners are called once for each change, before the next frame is drawn.
 */
export class PageState {
  readonly run: RunModel;
  #cursor = 0;
  #journey: ChosenJourney | undefined;
  #found: Uint32Array | undefined;
  readonly #changed = new Set<Change>();
  readonly #listeners: { readonly to: ReadonlySet<Change>; readonly listener: () => void }[] = [];

  constructor(run: RunModel) {
    this.run = run;
  }

  /** The event that the page is about now. */
  get cursor(): number {
    return this.#cursor;
  }

  get journey(): ChosenJourney | undefined {
    return this.#journey;
  }

  /** The events that were searched for. */
  get found(): Uint32Array | undefined {
    return this.#found;
  }

  /** Calls `listener` after any of these changes. */
  on(changes: readonly Change[], listener: () => void): void {
    this.#listeners.push({ to: new Set(changes), listener });
  }

  moveTo(event: number): void {
    const last = Math.max(this.run.trace.length - 1, 0);
    this.#cursor = Math.min(Math.max(event, 0), last);
    this.changed("cursor");
  }

  chooseJourney(subject: JourneySubject | undefined): void {
    this.#journey = subject && { subject, steps: this.run.journey(subject) };
    this.changed("journey");
  }

  showFound(events: Uint32Array | undefined): void {
    this.#found = events;
    this.changed("search");
  }

  /** Notes a change; the listeners are called before the next frame. */
  changed(change: Change): void {
    if (this.#changed.size === 0) requestAnimationFrame(() => this.#notify());
    this.#changed.add(change);
  }

  /** Moves to the nearest event in a direction for which `is` holds; stays if there is none. */
  step(direction: 1 | -1, is: (event: number) => boolean): void {
    const { length } = this.run.trace;
    for (let at = this.#cursor + direction; at >= 0 && at < length; at += direction) {
      if (is(at)) return this.moveTo(at);
    }
  }

  #notify(): void {
    const changes = [...this.#changed];
    this.#changed.clear();
    for (const { to, listener } of this.#listeners) {
      if (changes.some((change) => to.has(change))) listener();
    }
  }
}
