import { CLOCK_PART, type Choices } from "../../sim/choices/choices.ts";
import type { Shown, Subject } from "../../sim/search/subject.ts";
import { World } from "../../sim/kernel/world.ts";

/** Whether a run of a little world went wrong. */
type LittleWorld = (world: World) => Promise<boolean>;

/** A world without a scenario, as the subject of a search; `isWrong` is the bug. */
function littleSubject(name: string, play: LittleWorld): Subject {
  return {
    name,
    mayStall: true,
    async run({ choices, listen }): Promise<Shown> {
      const world = new World(choices, { keepTrace: false });
      world.trace.listen(listen);
      const isWrong = await play(world);
      return {
        violations: isWrong ? [violationOf(name)] : [],
        digest: digestOf(choices),
        marks: [],
        faults: 0,
      };
    },
  };
}

function violationOf(name: string): Shown["violations"][number] {
  const [promise, detail] = [name, name];
  return {
    checker: name,
    promise,
    at: 0,
    host: "world",
    symptom: "advanced-out-of-order",
    detail,
    ref: undefined,
    story: [],
  };
}

function digestOf(choices: Choices): string {
  return choices
    .recorded()
    .map(({ value, part }) => (part === CLOCK_PART ? `c${value}` : value))
    .join(" ");
}

/** A process that the clock may overtake. */
function stallingOwner(): {
  readonly alive: boolean;
  pausedUntil: number;
  readonly skewMs: number;
  stall(untilMs: number): void;
} {
  return {
    alive: true,
    pausedUntil: 0,
    skewMs: 0,
    stall(untilMs) {
      this.pausedUntil = untilMs;
    },
  };
}

const HEARTBEAT_MS = 100;

/**
 * An owner takes a lease and acts on it a millisecond later; its peer takes the lease over when it
 * has made so many heartbeats and heard nothing. Wrong when the owner then acts all the same. A
 * bystander beats, too, so that each moment has something to decide.
 */
export function pausedOwner(heartbeats: number): Subject {
  return littleSubject(`owner paused for ${heartbeats} heartbeats`, async (world) => {
    const [owner, peer, bystander] = [stallingOwner(), stallingOwner(), stallingOwner()];
    let beats = 0;
    let beatsBefore = 0;
    let ticks = 0;
    let isActed = false;
    let isWrong = false;
    const beat = (): void => {
      beats += 1;
      if (beats < heartbeats + 10) {
        world.schedule(HEARTBEAT_MS, { owner: peer, lane: "peer", hop: false }, beat);
      }
    };
    const tick = (): void => {
      ticks += 1;
      if (ticks < heartbeats + 10) {
        world.schedule(HEARTBEAT_MS, { owner: bystander, lane: "bystander", hop: false }, tick);
      }
    };
    const act = (): void => {
      isActed = true;
      isWrong = beats - beatsBefore >= heartbeats;
    };
    world.schedule(0, { owner: peer, lane: "peer", hop: false }, beat);
    world.schedule(30, { owner: bystander, lane: "bystander", hop: false }, tick);
    world.schedule(50, { owner, lane: "owner", hop: false }, () => {
      beatsBefore = beats;
      world.schedule(1, { owner, lane: "owner", hop: false }, act);
    });
    await world.run(HEARTBEAT_MS * (heartbeats + 20));
    return isActed && isWrong;
  });
}

/** Two tasks; the one waits through `gap` awaits before both want to go. Wrong when it goes first. */
export function racingTasks(gap: number, first: "late" | "early"): Subject {
  return littleSubject(`the ${first} one first, ${gap} awaits between`, async (world) => {
    const order: string[] = [];
    const go = async (name: "late" | "early", awaits: number): Promise<void> => {
      for (let at = 0; at < awaits; at += 1) await Promise.resolve();
      await new Promise<void>((resolve) => {
        world.schedule(0, { owner: stallingOwner(), lane: name }, resolve);
      });
      order.push(name);
    };
    world.schedule(0, { lane: "start" }, () => {
      void go("early", 0);
      void go("late", gap);
    });
    await world.run(10);
    return order[0] === first;
  });
}
