import { NotModelled } from "../not-modelled.ts";
import { SqsServiceError } from "./sqs-error.ts";
import { missing } from "./sqs-refusals.ts";

const SEE = "brokers.sqs";

/** What queues there are. */
export interface SqsNames {
  /** Undefined: the queue is the one that is received from first. */
  readonly queue: string | undefined;
  /** Undefined: any other queue is there. */
  readonly deadLetterQueues: readonly string[] | undefined;
}

export function nameIn(url: string): string {
  return url.split("/").at(-1) ?? "";
}

/** Which queue a request is about. */
export class SqsAddresses {
  readonly #names: SqsNames;
  /** Where something was sent before it was known which queue is the model's. */
  readonly #sentTo = new Set<string>();
  #url: string | undefined;

  constructor(names: SqsNames) {
    this.#names = names;
  }

  /**
   * Returns whether what is sent to a URL comes to the model's queue.
   *
   * @throws {SqsServiceError} for a URL that is missing, or of a queue that is none
   */
  isSource(url: string | undefined): boolean {
    return this.#isOwn(this.#named(url));
  }

  /**
   * Asserts that a URL is that of the model's queue; the first that is received from is.
   *
   * @throws {SqsServiceError} for a URL that is missing, or of another queue
   */
  assertSource(given: string | undefined, act: "receive" | "delete" | "change"): void {
    const url = this.#named(given);
    if (act === "receive" && !this.#isKnown()) this.#url = this.#unsent(url);
    // Before anything was received, no receipt handle of any queue is valid.
    if (!this.#isKnown() || this.#isOwn(url)) return;
    if (this.#names.deadLetterQueues === undefined) throw noQueue();
    if (act === "receive") throw new NotModelled("receiving from a queue of dead letters", SEE);
    const message = "The receipt handle is of another queue.";
    throw new SqsServiceError("ReceiptHandleIsInvalid", message);
  }

  /** @throws {SqsServiceError} for a URL that is missing, or of a queue that is none */
  #named(url: string | undefined): string {
    if (url === undefined || url === "") throw missing("QueueUrl");
    this.assertThere(nameIn(url));
    return url;
  }

  /** Whether it is known that a URL is that of another queue. */
  isAnother(url: string): boolean {
    return this.#isKnown() && !this.#isOwn(url);
  }

  /** @throws {SqsServiceError} when there is no such queue */
  assertThere(name: string): void {
    const { queue, deadLetterQueues } = this.#names;
    const own = this.#url === undefined ? queue : nameIn(this.#url);
    if (deadLetterQueues === undefined || name === own || deadLetterQueues.includes(name)) return;
    throw noQueue();
  }

  /** Remembers where a dead letter went. */
  sentTo(url: string): void {
    this.#sentTo.add(url);
  }

  #isKnown(): boolean {
    return this.#names.queue !== undefined || this.#url !== undefined;
  }

  #isOwn(url: string): boolean {
    const { queue } = this.#names;
    return queue === undefined ? url === this.#url : nameIn(url) === queue;
  }

  /** @throws {NotModelled} for a queue that got messages which are dead letters for the model */
  #unsent(url: string): string {
    if (!this.#sentTo.has(url)) return url;
    const what = "receiving for the first time from a queue that something was sent to";
    throw new NotModelled(`${what}, without the option "queue"`, SEE);
  }
}

function noQueue(): SqsServiceError {
  return new SqsServiceError("QueueDoesNotExist", "The specified queue does not exist.");
}
