/** What the code under test is called, and what it did. */
export interface RealUse {
  /** "net.Socket.connect" */
  readonly use: string;
  /** The line that did it, "orders.ts:12:5"; undefined where the runtime does not say. */
  readonly where?: string | undefined;
  /** Why it cannot be judged; default: "which no run can observe". */
  readonly why?: string | undefined;
  /** What to use instead; default: the client that is passed, and the global setTimeout. */
  readonly cure?: string | undefined;
}

const WHY = "which no run can observe";

const CURE = "use the client that is passed to it, and the global setTimeout";

/**
 * The code under test waits for real time, talks to real hosts or changes the machine, which a
 * simulated run cannot observe; or it uses what the model of its broker does not have.
 *
 * @example
 * ```ts
 * import { NotVirtual } from "faultlane/check";
 *
 * console.log(new NotVirtual("producer", { use: "fetch", where: "orders.ts:12:5" }).message.split(",")[0]);
 * // => Cannot judge the producer: it uses fetch (orders.ts:12:5)
 * ```
 */
export class NotVirtual extends Error {
  /** Always "NotVirtual". */
  override readonly name = "NotVirtual";
  /** What it uses, such as "fetch". */
  readonly use: string;
  /** The line that uses it; undefined where the runtime does not say. */
  readonly where: string | undefined;

  /** Creates the error for what was checked: "producer", "operator". */
  constructor(subject: string, { use, where, why = WHY, cure = CURE }: RealUse) {
    const place = where === undefined ? "" : ` (${where})`;
    super(`Cannot judge the ${subject}: it uses ${use}${place}, ${why}; ${cure}`);
    this.use = use;
    this.where = where;
  }
}
