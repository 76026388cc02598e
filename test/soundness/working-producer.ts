import crypto from "node:crypto";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";
import { type Order, type OrderPayload, OrdersProducer } from "../../scenarios/producers/orders.ts";
import type { AdvanceItem, Lane } from "../../src/shared-stream/mod.ts";

const THIS_FILE = fileURLToPath(import.meta.url);
/** A module of WebAssembly that exports nothing. */
const EMPTY_MODULE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);

type Work = (text: string) => Promise<number>;

/** Real asynchronous work of each kind that a run waits for; it returns a number to depend on. */
const WORKS: readonly Work[] = [
  async (text) => {
    const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return new Uint8Array(digest)[0] ?? 0;
  },
  (text) =>
    new Promise((resolve, reject) => {
      zlib.gzip(text, (error, bytes) =>
        error instanceof Error ? reject(error) : resolve(bytes.length),
      );
    }),
  async (text) => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    return (await new Response(stream).arrayBuffer()).byteLength;
  },
  (text) =>
    new Promise((resolve, reject) => {
      crypto.scrypt(text, "salt", 8, { N: 16 }, (error, key) =>
        error instanceof Error ? reject(error) : resolve(key[0] ?? 0),
      );
    }),
  async () => (await fs.promises.readFile(THIS_FILE)).length % 256,
  async () => {
    let bytes = 0;
    const chunks = fs.createReadStream(THIS_FILE, { highWaterMark: 512 });
    for await (const chunk of chunks as AsyncIterable<Buffer>) bytes += chunk.length;
    return bytes % 256;
  },
  async () => WebAssembly.Module.exports(await WebAssembly.compile(EMPTY_MODULE)).length,
  async () => Object.keys(await import("node:querystring")).length,
];

/**
 * A correct producer that does real asynchronous work in every method, several kinds at once, and
 * whose pauses depend on the results.
 */
export class WorkingProducer extends OrdersProducer {
  #steps = 0;

  override async *openStream(
    signal: AbortSignal,
  ): AsyncGenerator<readonly [Order | string, OrderPayload]> {
    await this.#work("open");
    for await (const pair of super.openStream(signal)) {
      await this.#work(pair[1].offset);
      yield pair;
    }
  }

  override getAdvanceLane(payload: OrderPayload): Lane {
    const { topic, partition } = payload;
    const id = crypto.createHash("sha1").update(`${topic}/${partition}`).digest("hex");
    return [topic, partition, id];
  }

  override async advance(batch: readonly AdvanceItem<OrderPayload>[]): Promise<void> {
    await this.#work(`advance ${batch.length}`);
    await super.advance(batch);
  }

  override async aclose(): Promise<void> {
    await this.#work("close");
    await super.aclose();
  }

  /** Two kinds of work side by side, and then a pause that both decide. */
  async #work(text: string): Promise<void> {
    this.#steps += 1;
    const [one, other] = await Promise.all(
      [0, 3].map((at) => (WORKS[(this.#steps + at) % WORKS.length] as Work)(text)),
    );
    const ms = ((one ?? 0) + (other ?? 0)) % 5;
    if (ms > 0) await new Promise((resolve) => void setTimeout(resolve, ms));
  }
}
