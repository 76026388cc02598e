import type { GroupRead } from "./requests.ts";
import type { RedisStream, StreamEntry } from "./stream.ts";

/** Where streams are looked up. */
interface Streams {
  streamAt(key: string): RedisStream | undefined;
}

/** In which order entries came, over all streams. */
export class ArrivalOrder {
  readonly #numbers = new WeakMap<StreamEntry, number>();
  #count = 0;

  note(entry: StreamEntry): void {
    this.#count += 1;
    this.#numbers.set(entry, this.#count);
  }

  /** Returns of several streams that in which the first entry behind an id came first. */
  first<At extends readonly [key: string, after: string]>(
    asked: readonly At[],
    streams: Streams,
  ): readonly At[] {
    const numberOf = ([key, after]: At): number => {
      const [entry] = streams.streamAt(key)?.after(after, 1) ?? [];
      return (entry && this.#numbers.get(entry)) ?? Number.POSITIVE_INFINITY;
    };
    return asked.toSorted((one, other) => numberOf(one) - numberOf(other)).slice(0, 1);
  }

  /** The same for a group, of which a read that waits asks for new entries alone. */
  firstUnread({ streams: asked, group }: GroupRead, streams: Streams): GroupRead["streams"] {
    const behind = asked.map(([key]) => {
      const known = streams.streamAt(key)?.groups.get(group);
      return [key, known?.lastDelivered ?? ""] as const;
    });
    return this.first(behind, streams).map(([key]) => [key, ">"] as const);
  }
}
