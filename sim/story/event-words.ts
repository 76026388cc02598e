import { breachWords } from "../checkers/producer/breach-words.ts";
import type { JobEvent } from "../trace/job-events.ts";
import type { ProducerEvent } from "../trace/producer-events.ts";
import type { OperatorEvent, TaskInstanceEvent } from "../trace/task-events.ts";
import type { AdvancedItem, DurableEvent, StreamEvent, TraceEvent } from "../trace/trace.ts";
import type { Cast } from "./cast.ts";
import { dataWords, isOfData } from "./data-words.ts";
import { worldWords } from "./world-words.ts";

type At<E> = E & { readonly host: string };

/** Returns what happened in words: the one table that every story takes its lines from. */
export function eventWords(event: TraceEvent, cast: Cast): string {
  switch (event.kind) {
    case "host":
    case "link":
    case "fault":
    case "phase":
    case "uncaught":
    case "spinning":
    case "output":
      return worldWords(event);
    case "published":
    case "garbled":
    case "copied":
    case "delivered":
    case "settled":
    case "settle":
    case "dead-lettered":
    case "on-leader-alone":
    case "dead-letter-dropped":
    case "lapsed":
    case "expired":
    case "persisted":
    case "claimed":
      return durableWords(event, cast);
    case "breach":
    case "producer-error":
    case "client-call":
    case "disturbed":
    case "still-open":
      return producerWords(event);
    case "task-state":
    case "attempt":
    case "attempt-ended":
    case "kill":
    case "declared-dead":
    case "refused":
    case "user-cleared":
    case "user-stopped":
    case "deferral-trigger":
    case "result-expected":
      return taskWords(event, cast);
    case "job-reply":
    case "state-sent":
    case "method-called":
    case "method-returned":
    case "status-believed":
    case "resume-decided":
    case "resume-counted":
    case "not-durable":
    case "uses":
      return operatorWords(event);
    case "job-system":
    case "job-accepted":
    case "job-rejected":
    case "job-deduplicated":
    case "job-started":
    case "job-finished":
    case "job-cancel-asked":
    case "job-cancelled":
    case "job-forgotten":
    case "job-status":
    case "job-result":
      return jobWords(event, cast);
    default:
      return isOfData(event) ? dataWords(event) : streamWords(event, cast);
  }
}

function streamWords(event: At<StreamEvent>, cast: Cast): string {
  switch (event.kind) {
    case "manager":
      return `${event.host} has a manager`;
    case "subscribe":
      return `${cast.subscriber} ${event.trigger} subscribes to ${event.key}`;
    case "subscribe-refused":
      return `${cast.subscriber} ${event.trigger} cannot subscribe to ${event.key}: ${event.error}`;
    case "confirm":
      return `confirmed: seq ${event.seqs.join(", ")}`;
    case "stop-all":
      return "stopAll is called";
    case "stopped":
      return "the manager has stopped";
    case "force-failed":
      return `${cast.subscriber} ${event.trigger} is force-failed (${event.reason})`;
    case "group-failed":
      return `the group of ${event.key} fails`;
    case "manager-threw":
      return `${event.method} throws ${event.error}`;
    case "groups":
      return `the manager holds ${event.keys.length === 0 ? "no key" : event.keys.join(", ")}`;
    case "outstanding":
      return event.outstanding === 1
        ? "1 event is outstanding"
        : `${event.outstanding} events are outstanding`;
    case "fired-alone":
      return `trigger ${event.trigger}, which shares no stream, fires trigger event ${event.event}`;
    case "reject-alone":
      return `trigger ${event.trigger}, which shares no stream, rejects`;
    case "pull":
    case "deliver":
    case "stream-error":
    case "stream-done":
    case "yield":
    case "bind":
    case "reject":
    case "late-reject":
    case "visit":
    case "visit-threw":
    case "visit-failed":
    case "stream-return":
    case "unsubscribe":
    case "unsubscribed":
      return subscriptionWords(event, cast);
    default:
      return pollWords(event, cast);
  }
}

type SubscriptionEvent = Extract<StreamEvent, { readonly sub: number }>;
type PollEvent = Extract<StreamEvent, { readonly poll: number }>;

