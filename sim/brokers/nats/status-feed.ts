/** What a subscription reports of itself, besides its messages. */
export type NatsStatus =
  | { readonly type: "heartbeats_missed"; readonly count: number }
  | { readonly type: "no_responders"; readonly code: number }
  | {
      readonly type: "consumer_not_found";
      readonly name: string;
      readonly stream: string;
      readonly count: number;
    }
  | { readonly type: "consumer_deleted"; readonly code: number; readonly description: string };

/** One reader of a subscription's status; ends with the subscription. */
export class StatusFeed {
  readonly #statuses: NatsStatus[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  push(status: NatsStatus): void {
    if (!this.#isEnded) this.#statuses.push(status);
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<NatsStatus, void, void> {
    for (;;) {
      const status = this.#statuses.shift();
      if (status !== undefined) yield status;
      else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
