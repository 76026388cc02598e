import { Document, isMap, isSeq } from "yaml";
import { z } from "zod";
import { parseAs } from "../../scenario/parse.ts";
import { count } from "../../codecs/count.ts";
import { duration, durationText } from "../../codecs/duration.ts";
import { producerAct, writtenAct } from "./producer-acts.ts";
import { type ProducerPlan, QUEUE_MAX_DEFAULT } from "./producer-plan.ts";

/** One run of a producer, as a file holds it. */
export interface ProducerScenario {
  /** What is seen in it. */
  readonly story: string;
  /** The module of the producer, seen from the file; only a command line needs it. */
  readonly producer: string | undefined;
  /** The name of the broker model. */
  readonly broker: string;
  /** The guarantee that the run broke when it was written down. */
  readonly breaks: string;
  readonly plan: ProducerPlan;
}

const schema = z
  .strictObject({
    story: z.string(),
    world: z.literal("producer"),
    producer: z.string().optional(),
    broker: z.string(),
    breaks: z.string(),
    seed: z.int().min(0),
    /** Which of the worlds of that seed. */
    variant: z.int().min(0).default(0),
    ackTimeout: duration,
    maxSubscriberQueue: count.default(QUEUE_MAX_DEFAULT),
    strictPersistence: z.boolean().default(false),
    acts: z.array(producerAct),
  })
  .transform(
    ({ seed, variant: salt, ackTimeout, maxSubscriberQueue, ...said }): ProducerScenario => {
      const { story, producer, broker, breaks, strictPersistence, acts } = said;
      const plan = {
        seed,
        salt,
        ackTimeoutMs: ackTimeout,
        subscriberQueueMax: maxSubscriberQueue,
        strictPersistence,
        acts,
      };
      return { story, producer, broker, breaks, plan };
    },
  );

/**
 * Reads what `writeProducerScenario` wrote, or what somebody made of it.
 *
 * @throws {ScenarioError} with the path in the file, what was expected there and what was found
 */
export function parseProducerScenario(text: string, name: string): ProducerScenario {
  return parseAs(schema, text, name);
}

/** Narrow enough to be read, wide enough for an act on one line. */
const COLUMNS = 110;

/** The run as a scenario file; `remarks` are a comment above it, a line each. */
export function writeProducerScenario(
  { story, producer, broker, breaks, plan }: ProducerScenario,
  remarks: readonly string[] = [],
): string {
  const document = new Document({
    story,
    world: "producer",
    ...(producer === undefined ? {} : { producer }),
    broker,
    breaks,
    seed: plan.seed,
    ...(plan.salt === 0 ? {} : { variant: plan.salt }),
    ackTimeout: durationText(plan.ackTimeoutMs),
    ...(plan.subscriberQueueMax === QUEUE_MAX_DEFAULT
      ? {}
      : { maxSubscriberQueue: plan.subscriberQueueMax }),
    ...(plan.strictPersistence ? { strictPersistence: true } : {}),
    acts: plan.acts.map(writtenAct),
  });
  if (isMap(document.contents)) {
    for (const { value } of document.contents.items) {
      if (!isSeq(value)) continue;
      for (const item of value.items) if (isMap(item)) item.flow = true;
    }
  }
  const text = document.toString({ lineWidth: COLUMNS, flowCollectionPadding: true });
  return remarks.map((line) => `# ${line}`.trimEnd() + "\n").join("") + text;
}
