import { Deferred, Effect, Fiber, Queue } from "effect";
import { laneOf, type Work } from "../engine/work.ts";
import type { Settled, Tracker } from "./settler.ts";

/**
 * An unbounded queue and a fiber per lane: the fiber takes all there is, waits for each event's
 * completion, and advances what follows in order.
 */
export function createEffectQueues(settled: Settled, { lanes, events }: Work): Tracker {
  const queues = new Map<number, Queue.Queue<number>>();
  const fibers: Fiber.Fiber<void>[] = [];
  const waiting = Array.from({ length: events }, () => Deferred.makeUnsafe<void>());

  const settle = (queue: Queue.Queue<number>): Effect.Effect<void> =>
    Effect.gen(function* () {
      for (;;) {
        let batch: number[] = [];
        for (const id of yield* Queue.takeAll(queue)) {
          const completion = waiting[id] as Deferred.Deferred<void>;
          if (!Deferred.isDoneUnsafe(completion)) {
            const done = batch;
            batch = [];
            if (done.length > 0) yield* Effect.promise(() => settled.advance(done));
            yield* Deferred.await(completion);
          }
          batch.push(id);
        }
        const rest = batch;
        yield* Effect.promise(() => settled.advance(rest));
      }
    });

  return {
    track(id) {
      const lane = laneOf(id, lanes);
      let queue = queues.get(lane);
      if (queue === undefined) {
        queue = Effect.runSync(Queue.unbounded<number>());
        queues.set(lane, queue);
        fibers.push(Effect.runFork(settle(queue)));
      }
      Queue.offerUnsafe(queue, id);
    },
    complete(id) {
      Deferred.doneUnsafe(waiting[id] as Deferred.Deferred<void>, Effect.void);
    },
    close: () => Effect.runPromise(Fiber.interruptAll(fibers)),
  };
}
