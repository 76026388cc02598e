import type { Violation } from "../../checkers/checker.ts";
import type { ProducerFacts } from "../../checkers/producer/producer-facts.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import type { ProducerRun } from "./producer-run.ts";

const LINES_MAX = 12;
/** How many of the first lines stay when even what matters is too long. */
const HEAD_LINES = 4;

/** A line with how much it matters: what is left out first has the lowest weight. */
interface Line {
  readonly text: string;
  readonly weight: number;
}

/** What happened, in the user's terms: at most a dozen lines that end with the violation. */
export function storyOf({ trace, facts }: ProducerRun, violation: Violation): readonly string[] {
  const lines: Line[] = [];
  for (const event of trace) {
    if (event.at > violation.at) break;
    const words = wordsFrom(event, facts, violation.ref);
    if (words === undefined) continue;
    const text = `${secondsFrom(event.at)}  ${words}`;
    if (lines.at(-1)?.text === text) continue;
    lines.push({ text, weight: weightOf(event, facts, violation.ref) });
  }
  const end = `${secondsFrom(violation.at)}  => ${violation.detail}`;
  return [...shortened(lines, LINES_MAX - 1), end];
}

function secondsFrom(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}

function shortened(lines: readonly Line[], most: number): readonly string[] {
  let left = lines;
  for (let weight = 0; left.length > most && weight < WEIGHT_MAX; weight += 1) {
    const surplus = left.length - most;
    let dropped = 0;
    left = left.filter((line) => {
      if (line.weight !== weight || dropped >= surplus) return true;
      dropped += 1;
      return false;
    });
  }
  const texts = left.map(({ text }) => text);
  if (texts.length <= most) return texts;
  const tail = most - HEAD_LINES - 1;
  return [...texts.slice(0, HEAD_LINES), "...", ...texts.slice(-tail)];
}

const WEIGHT_MAX = 4;

function weightOf(event: TraceEvent, facts: ProducerFacts, ref: string | undefined): number {
  switch (event.kind) {
    case "published":
      return event.ref === ref ? 3 : 0;
    case "emit":
      return event.ref === ref ? 3 : 1;
    case "advance":
      return refsOf(event.items, facts).includes(ref ?? "") ? WEIGHT_MAX : 2;
    case "settle":
      return event.ref === ref ? WEIGHT_MAX : 2;
    case "settled":
    case "dead-lettered":
    case "expired":
    case "lapsed":
      return event.ref === ref ? WEIGHT_MAX : 1;
    case "aclose":
    case "aclosed":
      return 1;
    default:
      return 3;
  }
}

function wordsFrom(
  event: TraceEvent,
  facts: ProducerFacts,
  ref: string | undefined,
): string | undefined {
  switch (event.kind) {
    case "published":
      return `${event.ref} is published (${event.key})`;
    case "emit": {
      const place = facts.records.get(event.ref)?.place;
      return `the stream yields ${event.ref}${place === undefined ? "" : ` (${place})`}`;
    }
    case "advance":
      return `advance gets ${batchWords(event.items, facts)}`;
    case "settle": {
      const who = facts.isOurs(event.consumer) ? "" : "a rival: ";
      const answer = event.refused === "" ? "" : `, refused: ${event.refused}`;
      return `${who}${event.act} ${event.handle}${answer}`;
    }
    case "settled":
      return event.ref === ref ? `the broker takes ${event.ref} for settled` : undefined;
    case "dead-lettered":
      return `${event.ref} is in the dead-letter queue`;
    case "expired":
      return `retention removes ${event.ref}`;
    case "lapsed":
      return event.ref === ""
        ? `${event.consumer} is put out of its group`
        : `the lease of ${event.ref} ends`;
    default:
      return happeningFrom(event);
  }
}

/** What befell hosts, links, subscribers and the session as a whole. */
function happeningFrom(event: TraceEvent): string | undefined {
  switch (event.kind) {
    case "disturbed":
      return `broker: ${event.name}`;
    case "fault":
      return `fault at ${event.site}: ${event.verdict}`;
    case "host":
      return event.state === "start" ? undefined : `${event.host}: ${event.state}`;
    case "link":
      return `link ${event.host} to ${event.to}: ${event.state}`;
    case "force-failed":
      return `subscriber ${event.trigger} is given up (${event.reason})`;
    case "factory-failed":
      return "the factory fails after it has made its producer";
    case "aclose":
      return "aclose is called";
    case "aclosed":
      return "aclose returns";
    case "producer-error": {
      const who = event.from === "advance" ? "advance" : "the stream";
      return `${who} throws (${event.error})`;
    }
    default:
      return undefined;
  }
}

type Items = Extract<TraceEvent, { kind: "advance" }>["items"];

function refsOf(items: Items, facts: ProducerFacts): readonly string[] {
  return items.map(([number]) => facts.copies.get(number)?.record.ref ?? "?");
}

function batchWords(items: Items, facts: ProducerFacts): string {
  const refs = refsOf(items, facts);
  const words = items.map(([, acked, failed, rejected], at) => {
    const parts = [
      acked > 0 ? `${acked} acked` : "",
      failed > 0 ? `${failed} failed` : "",
      rejected > 0 ? `${rejected} rejected` : "",
    ].filter((part) => part !== "");
    return `${refs[at] ?? "?"}: ${parts.length === 0 ? "nobody took it" : parts.join(", ")}`;
  });
  return `[${words.join("; ")}]`;
}
