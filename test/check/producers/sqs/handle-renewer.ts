import { ChangeMessageVisibilityBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";

export const VISIBILITY_SECONDS = 30;
const RENEW_EVERY_MS = 8_000;
const BATCH_MAX = 10;
const ATTEMPTS_MAX = 4;

export interface Renewer {
  hold(handle: string): void;
  release(handles: readonly string[]): Promise<void>;
  /** Ends the renewing; answers what was still held. */
  stop(): Promise<readonly string[]>;
}

/**
 * Keeps messages invisible while they are outstanding.
 *
 * Holds: once `release` has returned, no renewal of those handles is under way or will come.
 */
export class HandleRenewer implements Renewer {
  readonly #client: Pick<SQSClient, "send">;
  readonly #queueUrl: string;
  readonly #handles = new Set<string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #round: Promise<void> | undefined;

  constructor(client: Pick<SQSClient, "send">, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  hold(handle: string): void {
    this.#handles.add(handle);
    this.#timer ??= setInterval(() => {
      this.#round ??= this.#renewAll().finally(() => {
        this.#round = undefined;
      });
    }, RENEW_EVERY_MS);
  }

  async release(handles: readonly string[]): Promise<void> {
    for (const handle of handles) this.#handles.delete(handle);
    await this.#round;
  }

  async stop(): Promise<readonly string[]> {
    clearInterval(this.#timer);
    const left = [...this.#handles];
    await this.release(left);
    return left;
  }

  async #renewAll(): Promise<void> {
    const due = [...this.#handles];
    for (let at = 0; at < due.length; at += BATCH_MAX) {
      const chunk = due.slice(at, at + BATCH_MAX).filter((handle) => this.#handles.has(handle));
      await this.#renew(chunk);
    }
  }

  /** What the service refuses for reasons of its own is asked for again at once. */
  async #renew(chunk: readonly string[]): Promise<void> {
    let left = chunk;
    for (let attempt = 1; left.length > 0 && attempt <= ATTEMPTS_MAX; attempt += 1) {
      left = (await this.#renewOnce(left)).filter((handle) => this.#handles.has(handle));
    }
  }

  /** Those that are worth another attempt. */
  async #renewOnce(handles: readonly string[]): Promise<readonly string[]> {
    const Entries = handles.map((ReceiptHandle, index) => ({
      Id: String(index),
      ReceiptHandle,
      VisibilityTimeout: VISIBILITY_SECONDS,
    }));
    const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: this.#queueUrl, Entries });
    try {
      const { Failed = [] } = await this.#client.send(command);
      const failed = Failed.map(({ Id, SenderFault }) => ({
        handle: handles[Number(Id)] as string,
        isLost: SenderFault === true,
      }));
      // A handle that is worth nothing any more: the message comes again under another.
      for (const { handle, isLost } of failed) if (isLost) this.#handles.delete(handle);
      return failed.filter(({ isLost }) => !isLost).map(({ handle }) => handle);
    } catch {
      // The service did not answer: the next round comes early enough to try again.
      return [];
    }
  }
}
