import { openResources, openSockets } from "../../src/platform/mod.ts";

/**
 * The code under test waits for real time or talks to real hosts, which a simulated run cannot
 * observe.
 *
 * @example
 * ```ts
 * import { NotVirtual } from "faultlane/check";
 *
 * console.log(new NotVirtual("producer").message.split(";")[0]);
 * // => Cannot judge the producer: it uses real timers or sockets, which no run can observe
 * ```
 */
export class NotVirtual extends Error {
  /** Always "NotVirtual". */
  override readonly name = "NotVirtual";

  /** Creates the error for what was checked: "producer", "job". */
  constructor(subject: string) {
    super(
      `Cannot judge the ${subject}: it uses real timers or sockets, which no run can observe; use the client that is passed to it, and the global setTimeout`,
    );
  }
}

/** How many runs must leave something real behind before it counts as more than an accident. */
const LEFT_BEHIND_MIN = 3;

/**
 * Runs code under test with `run` and checks whether it leaves real timers or sockets behind.
 *
 * `run` may call `look` during the run, because a socket that fails is gone at the end of it.
 *
 * @throws {NotVirtual} when each of a few runs leaves real timers or sockets behind
 */
export async function assertVirtual(
  subject: string,
  run: (look: () => void) => Promise<unknown>,
): Promise<void> {
  const socketsBefore = openSockets();
  for (let nth = 0; nth < LEFT_BEHIND_MIN; nth += 1) {
    const before = openResources();
    let hasSockets = false;
    await run(() => {
      hasSockets ||= openSockets() > socketsBefore;
    });
    if (!hasSockets && openResources() <= before) return;
  }
  throw new NotVirtual(subject);
}
