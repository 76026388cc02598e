import { openResources, openSockets } from "../../src/platform/mod.ts";

/** The checked part waits for real time or talks to real hosts: a simulated run is silent on it. */
export class NotVirtual extends Error {
  override readonly name = "NotVirtual";

  constructor(subject: string) {
    super(
      `Cannot judge the ${subject}: it uses real timers or sockets, which no run can see; take the client that it is given, and setTimeout from the global object`,
    );
  }
}

/** How often a run must leave something real behind, so that it is no accident. */
const LEFT_BEHIND_MIN = 3;

/**
 * `run` may call `look` as often as it likes: a socket that fails is gone at the end of the run.
 *
 * @throws {NotVirtual} when each of a few runs leaves real timers or sockets behind
 */
export async function assertVirtual(
  subject: string,
  run: (look: () => void) => Promise<unknown>,
): Promise<void> {
  for (let nth = 0; nth < LEFT_BEHIND_MIN; nth += 1) {
    const before = openResources();
    const socketsBefore = openSockets();
    let hasSockets = false;
    await run(() => {
      hasSockets ||= openSockets() > socketsBefore;
    });
    if (!hasSockets && openResources() <= before) return;
  }
  throw new NotVirtual(subject);
}
