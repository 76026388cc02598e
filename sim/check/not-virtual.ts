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

/** For how many microtasks somebody's own code is followed. */
const LOOKED_AT_MAX = 32;

/** Looks again and again while promise work that began just now goes on: a socket may fail soon. */
export async function follow(look: () => void): Promise<void> {
  for (let at = 0; at < LOOKED_AT_MAX; at += 1) {
    look();
    await Promise.resolve();
  }
}

/**
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
