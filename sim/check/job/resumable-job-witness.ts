import type { KillCategory } from "../../../src/operator/mod.ts";
import type { Violation } from "../../checkers/checker.ts";
import type { TaskSymptom } from "../../checkers/symptom.ts";
import { JobCounters, type JobRecord } from "../../jobs/job-counters.ts";
import { textFromJobId } from "../../jobs/job-id.ts";
import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import type { World } from "../../kernel/world.ts";
import { JOB_PROMISES, type JobPromise } from "./resumable-job-promises.ts";

type EventOf<Kind extends TraceEvent["kind"]> = Extract<TraceEvent, { kind: Kind }>;

/** How far the id of a job came: to its attempt, towards the store, into it. */
type IdState = "unheard" | "answered" | "sent" | "sent-late" | "refused" | "stored";

interface OwnJob {
  readonly fact: JobRecord;
  readonly attempt: number;
  /** The recorded job when this one was accepted. */
  readonly insteadOf: OwnJob | undefined;
  idState: IdState;
  answeredAt: number;
  /** Calls that its attempt made between the answer and the store. */
  callsSince: number;
  /** A poll for it has come to its end. */
  isPolledThrough: boolean;
}

interface Attempt {
  readonly number: number;
  /** The job that its submit was answered with, or is about to be. */
  submitted: OwnJob | undefined;
  /** Looks at jobs since the method began that is under way. */
  looks: EventOf<"job-status">[];
  /** What the last look brought: a word, nothing, or an error's name. */
  lastLook: { readonly word?: string; readonly error?: string };
  /** The word that a look at somebody else's job brought and that was believed. */
  strange: { readonly word: string; readonly job: number } | undefined;
  killed: KillCategory | undefined;
  polled: OwnJob | undefined;
  isCancelHampered: boolean;
  isPolling: boolean;
}

/** A poll that looks so often in a row at somebody else's job believes that it is its own. */
const STRANGE_LOOKS_MAX = 6;

/**
 * Watches one task over all its attempts: on the trace, what the job system did; at the face of the
 * user's job, what the attempt heard and said.
 *
 * Holds: it keeps the first broken promise.
 */
export class JobWitness {
  readonly #world: World;
  readonly #task: string;
  readonly #knobs: JobSystemKnobs;
  readonly #counters = new JobCounters();
  readonly #own = new Map<number, OwnJob>();
  #recorded: OwnJob | undefined;
  #idKey = "";
  #attempt: Attempt = attemptOf(0);
  #violation: Violation | undefined;

