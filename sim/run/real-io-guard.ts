import { openResources, openSockets } from "../../src/platform/mod.ts";

/** The code under test waits for real time or talks to real hosts: a simulated run cannot see it. */
export class NotVirtual extends Error {
  override readonly name = "NotVirtual";

  constructor(subject: string) {
    super(
      `Cannot judge the ${subject}: it uses real timers or sockets, which no run can see; take the client that it is given, and setTimeout from the global object`,
    );
  }
}

/** In how many runs something real must be left behind, so that it is no accident. */
const LEFT_BEHIND_MIN = 3;

/**
 * Runs code under test with `run` and looks whether real timers or sockets are left behind.
 *
 * `run` may call `look` as often as it likes: a socket that fails is gone at the end of the run.
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
