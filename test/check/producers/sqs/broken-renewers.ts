import { ChangeMessageVisibilityCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { HandleRenewer, type Renewer, VISIBILITY_SECONDS } from "./handle-renewer.ts";

type Client = Pick<SQSClient, "send">;

/** P-31: leaves it to the queue's visibility timeout. */
export class IdleRenewer implements Renewer {
  hold(): void {}

  release(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

/** P-32: a renewal under way puts its handle back on the list after it was released. */
export class ReturningRenewer implements Renewer {
  readonly #client: Client;
  readonly #queueUrl: string;
  readonly #renewedAt = new Map<string, number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #round: Promise<void> | undefined;

  constructor(client: Client, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  hold(handle: string): void {
    this.#renewedAt.set(handle, Date.now());
    this.#timer ??= setInterval(() => {
      this.#round ??= this.#renewAll().finally(() => {
        this.#round = undefined;
      });
    }, 2_000);
  }

  release(handles: readonly string[]): Promise<void> {
    for (const handle of handles) this.#renewedAt.delete(handle);
    return Promise.resolve();
  }

  async stop(): Promise<readonly string[]> {
    clearInterval(this.#timer);
    await this.#round;
    return [];
  }

  async #renewAll(): Promise<void> {
    for (const ReceiptHandle of this.#renewedAt.keys()) {
      const command = new ChangeMessageVisibilityCommand({
        QueueUrl: this.#queueUrl,
        ReceiptHandle,
        VisibilityTimeout: VISIBILITY_SECONDS,
      });
      try {
        await this.#client.send(command);
        this.#renewedAt.set(ReceiptHandle, Date.now());
      } catch {
        this.#renewedAt.delete(ReceiptHandle);
      }
    }
  }
}

/** P-33: what was settled or given back is renewed on and on. */
export class ForgetfulRenewer extends HandleRenewer {
  override release(): Promise<void> {
    return Promise.resolve();
  }
}

/** P-33: renews on after the producer's end. */
export class SurvivingRenewer extends HandleRenewer {
  override stop(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

/** P-41: one handle that cannot be renewed ends the renewing of all. */
export class FragileRenewer implements Renewer {
  readonly #client: Client;
  readonly #queueUrl: string;
  readonly #handles = new Set<string>();
  #isRenewing = false;
  #isStopped = false;

  constructor(client: Client, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  hold(handle: string): void {
    this.#handles.add(handle);
    if (!this.#isRenewing) this.#renewForever().catch(() => undefined);
    this.#isRenewing = true;
  }

  release(handles: readonly string[]): Promise<void> {
    for (const handle of handles) this.#handles.delete(handle);
    return Promise.resolve();
  }

  stop(): Promise<readonly string[]> {
    this.#isStopped = true;
    return Promise.resolve([]);
  }

  async #renewForever(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      if (this.#isStopped) return;
      for (const ReceiptHandle of [...this.#handles]) {
        const command = new ChangeMessageVisibilityCommand({
          QueueUrl: this.#queueUrl,
          ReceiptHandle,
          VisibilityTimeout: VISIBILITY_SECONDS,
        });
        if (!this.#isStopped) await this.#client.send(command);
      }
    }
  }
}
