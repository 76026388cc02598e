import type { TraceEvent } from "../trace/trace.ts";
import { ByteReader, ByteWriter } from "./byte-writer.ts";

/**
 * How a member of an event is written: `n` is a whole number from 0, `s` the place of a text in the
 * table, `j` the place of a JSON text in the table.
 */
type Form = "n" | "s" | "j";

/** Events of one kind whose members are written alike: the kind, then name and form in turns. */
type Shape = readonly string[];

/** What stands before the rows of a packed trace. */
interface Head {
  readonly events: number;
  readonly cells: number;
  readonly texts: readonly string[];
  readonly shapes: readonly Shape[];
}

/** The number that a packed trace begins with: the length of its head in bytes. */
const PREFIX_BYTES = 4;

/**
 * Packs a trace for a file: a table of texts and shapes as JSON, then a row of small numbers for
 * each event (time since the last one, host, shape, members).
 *
 * Holds: the same events give the same bytes on every runtime.
 */
export function packTrace(events: readonly TraceEvent[]): Uint8Array {
  const packer = new Packer();
  for (const event of events) packer.add(event);
  return packer.bytes();
}

class Packer {
  readonly #rows = new ByteWriter();
  readonly #texts = new Map<string, number>();
  readonly #shapes = new Map<string, number>();
  #events = 0;
  #cells = 0;
  #at = 0;

  add({ at, host, kind, ...members }: TraceEvent): void {
    const names = [kind as string];
    const cells: number[] = [];
    for (const [name, value] of Object.entries(members) as [string, unknown][]) {
      if (value === undefined) continue;
      const form = formOf(value);
      names.push(name, form);
      cells.push(form === "n" ? (value as number) : this.#textAt(textOf(form, value)));
    }
    this.#rows.add(at - this.#at);
    this.#rows.add(this.#textAt(host));
    this.#rows.add(placeIn(this.#shapes, JSON.stringify(names)));
    for (const cell of cells) this.#rows.add(cell);
    this.#at = at;
    this.#events += 1;
    this.#cells += cells.length;
  }

  bytes(): Uint8Array {
    const head: Head = {
      events: this.#events,
      cells: this.#cells,
      texts: [...this.#texts.keys()],
      shapes: [...this.#shapes.keys()].map((names) => JSON.parse(names) as Shape),
    };
    const headBytes = new TextEncoder().encode(JSON.stringify(head));
    const rows = this.#rows.bytes();
    const all = new Uint8Array(PREFIX_BYTES + headBytes.length + rows.length);
    new DataView(all.buffer).setUint32(0, headBytes.length);
    all.set(headBytes, PREFIX_BYTES);
    all.set(rows, PREFIX_BYTES + headBytes.length);
    return all;
  }

  #textAt(text: string): number {
    return placeIn(this.#texts, text);
  }
}

function formOf(value: unknown): Form {
  if (typeof value === "string") return "s";
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? "n" : "j";
}

function textOf(form: Form, value: unknown): string {
  return form === "s" ? (value as string) : JSON.stringify(value);
}

/** Returns the place of a text in a table, at whose end it is put if it is new. */
function placeIn(table: Map<string, number>, text: string): number {
  const known = table.get(text);
  if (known !== undefined) return known;
  table.set(text, table.size);
  return table.size - 1;
}

/**
 * A trace as columns of numbers; an event becomes an object only when it is asked for.
 *
 * Holds: `event(i)` equals the event that was packed, for every i below `length`.
 */
export class PackedTrace {
  /** How many events there are. */
  readonly length: number;
  readonly #head: Head;
  readonly #at: Float64Array;
  readonly #hosts: Uint32Array;
  readonly #shapes: Uint32Array;
  readonly #firstCells: Uint32Array;
  readonly #cells: Float64Array;

  /** @throws {RangeError} when the bytes are no packed trace, or not the whole of one */
  constructor(bytes: Uint8Array) {
    const head = headOf(bytes);
    this.#head = head;
    this.length = head.events;
    this.#at = new Float64Array(head.events);
    this.#hosts = new Uint32Array(head.events);
    this.#shapes = new Uint32Array(head.events);
    this.#firstCells = new Uint32Array(head.events);
    this.#cells = new Float64Array(head.cells);
    this.#read(bytes);
  }

  /** The virtual time of an event in milliseconds. */
  at(index: number): number {
    return this.#at[index] ?? 0;
  }

  /** The times of all events, in order. */
  times(): Float64Array {
    return this.#at;
  }

  /** The host of an event. */
  host(index: number): string {
    return this.#head.texts[this.#hosts[index] ?? 0] ?? "";
  }

  /** The kind of an event. */
  kind(index: number): string {
    return this.#head.shapes[this.#shapes[index] ?? 0]?.[0] ?? "";
  }

  /** Returns an event as it was traced. */
  event(index: number): TraceEvent {
    const shape = this.#head.shapes[this.#shapes[index] ?? 0] ?? [];
    const event: Record<string, unknown> = {
      at: this.at(index),
      host: this.host(index),
      kind: shape[0],
    };
    let cell = this.#firstCells[index] ?? 0;
    for (let at = 1; at < shape.length; at += 2) {
      event[shape[at] as string] = this.#value(shape[at + 1] as Form, this.#cells[cell] ?? 0);
      cell += 1;
    }
    // `packTrace` has written it from an event.
    return event as unknown as TraceEvent;
  }

  /** All events in order. */
  *[Symbol.iterator](): Generator<TraceEvent, void, undefined> {
    for (let index = 0; index < this.length; index += 1) yield this.event(index);
  }

  /** Returns the first event at or after a virtual time; `length` if there is none. */
  firstAt(time: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #value(form: Form, cell: number): unknown {
    if (form === "n") return cell;
    const text = this.#head.texts[cell] ?? "";
    return form === "s" ? text : (JSON.parse(text) as unknown);
  }

  #read(bytes: Uint8Array): void {
    const reader = new ByteReader(bytes, PREFIX_BYTES + headLength(bytes));
    const cellsOf = this.#head.shapes.map((shape) => (shape.length - 1) / 2);
    let at = 0;
    let cell = 0;
    for (let index = 0; index < this.length; index += 1) {
      at += reader.next();
      this.#at[index] = at;
      this.#hosts[index] = reader.next();
      const shape = reader.next();
      this.#shapes[index] = shape;
      this.#firstCells[index] = cell;
      for (let left = cellsOf[shape] ?? 0; left > 0; left -= 1) {
        this.#cells[cell] = reader.next();
        cell += 1;
      }
    }
  }
}

function headLength(bytes: Uint8Array): number {
  if (bytes.length < PREFIX_BYTES) throw new RangeError("The trace is empty");
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}

function headOf(bytes: Uint8Array): Head {
  const length = headLength(bytes);
  if (bytes.length < PREFIX_BYTES + length) throw new RangeError("The trace ends amid its head");
  const text = new TextDecoder().decode(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + length));
  return JSON.parse(text) as Head;
}
