import { HostDied } from "../kernel/host-died.ts";
import type { World } from "../kernel/world.ts";
import type { CodeUnderTest } from "../worlds/stage.ts";

/** The window of virtual time in which steps are counted. */
const WINDOW_MS = 2_000;
/** Code that takes more steps within the window is busy-waiting, if there is nothing to be done. */
const STEPS_MAX = 4_000;
/** To try a record again takes some thirty steps; each may be tried twice within the window. */
const STEPS_PER_RECORD = 80;

/**
 * Watches what a user's code does to the realm that it runs in, until disposed: unhandled
 * rejections, and loops that keep virtual time from moving.
 */
export function watchCode(world: World, code: CodeUnderTest): Disposable {
  world.realm.subject = code.noun;
  if (code.onUnhandled !== undefined) {
    world.realm.onRejection = (error) => {
      if (!(error instanceof HostDied)) code.onUnhandled?.(error);
    };
  }
  return watchForSpinning(world, code);
}

/** Ends the run when there are too many steps in a window: time would hardly move, or not at all. */
function watchForSpinning(world: World, code: CodeUnderTest): Disposable {
  const { records = 0 } = code;
  const stepsMax = STEPS_MAX + STEPS_PER_RECORD * records;
  let since = 0;
  let before = 0;
  return world.onRest(() => {
    if (world.now - since >= WINDOW_MS) {
      since = world.now;
      before = world.steps;
    }
    if (world.steps - before <= stepsMax || world.isEnded) return;
    code.onSpinning(stepsMax, world.now - since);
    world.end();
  });
}
