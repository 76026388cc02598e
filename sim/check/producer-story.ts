import type { Violation } from "../checkers/checker.ts";
import type { ProducerFacts } from "../checkers/producer-facts.ts";
import type { TraceEvent } from "../trace.ts";
import type { ProducerRun } from "./producer-run.ts";

const LINES_MAX = 12;

/** What happened, in the user's terms: at most a dozen lines that end with the violation. */
export function storyOf({ trace, facts }: ProducerRun, violation: Violation): readonly string[] {
  const lines: string[] = [];
  for (const event of trace) {
    if (event.at > violation.at) break;
    const words = wordsFrom(event, facts, violation.ref);
    if (words === undefined) continue;
    const line = `${(event.at / 1_000).toFixed(3)} s  ${words}`;
    if (lines.at(-1) !== line) lines.push(line);
  }
  const end = `${(violation.at / 1_000).toFixed(3)} s  => ${violation.detail}`;
  if (lines.length < LINES_MAX) return [...lines, end];
  const head = lines.slice(0, 3);
  return [...head, "...", ...lines.slice(lines.length - (LINES_MAX - 2 - head.length)), end];
}

function wordsFrom(
  event: TraceEvent,
  facts: ProducerFacts,
  ref: string | undefined,
): string | undefined {
  switch (event.kind) {
    case "published":
      return `${event.ref} is published (${event.key})`;
    case "emit":
      return `the stream yields ${event.ref}`;
    case "advance":
      return `advance gets ${batchWords(event.items, facts)}`;
    case "advanced":
      return event.ok ? undefined : "advance throws";
    case "settle": {
      const answer = event.refused === "" ? "" : `, refused: ${event.refused}`;
      return `${event.act} ${event.handle}${answer}`;
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
    case "poll-ended":
      return event.how === "threw" ? "the stream throws" : undefined;
    default:
      return undefined;
  }
}

function batchWords(
  items: Extract<TraceEvent, { kind: "advance" }>["items"],
  facts: ProducerFacts,
): string {
  const words = items.map(([number, acked, failed, rejected]) => {
    const ref = facts.copies.get(number)?.record.ref ?? "?";
    const parts = [
      acked > 0 ? `${acked} acked` : "",
      failed > 0 ? `${failed} failed` : "",
      rejected > 0 ? `${rejected} rejected` : "",
    ].filter((part) => part !== "");
    return `${ref} ${parts.length === 0 ? "(nobody took it)" : parts.join(" ")}`;
  });
  return `[${words.join(", ")}]`;
}
