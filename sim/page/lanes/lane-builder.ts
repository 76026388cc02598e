import { type Bars, type Lane, type LaneGroup, type Tone, TONES } from "./lane.ts";

const TONE_PLACES: ReadonlyMap<Tone, number> = new Map(TONES.map((tone, place) => [tone, place]));

function placeOf(tone: Tone): number {
  return TONE_PLACES.get(tone) ?? 0;
}

/** The bars of a lane while the trace is read; one is open at a time. */
class BarTrack {
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #tones: number[] = [];
  #open: { readonly from: number; readonly tone: number } | undefined;

  /** Begins a bar, and ends the one before. */
  open(index: number, tone: Tone): void {
    this.close(index);
    this.#open = { from: index, tone: placeOf(tone) };
  }

  close(index: number): void {
    if (this.#open === undefined) return;
    this.#from.push(this.#open.from);
    this.#to.push(index);
    this.#tones.push(this.#open.tone);
    this.#open = undefined;
  }

  /** Adds a bar whose end is known; the one before has ended. */
  add(from: number, to: number, tone: Tone): void {
    this.#from.push(from);
    this.#to.push(to);
    this.#tones.push(placeOf(tone));
  }

  bars(end: number): Bars {
    this.close(end);
    return {
      from: Uint32Array.from(this.#from),
      to: Uint32Array.from(this.#to),
      tones: Uint8Array.from(this.#tones),
    };
  }
}

/** A lane while the trace is read. */
export class LaneBuilder {
  readonly place: number;
  readonly bars: BarTrack = new BarTrack();
  readonly spans: BarTrack = new BarTrack();
  readonly #id: string;
  readonly #group: LaneGroup;
  readonly #name: string;
  readonly #marks: number[] = [];
  readonly #tones: number[] = [];
  readonly #ticks: number[] = [];

  constructor(place: number, id: string, group: LaneGroup, name: string) {
    this.place = place;
    this.#id = id;
    this.#group = group;
    this.#name = name;
  }

  mark(index: number, tone: Tone): void {
    this.#marks.push(index);
    this.#tones.push(placeOf(tone));
  }

  tick(index: number): void {
    this.#ticks.push(index);
  }

  /** Ends what is open: what it was about is gone. */
  end(index: number): void {
    this.bars.close(index);
    this.spans.close(index);
  }

  lane(end: number): Lane {
    return {
      id: this.#id,
      group: this.#group,
      name: this.#name,
      bars: this.bars.bars(end),
      spans: this.spans.bars(end),
      marks: { events: Uint32Array.from(this.#marks), tones: Uint8Array.from(this.#tones) },
      ticks: Uint32Array.from(this.#ticks),
    };
  }
}
