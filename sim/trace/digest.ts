import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const CHUNK_LENGTH = 65_536;

/**
 * SHA-256 over lines of text.
 *
 * Holds: equal lines give equal digests on every runtime, however they are chunked.
 */
export class LineDigest {
  readonly #hash = sha256.create();
  readonly #encoder = new TextEncoder();
  #pending = "";

  add(line: string): void {
    this.#pending += line;
    this.#pending += "\n";
    if (this.#pending.length > CHUNK_LENGTH) this.#flush();
  }

  /** Returns the digest of all lines so far, in lower-case hex; more lines may follow. */
  hex(): string {
    this.#flush();
    return bytesToHex(this.#hash.clone().digest());
  }

  #flush(): void {
    this.#hash.update(this.#encoder.encode(this.#pending));
    this.#pending = "";
  }
}
