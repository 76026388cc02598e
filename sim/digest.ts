import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const CHUNK_LENGTH = 65_536;

/**
 * SHA-256 over lines of text, fed in chunks.
 *
 * Holds: equal lines give equal digests on every runtime; how they were chunked does not matter.
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

  /** The digest of all lines so far, in lower-case hex; the digest can go on afterwards. */
  hex(): string {
    this.#flush();
    return bytesToHex(this.#hash.clone().digest());
  }

  #flush(): void {
    this.#hash.update(this.#encoder.encode(this.#pending));
    this.#pending = "";
  }
}
