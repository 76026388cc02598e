import fastq from "fastq";
import PQueue from "p-queue";
import { buffer, concatMap, filter, groupBy, mergeMap, Subject } from "rxjs";
import { laneOf, type Work } from "../engine/work.ts";
import { LaneBatches, type Settled, type Tracker } from "./settler.ts";

/** A queue of concurrency 1 per lane; each task waits for the completion of its event. */
export function createPQueues(settled: Settled, { lanes, events }: Work): Tracker {
  const queues = new Map<number, PQueue>();
  const batches = new LaneBatches(settled, lanes);
  const waiting = Array.from({ length: events }, () => Promise.withResolvers<void>());
  return {
    track(id) {
      const lane = laneOf(id, lanes);
      let queue = queues.get(lane);
      if (queue === undefined) queues.set(lane, (queue = new PQueue({ concurrency: 1 })));
      void queue.add(async () => {
        await waiting[id]?.promise;
        batches.add(id);
      });
    },
    complete: (id) => waiting[id]?.resolve(),
    beat: () => batches.flush(),
  };
}

/** A worker of concurrency 1 per lane, which calls back when its event is complete. */
export function createFastqs(settled: Settled, { lanes, events }: Work): Tracker {
  const queues = new Map<number, fastq.queue<number>>();
  const batches = new LaneBatches(settled, lanes);
  const isComplete = new Uint8Array(events);
  const waiting = new Map<number, fastq.done>();

  function work(id: number, done: fastq.done): void {
    if (isComplete[id] === 1) finish(id, done);
    else waiting.set(id, done);
  }

  function finish(id: number, done: fastq.done): void {
    batches.add(id);
    done(null);
  }

  return {
    track(id) {
      const lane = laneOf(id, lanes);
      let queue = queues.get(lane);
      if (queue === undefined) queues.set(lane, (queue = fastq(work, 1)));
      queue.push(id, ignore);
    },
    complete(id) {
      isComplete[id] = 1;
      const done = waiting.get(id);
      if (done === undefined) return;
      waiting.delete(id);
      finish(id, done);
    },
    beat: () => batches.flush(),
  };
}

/** groupBy the lane, concatMap each event to its completion, buffer until the next beat. */
export function createRxjs(settled: Settled, { lanes, events }: Work): Tracker {
  const source = new Subject<number>();
  const beats = new Subject<void>();
  const completions = new Map<number, Subject<number>>();
  const isComplete = new Uint8Array(events);
  let advancing: Promise<void> = Promise.resolve();

  function completionOf(id: number): Subject<number> | readonly number[] {
    if (isComplete[id] === 1) return [id];
    const completion = new Subject<number>();
    completions.set(id, completion);
    return completion;
  }

  const subscription = source
    .pipe(
      groupBy((id) => laneOf(id, lanes)),
      mergeMap((lane) =>
        lane.pipe(
          concatMap(completionOf),
          buffer(beats),
          filter((batch) => batch.length > 0),
        ),
      ),
    )
    .subscribe((batch) => {
      advancing = advancing.then(() => settled.advance(batch));
    });
  return {
    track: (id) => source.next(id),
    complete(id) {
      isComplete[id] = 1;
      const completion = completions.get(id);
      completions.delete(id);
      completion?.next(id);
      completion?.complete();
    },
    beat() {
      beats.next();
      return advancing;
    },
    close: () => subscription.unsubscribe(),
  };
}

function ignore(): void {
  // A task of these queues does not fail.
}
