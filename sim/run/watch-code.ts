import { onUnhandledRejection } from "../../src/platform/mod.ts";
import { HostDied } from "../hosts/life.ts";
import type { World } from "../kernel/world.ts";
import type { CodeUnderTest } from "../worlds/stage.ts";
import { NotVirtual } from "./real-io-guard.ts";

/** The window of virtual time in which steps are counted. */
const WINDOW_MS = 2_000;
/** Code that takes more steps within the window is busy-waiting. */
const STEPS_MAX = 4_000;

/**
 * Watches what a user's code does to the realm that it runs in, until disposed: unhandled
 * rejections, loops that keep virtual time from moving, requests to real hosts.
 */
export function watchCode(world: World, code: CodeUnderTest): Disposable {
  world.globals.onRealNetwork = () => world.fail(new NotVirtual(code.noun));
  const rejections = onUnhandledRejection((error) => {
    if (!(error instanceof HostDied)) code.onUnhandled(error);
  });
  const spinning = watchForSpinning(world, code);
  return {
    [Symbol.dispose]: () => {
      rejections[Symbol.dispose]();
      spinning[Symbol.dispose]();
    },
  };
}

/** Ends the run when there are too many steps in a window: time would hardly move, or not at all. */
function watchForSpinning(world: World, code: CodeUnderTest): Disposable {
  let since = 0;
  let before = 0;
  return world.onRest(() => {
    if (world.now - since >= WINDOW_MS) {
      since = world.now;
      before = world.steps;
    }
    if (world.steps - before <= STEPS_MAX || world.isEnded) return;
    code.onSpinning(STEPS_MAX, world.now - since);
    world.end();
  });
}