function pollWords(event: At<PollEvent>, cast: Cast): string {
  switch (event.kind) {
    case "factory":
      return `a producer is made for ${event.key}`;
    case "factory-failed":
      return "the factory fails after it has made its producer";
    case "open":
      return `${event.host} opens poll ${event.poll} of ${event.key}`;
    case "emit": {
      const place = cast.places.get(event.ref);
      return `the stream yields ${event.ref}${place === undefined ? "" : ` (${place})`}`;
    }
    case "fan-out":
      return `${refOf(event.copy, cast)} is broadcast, lane ${event.lane}`;
    case "lane-failed":
      return `the lane hook of poll ${event.poll} fails`;
    case "poll-ended":
      return `the source of poll ${event.poll} ${event.how}`;
    case "advance":
      return `advance gets ${batchWords(event.items, cast)}`;
    case "advanced":
      return `advance of poll ${event.poll} ${event.ok ? "returns" : "throws"}`;
    case "aclose":
      return `the producer of poll ${event.poll} is closed`;
    case "aclosed":
      return `aclose of poll ${event.poll} returns`;
    default:
      return event satisfies never;
  }
}

/** How many events of a batch a line names. */
const NAMED_MAX = 4;

/** The batch of an advance; of a large one, the events that the story is about. */
function batchWords(items: readonly AdvancedItem[], cast: Cast): string {
  const inFocus = items.filter(([copy]) => cast.refs.get(copy) === cast.focus);
  const named = inFocus.length > 0 && items.length > NAMED_MAX ? inFocus : items;
  const words = named.slice(0, NAMED_MAX).map(([copy, acked, failed, rejected]) => {
    const parts = [
      [acked, "acked"],
      [failed, "failed"],
      [rejected, "rejected"],
    ] as const;
    const counts = parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
    return `${refOf(copy, cast)}: ${counts.length === 0 ? "no subscriber took it" : counts.join(", ")}`;
  });
  const more = items.length - words.length;
  return `[${words.join("; ")}${more > 0 ? `; ${more} more` : ""}]`;
}

function refOf(copy: number, { refs }: Cast): string {
  return refs.get(copy) ?? `copy ${copy}`;
}

function subscriptionWords(event: At<SubscriptionEvent>, cast: Cast): string {
  const who = `${cast.subscriber} ${cast.triggers.get(event.sub) ?? "?"}`;
  switch (event.kind) {
    case "subscribe":
      return `${who} subscribes to ${event.key}`;
    case "pull":
      return `${who} asks for the next event`;
    case "deliver":
      return `${who} gets ${refOf(event.copy, cast)}`;
    case "stream-error":
      return `${who} gets ${event.error}`;
    case "stream-done":
      return `the stream of ${who} ends`;
    case "yield":
      return `${who} derives trigger event ${event.event}`;
    case "bind":
      return `${who}: bind gives ${event.seq === null ? "no seq" : `seq ${event.seq}`}`;
    case "reject":
      return `${who} rejects it`;
    case "late-reject":
      return `${who} rejects out of a task that has no window`;
    case "visit":
      return `${who} begins a visit`;
    case "visit-threw":
      return `the visitor of ${who} throws ${event.error}`;
    case "visit-failed":
      return `the visit of ${who} fails with ${event.error}`;
    case "stream-return":
      return `${who} ends its iterator`;
    case "unsubscribe":
      return `${who} leaves`;
    case "unsubscribed":
      return `${who} has left`;
    default:
      return event satisfies never;
  }
}

function durableWords(event: At<DurableEvent>, { hasRivals }: Cast): string {
  switch (event.kind) {
    case "published":
      return `${event.ref} is published (${event.key})`;
    case "garbled":
      return `${event.ref} is no JSON`;
    case "copied":
      return `${event.ref} is published again, as a copy`;
    case "delivered":
      return `the broker delivers ${event.ref} to ${event.consumer}`;
    case "settled":
      return `the broker takes ${event.ref} for settled${event.why === undefined ? "" : `: ${event.why}`}`;
    case "settle": {
      const over = event.heldBy === undefined ? "" : `, which ${event.heldBy} has leased by now`;
      const reply = event.refused === "" ? over : `, refused: ${event.refused}`;
      return `${hasRivals ? `${event.consumer}: ` : ""}${event.act} ${event.handle}${reply}`;
    }
    case "dead-lettered":
      return event.atLimit === true
        ? `${event.ref} has been delivered as often as it may, and is in the dead-letter queue`
        : `${event.ref} is in the dead-letter queue`;
    case "dead-letter-dropped":
      return `the dead-letter queue drops ${event.ref}: it keeps no more, or no longer`;
    case "on-leader-alone":
      return `the leader of a partition has the dead letter of ${event.ref}, and no follower yet`;
    case "lapsed":
      return event.ref === ""
        ? `${event.consumer} is put out of its group`
        : `the lease of ${event.ref} ends`;
    case "expired":
      return `retention removes ${event.ref}`;
    case "persisted":
      return `trigger event ${event.event} is persisted`;
    case "claimed":
      return `${event.triggerer} takes over trigger ${event.trigger}`;
    default:
      return event satisfies never;
  }
}

