import type { Breach } from "../../trace/producer-events.ts";

/** Describes a breach of contract in a sentence. */
export function breachWords(breach: Breach): string {
  switch (breach.what) {
    case "not-a-pair":
      return "the stream yielded something else than a [rawEvent, brokerPayload] pair";
    case "no-raw-event":
      return "the stream yielded undefined or null as a raw event: a trigger finds nothing in it";
    case "yield-after-abort":
      return "the stream went on yielding after its signal aborted";
    case "payload-reused":
      return "one payload object was yielded twice: each event needs its own";
    case "lane-calls-broker":
      return "getAdvanceLane talks to the broker: it has to be cheap";
    case "lane-promise":
      return "getAdvanceLane returns a promise: it has to be synchronous";
    case "lane-unstable":
      return "getAdvanceLane is not stable: two calls for one payload differ";
    case "endless-yields":
      return `the stream yields ${breach.yields} events without waiting for anything`;
    case "stream-not-ended":
      return `the stream did not end within ${breach.ms} ms after its signal aborted`;
    case "aclose-threw":
      return `aclose threw for a producer whose stream never opened: ${breach.error}`;
    case "unhandled-rejection":
      return `a promise was rejected (${breach.error}), and nobody handled it`;
    case "spinning":
      return `the producer spins: it does something ${breach.steps} times within ${breach.ms} ms`;
    case "asked-at-once":
      return `${breach.site} was refused ${breach.times} times in a row, and asked again at once`;
    default:
      return breach satisfies never;
  }
}
