import { ChangeMessageVisibilityBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";

export const VISIBILITY_SECONDS = 30;
const RENEW_EVERY_MS = 8_000;
const BATCH_MAX = 10;

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
      if (chunk.length > 0) await this.#renew(chunk);
    }
  }

  async #renew(handles: readonly string[]): Promise<void> {
    const Entries = handles.map((ReceiptHandle, index) => ({
      Id: String(index),
      ReceiptHandle,
      VisibilityTimeout: VISIBILITY_SECONDS,
    }));
    const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: this.#queueUrl, Entries });
    try {
      const { Failed = [] } = await this.#client.send(command);
      for (const { Id, SenderFault } of Failed) {
        // The handle is worth nothing any more: the message comes again under another.
        if (SenderFault === true) this.#handles.delete(handles[Number(Id)] as string);
      }
    } catch {
      // The service did not answer: the next round comes early enough to try again.
    }
  }
}