  constructor(world: World, task: string, knobs: JobSystemKnobs) {
    this.#world = world;
    this.#task = task;
    this.#knobs = knobs;
    world.trace.listen((event) => this.#hear(event));
  }

  get violation(): Violation | undefined {
    return this.#violation;
  }

  /** The ids of the task's jobs, as text. */
  get ids(): ReadonlySet<string> {
    return new Set([...this.#own.values()].map(({ fact }) => fact.id));
  }

  /** The keys and chosen ids of the task's jobs, newest first. */
  get keys(): readonly string[] {
    return [...this.#own.values()].map(({ fact }) => fact.key).reverse();
  }

  begin(number: number, idKey: string): void {
    this.#attempt = attemptOf(number);
    this.#idKey = idKey;
  }

  /** The client is about to call. */
  calls(): void {
    const { submitted } = this.#attempt;
    if (submitted?.idState === "answered") submitted.callsSince += 1;
  }

  /** A submit was answered. */
  answered(): void {
    const { submitted } = this.#attempt;
    if (submitted === undefined || submitted.idState !== "unheard") return;
    submitted.idState = "answered";
    submitted.answeredAt = this.#world.now;
  }

  lookEnded(look: Attempt["lastLook"]): void {
    this.#attempt.lastLook = look;
  }

  cancelFailed(): void {
    this.#attempt.isCancelHampered = true;
  }

  /** The id is on its way to the store. */
  sends(key: string): void {
    const { submitted } = this.#attempt;
    if (key !== this.#idKey || submitted?.idState !== "answered") return;
    const isPrompt = submitted.callsSince === 0 && submitted.answeredAt === this.#world.now;
    submitted.idState = isPrompt ? "sent" : "sent-late";
  }

  /** The store did not take the id, and no fault was to blame. */
  refused(key: string): void {
    const { submitted } = this.#attempt;
    if (key === this.#idKey && submitted?.idState === "sent") submitted.idState = "refused";
  }

  lookBegins(): void {
    this.#attempt.looks = [];
    this.#attempt.strange = undefined;
  }

  /** `getJobStatus` answered. */
  told(status: string): void {
    const last = this.#attempt.looks.at(-1);
    if (last === undefined || last.job === 0 || this.#own.has(last.job)) return;
    if (last.status === status) this.#attempt.strange = { word: status, job: last.job };
  }

  /** A predicate said yes. */
  believes(status: string): void {
    const { strange, number } = this.#attempt;
    if (strange?.word !== status) return;
    const what = `attempt ${number} takes the status "${status}" of job ${strange.job}`;
    this.#report(
      "I19",
      "touched-foreign-job",
      `${what}, which is somebody else's, for that of its own job`,
    );
  }

  pollBegins(): void {
    this.lookBegins();
    this.#attempt.isPolling = true;
    this.#attempt.polled = this.#recorded;
    if (this.#recorded !== undefined) return;
    const { number } = this.#attempt;
    this.#report("I2", "polled-without-id", `attempt ${number} polls, and the store holds no id`);
  }

  polled(): void {
    this.#attempt.isPolling = false;
    if (this.#attempt.polled !== undefined) this.#attempt.polled.isPolledThrough = true;
    const last = this.#attempt.looks.at(-1);
    if (last === undefined || last.job === 0 || this.#own.has(last.job)) return;
    const what = `attempt ${this.#attempt.number} ends its poll by the status of job ${last.job}`;
    this.#report("I19", "touched-foreign-job", `${what}, which is somebody else's`);
  }

  kill(category: KillCategory): void {
    this.#attempt.killed = category;
  }

  /** The attempt has done all that it does about its kill. */
  killEnded(): void {
    const { killed, polled, number, isCancelHampered } = this.#attempt;
    if (killed === "infrastructure" || polled === undefined || isCancelHampered) return;
    const { fact } = polled;
    if (!fact.isLive || fact.cancelAskedBy.length > 0) return;
    this.#report(
      "I14",
      "left-running",
      `attempt ${number} was killed (${killed ?? ""}) while it polled job ${fact.job}, and nobody cancelled that`,
    );
  }

  /** The task has ended with a result. */
  ended(result: string, expected: string | undefined): void {
    const { number } = this.#attempt;
    const hasSucceeded = [...this.#own.values()].some(({ fact }) => fact.outcome === "success");
    if (!hasSucceeded) {
      this.#report(
        "I20",
        "succeeded-without-job",
        `attempt ${number} ends as a success, and none of its jobs succeeded`,
      );
    } else if (expected !== undefined && result !== expected) {
      this.#report(
        "I20",
        "wrong-result",
        `attempt ${number} ends with ${result}; a run without faults ends with ${expected}`,
      );
    }
  }

  stuck(detail: string): void {
    this.#report("progress", "task-unfinished", detail);
  }

  #hear(event: TraceEvent): void {
    this.#counters.apply(event);
    switch (event.kind) {
      case "job-accepted":
        if (event.task === this.#task) this.#hearAccepted(event);
        break;
      case "job-deduplicated":
        if (event.task === this.#task) this.#attempt.submitted = this.#own.get(event.job);
        break;
      case "job-status":
        if (event.by === this.#task) this.#hearLook(event);
        break;
      case "job-result":
        if (event.by === this.#task && !this.#own.has(event.job)) {
          const what = `attempt ${this.#attempt.number} fetches the result of job ${event.job}`;
          this.#report("I19", "touched-foreign-job", `${what}, which is somebody else's`);
        }
        break;
      case "job-cancel-asked":
        if (event.by === this.#task) this.#hearCancel(event);
        break;
      case "state-set":
        if (event.key === this.#idKey) this.#hearStored(event.value);
        break;
      default:
    }
  }

  #hearAccepted(event: EventOf<"job-accepted">): void {
    const fact = this.#counters.jobs.get(event.job);
    if (fact === undefined) return;
    for (const earlier of this.#own.values()) this.#judgeUnstored(earlier, fact);
    this.#judgeRecorded(fact);
    const { number } = this.#attempt;
    const own: OwnJob = {
      fact,
      attempt: number,
      insteadOf: this.#recorded,
      idState: "unheard",
      answeredAt: 0,
      callsSince: 0,
      isPolledThrough: false,
    };
    this.#own.set(fact.job, own);
    this.#attempt.submitted = own;
  }

  /**
   * A job that is no failure and that no store knows. Why it is excused: (1) its submitter never
   * heard of it, or (2) sent the id to the store at once, and was struck there. But where the
   * system would have recognised a repeated submit, it must get the same key.
   */
  #judgeUnstored(earlier: OwnJob, next: JobRecord): void {
    const { fact, idState, attempt } = earlier;
    if (idState === "stored" || !(fact.isLive || fact.outcome === "success")) return;
    const twice = `job ${next.job} is submitted beside job ${fact.job}`;
    if (this.#isRecognisable(earlier) && next.key !== "" && fact.key !== next.key) {
      this.#report(
        "I1",
        "submitted-with-other-key",
        `${twice} with another key ("${next.key}", before it "${fact.key}"), so that the system could not tell`,
      );
    } else if (idState === "answered" || idState === "sent-late") {
      const did = earlier.callsSince > 0 ? "called elsewhere" : "waited";
      const how = `attempt ${attempt} knew its id and ${did} before it was stored`;
      this.#report("I1", "submitted-twice", `${twice}: ${how}`);
    } else if (idState === "refused") {
      this.#report(
        "I1",
        "submitted-after-refusal",
        `${twice}: the store could not take its id from attempt ${attempt}`,
      );
    }
  }

  #isRecognisable({ fact, insteadOf }: OwnJob): boolean {
    const { idempotency } = this.#knobs;
    if (idempotency.kind === "none" || fact.key === "" || !fact.isKnown) return false;
    if (insteadOf !== this.#recorded) return false;
    return fact.isLive || idempotency.kind === "conflict-409" || idempotency.evenIfTerminal;
  }

  #judgeRecorded(next: JobRecord): void {
    if (this.#recorded === undefined) return;
    const { number, lastLook } = this.#attempt;
    const { job, isLive, isKnown, outcome } = this.#recorded.fact;
    // Where finished jobs are cleaned away as a matter of course, who saw a success remembers it.
    const isToBeKnown = this.#knobs.objectVanishes !== undefined && this.#recorded.isPolledThrough;
    const what = `attempt ${number} submits job ${next.job}`;
    const { word, error } = lastLook;
    if (isLive) {
      const isUnknown = word !== undefined && this.#knobs.statusVocabulary.unmapped.includes(word);
      const isFailed = error !== undefined && error !== "JobNotFound";
      const told = error ?? (word === undefined ? "nothing" : `"${word}"`);
      const why = `while job ${job}, whose id is stored, still runs; the last look at it brought ${told}`;
      if (isUnknown || isFailed) this.#report("I5", "submitted-beside-unknown", `${what} ${why}`);
      else this.#report("I3", "submitted-beside-live", `${what} ${why}`);
    } else if (outcome === "success" && (isKnown || isToBeKnown)) {
      this.#report(
        "I4",
        "submitted-after-success",
        `${what} although job ${job}, whose id is stored, has succeeded`,
      );
    }
  }

  #hearLook(event: EventOf<"job-status">): void {
    const { looks, submitted, number, isPolling } = this.#attempt;
    looks.push(event);
    if (submitted?.fact.job === event.job && submitted.idState === "answered") {
      const what = `attempt ${number} asks how job ${event.job} is`;
      this.#report("I2", "polled-unstored", `${what}, and its id is not in the store`);
    }
    const last = looks.slice(-STRANGE_LOOKS_MAX);
    if (!isPolling || last.length < STRANGE_LOOKS_MAX) return;
    if (last.some(({ job }) => job === 0 || this.#own.has(job))) return;
    this.#report(
      "I19",
      "touched-foreign-job",
      `attempt ${number} polls job ${event.job}, which is somebody else's`,
    );
  }

  #hearCancel({ job }: EventOf<"job-cancel-asked">): void {
    const { killed, number } = this.#attempt;
    const own = this.#own.get(job);
    if (own === undefined || !own.fact.isLive) return;
    if (killed === "infrastructure") {
      this.#report(
        "I14",
        "cancelled-by-infrastructure",
        `attempt ${number}, killed by the infrastructure, cancels job ${job}`,
      );
    } else if (killed === undefined && own === this.#recorded) {
      this.#report(
        "I14",
        "cancelled-unkilled",
        `attempt ${number} cancels job ${job}, and nobody has killed it`,
      );
    }
  }

  /** The newest own job of that id; else the one that was submitted last, whatever it is called. */
  #hearStored(value: string): void {
    const text = textFromJobId(JSON.parse(value));
    const jobs = [...this.#own.values()];
    const named = jobs.findLast(({ fact }) => fact.id === text);
    const { submitted, number } = this.#attempt;
    if (named !== undefined && submitted !== undefined && named !== submitted) {
      const what = `attempt ${number} stores the id of job ${named.fact.job}`;
      this.#report("I6", "stored-wrong-id", `${what}, and it submitted job ${submitted.fact.job}`);
    }
    this.#recorded = named ?? this.#attempt.submitted ?? jobs.at(-1);
    if (this.#recorded !== undefined) this.#recorded.idState = "stored";
  }

  #report(promise: JobPromise, symptom: TaskSymptom, detail: string): void {
    this.#violation ??= {
      checker: promise,
      promise: JOB_PROMISES[promise],
      at: this.#world.now,
      host: `attempt-${this.#attempt.number}`,
      symptom,
      detail,
      ref: undefined,
      story: [],
    };
    this.#world.end();
  }
}

function attemptOf(number: number): Attempt {
  return {
    number,
    submitted: undefined,
    looks: [],
    lastLook: {},
    strange: undefined,
    killed: undefined,
    polled: undefined,
    isCancelHampered: false,
    isPolling: false,
  };
}