function producerWords(event: At<ProducerEvent>): string {
  switch (event.kind) {
    case "breach":
      return breachWords(event.breach);
    case "producer-error":
      return `${event.from === "advance" ? "advance" : "the stream"} of poll ${event.poll} throws (${event.error})`;
    case "client-call":
      return `the client calls the broker (${event.site})`;
    case "disturbed":
      return `broker: ${event.name}`;
    case "still-open":
      return `still open: ${[...event.what, `${event.timers} timers`].join(", ")}`;
    default:
      return event satisfies never;
  }
}

function taskWords(event: At<TaskInstanceEvent>, { focus }: Cast): string {
  switch (event.kind) {
    case "task-state":
      return `${event.task}: ${event.state}${event.result === "" ? "" : `, with ${event.result}`}`;
    case "attempt": {
      const whose = event.task === focus ? "" : ` of ${event.task}`;
      return `attempt ${event.attempt}${whose} begins on ${event.host}: ${event.start}`;
    }
    case "attempt-ended":
      return `attempt ${event.attempt} ends: ${event.outcome}${event.error === "" ? "" : `, ${event.error}`}`;
    case "kill":
      return `attempt ${event.attempt} is killed: ${event.category}`;
    case "declared-dead":
      return `attempt ${event.attempt} is declared dead`;
    case "refused":
      return `attempt ${event.attempt} is refused: ${event.what}`;
    case "user-stopped":
      return `a user stops ${event.task}`;
    case "user-cleared":
      return `a user clears ${event.task} and ${event.keepState ? "keeps" : "discards"} its state`;
    case "deferral-trigger":
      return `the trigger ${event.trigger} of ${event.task}: ${event.state}`;
    case "result-expected":
      return `without faults, ${event.task} returns ${event.result}`;
    default:
      return event satisfies never;
  }
}

function operatorWords(event: At<OperatorEvent>): string {
  const who = `attempt ${event.attempt}`;
  switch (event.kind) {
    case "job-reply":
      return `${who} gets the reply to its ${event.call}: ${event.error || event.word || "done"}`;
    case "state-sent":
      return `${who} sends "${event.key}" = ${event.value} to the store`;
    case "method-called":
      return `${who}: ${event.method} is called`;
    case "method-returned":
      return `${who}: ${event.method} returns${event.status === "" ? "" : ` ${event.status}`}`;
    case "status-believed":
      return `${who} believes the status "${event.status}"`;
    case "resume-decided":
      return `${who} decides: ${event.decision}`;
    case "resume-counted":
      return `${who} counts ${event.counter}`;
    case "not-durable":
      return `${who} is not to store the id of its job`;
    case "uses":
      return `${who} runs a job each for ${event.keys.join(" and ")}${event.areAtOnce === true ? ", at once" : ""}`;
    default:
      return event satisfies never;
  }
}

function jobWords(event: At<JobEvent>, { focus }: Cast): string {
  switch (event.kind) {
    case "job-system":
      return `the job system starts; idempotency: ${event.idempotency}`;
    case "job-accepted": {
      const whose = event.task === focus ? "" : ` of ${event.task}`;
      const key = event.key === "" || event.key === event.id ? "" : ` by the key "${event.key}"`;
      const as = event.id === "" ? "without an id" : `as ${event.id}`;
      return `the system accepts job ${event.job}${whose} ${as}${key}`;
    }
    case "job-rejected":
      return `the system refuses a job: ${event.reason}`;
    case "job-deduplicated":
      return `the system knows the key "${event.key}" and returns job ${event.job}`;
    case "job-started":
      return `job ${event.job} starts`;
    case "job-finished":
      return `job ${event.job} ends: ${event.outcome}`;
    case "job-cancel-asked":
      return `a cancel of job ${event.job} is asked for`;
    case "job-cancelled":
      return `job ${event.job} is cancelled`;
    case "job-forgotten":
      return `the system forgets job ${event.job}`;
    case "job-status": {
      const which = event.job === 0 ? "no job" : `job ${event.job}`;
      return `the system finds ${which}${event.status === "" ? "" : `: "${event.status}"`}`;
    }
    case "job-result":
      return `the result of job ${event.job} is fetched`;
    default:
      return event satisfies never;
  }
}
