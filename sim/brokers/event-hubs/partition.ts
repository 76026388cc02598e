import type { EventData, EventPosition, StoredEvent } from "./event.ts";

/** What an event takes up besides its content, in the offsets of the model. */
const ENVELOPE_BYTES = 40;

/** A partition of the hub: its events in order, the oldest of which retention may have removed. */
export class Partition {
  readonly id: string;
  readonly events: StoredEvent[] = [];
  /** How many events were removed. */
  from = 0;
  /** How many events are checkpointed. */
  settledTo = 0;
  /** Where another owner's checkpoint is the newest; undefined: it is none of another owner's. */
  takenTo: number | undefined;
  /** Who has stored the furthest checkpoint. */
  storedBy: string | undefined;
  #offset = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** The sequence number of the next event. */
  get end(): number {
    return this.from + this.events.length;
  }

  append(
    given: EventData,
    partitionKey: string | undefined,
    ref: string | undefined,
    enqueuedAt: number,
  ): void {
    const data = { ...given };
    const event = { sequenceNumber: this.end, offset: this.#offset, enqueuedAt };
    this.events.push({ ...event, partitionKey, data, ref });
    this.#offset += ENVELOPE_BYTES + JSON.stringify(data.body).length;
  }

  /** Returns at most `max` events from a sequence number on. */
  read(from: number, max: number): readonly StoredEvent[] {
    const at = Math.max(0, from - this.from);
    return this.events.slice(at, at + max);
  }

  at(sequenceNumber: number): StoredEvent | undefined {
    return this.events[sequenceNumber - this.from];
  }

  /** Returns the sequence number of the first event at or behind a position. */
  sequenceAt({ offset, sequenceNumber, enqueuedOn, isInclusive = false }: EventPosition): number {
    if (offset === "@latest") return this.end;
    const isBehind = (event: StoredEvent): boolean => {
      if (offset !== undefined) return isPast(event.offset, Number(offset), isInclusive);
      if (sequenceNumber !== undefined) {
        return isPast(event.sequenceNumber, sequenceNumber, isInclusive);
      }
      return event.enqueuedAt > Number(enqueuedOn ?? 0);
    };
    return this.events.find(isBehind)?.sequenceNumber ?? this.end;
  }

  /** Removes the oldest events, up to and with a sequence number, and returns them. */
  removeTo(sequenceNumber: number): readonly StoredEvent[] {
    const removed = this.events.splice(0, sequenceNumber + 1 - this.from);
    this.from += removed.length;
    return removed;
  }
}

function isPast(value: number, place: number, isInclusive: boolean): boolean {
  return isInclusive ? value >= place : value > place;
}
