const SIZE_AT_FIRST = 65_536;

/** Collects whole numbers from 0 as bytes: seven bits a byte, the lowest first (LEB128). */
export class ByteWriter {
  #bytes = new Uint8Array(SIZE_AT_FIRST);
  #length = 0;

  /** Appends a whole number from 0 to 2^53 - 1. */
  add(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      const high = Math.floor(rest / 0x80);
      this.#push(rest - high * 0x80 + 0x80);
      rest = high;
    }
    this.#push(rest);
  }

  /** Returns all bytes so far. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }
}

/** Reads what a {@linkcode ByteWriter} has written. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  /**
   * Returns the next number.
   *
   * @throws {RangeError} when no number is left
   */
  next(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new RangeError("The trace ends amid an event");
      this.#at += 1;
      if (byte < 0x80) return value + byte * unit;
      value += (byte - 0x80) * unit;
    }
  }
}
