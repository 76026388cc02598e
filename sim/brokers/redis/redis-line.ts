import { connectionClosed } from "./reply-error.ts";

/** The connection that commands are sent on, which may be closed and made anew meanwhile. */
export interface Line {
  cut: AbortController;
  /** Until when commands wait. */
  again: Promise<void> | undefined;
  /** Whether it was closed under a read that waits, or too early: what comes is not executed. */
  isLost: boolean;
  /** When it has been closed that was closed before it was made. */
  closedEarly: Promise<void> | undefined;
}

/** Returns a connection that is not made yet. */
export function newLine(): Line {
  const cut = new AbortController();
  return { cut, again: undefined, isLost: false, closedEarly: undefined };
}

/** @throws {Error} `Connection is closed.`, where the connection was closed before it was made */
export function executed<T>({ isLost }: Line, effect: () => T): T {
  if (isLost) throw connectionClosed();
  return effect();
}

/** @throws {Error} `Connection is closed.`, once it is */
export async function notSent({ closedEarly }: Line): Promise<never> {
  await closedEarly;
  throw connectionClosed();
}
