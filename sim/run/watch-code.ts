import { HostDied } from "../kernel/host-died.ts";
import type { World } from "../kernel/world.ts";
import type { CodeUnderTest, Stage } from "../worlds/stage.ts";

/** The window of virtual time in which steps are counted. */
const WINDOW_MS = 2_000;
/** Code that takes more steps within the window is busy-waiting, if there is nothing to be done. */
const STEPS_MAX = 4_000;
/** To try a record again takes some thirty steps; each may be tried twice within the window. */
const STEPS_PER_RECORD = 80;
/** In a world of many hosts, whose code is the kit's; the busiest of its scenarios takes 10,000. */
const STEPS_OF_A_WORLD_MAX = 100_000;
/** What each trigger may take within the window: it is created, subscribes, and gets events. */
const STEPS_PER_ACTOR = 1_000;

/** What of a stage says who is watched. */
type Watched = Pick<Stage, "codeUnderTest" | "actors">;

/**
 * Watches what code does to the realm that it runs in, until disposed: loops that keep virtual time
 * from moving, and unhandled rejections of a user's code.
 */
export function watchCode(world: World, { codeUnderTest: code, actors = 0 }: Watched): Disposable {
  if (code === undefined) {
    return watchForSpinning(world, STEPS_OF_A_WORLD_MAX + STEPS_PER_ACTOR * actors);
  }
  world.realm.subject = code.noun;
  if (code.onUnhandled !== undefined) {
    world.realm.onRejection = (error) => {
      if (!(error instanceof HostDied)) code.onUnhandled?.(error);
    };
  }
  const { records = 0 } = code;
  return watchForSpinning(world, STEPS_MAX + STEPS_PER_RECORD * records, code);
}

/** Ends the run when there are too many steps in a window: time would hardly move, or not at all. */
function watchForSpinning(world: World, stepsMax: number, code?: CodeUnderTest): Disposable {
  let since = 0;
  let before = 0;
  return world.onRest(() => {
    if (world.now - since >= WINDOW_MS) {
      since = world.now;
      before = world.steps;
    }
    if (world.steps - before <= stepsMax || world.isEnded) return;
    const ms = world.now - since;
    if (code?.onSpinning !== undefined) code.onSpinning(stepsMax, ms);
    else {
      const body = { kind: "spinning", steps: stepsMax, ms } as const;
      world.trace.emit(world.owner?.name ?? "world", body);
    }
    world.end();
  });
}
