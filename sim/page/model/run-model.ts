import { type Cast, castFrom } from "../../story/cast.ts";
import { eventWords } from "../../story/event-words.ts";
import { lanesFrom, type RunLanes } from "../lanes/lanes-from.ts";
import type { PackedTrace } from "../packed-trace.ts";
import type { RunData, ViolationData } from "../report-data.ts";
import { type JourneySubject, journeyOf, type JourneyStep, subjectsOf } from "./journey.ts";

/** A line of a violation's story, and the event that it is about. */
export interface StoryLine {
  readonly text: string;
  /** Undefined for a line that stands for several. */
  readonly event: number | undefined;
}

/** A run as the page shows it. */
export class RunModel {
  readonly data: RunData;
  readonly trace: PackedTrace;
  readonly lanes: RunLanes;
  readonly cast: Cast;
  /** The event at which each violation was detected. */
  readonly breaks: readonly number[];
  /** The names that journeys can be chosen by, in the order in which they first came up. */
  readonly records: readonly string[];
  readonly tasks: readonly string[];
  readonly jobs: readonly string[];
  readonly #taskOfAttempt = new Map<number, string>();

  constructor(data: RunData, trace: PackedTrace) {
    this.data = data;
    this.trace = trace;
    this.lanes = lanesFrom(trace);
    this.cast = castFrom(trace, undefined, data.world === "producer" ? "subscriber" : "trigger");
    this.breaks = data.violations.map((violation) => breakOf(violation, trace));
    const records = new Set<string>(this.cast.refs.values());
    const tasks = new Set<string>();
    const jobs = new Set<string>();
    for (const event of trace) {
      if (event.kind === "published") records.add(event.ref);
      if (event.kind === "attempt") this.#taskOfAttempt.set(event.attempt, event.task);
      if (event.kind === "task-state") tasks.add(event.task);
      if (event.kind === "job-accepted") jobs.add(String(event.job));
    }
    this.records = [...records];
    this.tasks = [...tasks];
    this.jobs = [...jobs];
  }

  /** Returns an event in words. */
  words(index: number): string {
    return eventWords(this.trace.event(index), this.cast);
  }

  journey(subject: JourneySubject): readonly JourneyStep[] {
    return journeyOf(this.trace, subject);
  }

  /** What journeys an event belongs to. */
  subjects(index: number): readonly JourneySubject[] {
    return subjectsOf(this.trace.event(index), this.cast.refs, this.#taskOfAttempt);
  }

  /** The lines of a violation's story with the events that they are about. */
  story({ story, ref, at }: ViolationData, breakEvent: number): readonly StoryLine[] {
    const casts = (["trigger", "subscriber"] as const).map((noun): Cast => ({
      ...this.cast,
      subscriber: noun,
      focus: ref,
    }));
    return story.map((text) => {
      const line = /^ *(\d+)\.(\d{3}) s {2}(.*)$/s.exec(text);
      if (line === null) return { text, event: undefined };
      const time = Number(line[1]) * 1_000 + Number(line[2]);
      const words = line[3] ?? "";
      if (words.startsWith("=> ") && time === at) return { text, event: breakEvent };
      return { text, event: this.#eventSaying(words, time, casts) };
    });
  }

  /** The event of that time which is told in these words; else the first of that time. */
  #eventSaying(words: string, time: number, casts: readonly Cast[]): number | undefined {
    const first = this.trace.firstAt(time);
    for (
      let index = first;
      index < this.trace.length && this.trace.at(index) === time;
      index += 1
    ) {
      const event = this.trace.event(index);
      if (casts.some((cast) => eventWords(event, cast) === words)) return index;
    }
    return first < this.trace.length ? first : undefined;
  }
}

/** The last event of the instant and host at which a violation was detected. */
function breakOf({ at, host }: ViolationData, trace: PackedTrace): number {
  const end = trace.firstAt(at + 1);
  for (let index = end - 1; index >= 0 && trace.at(index) === at; index -= 1) {
    if (trace.host(index) === host) return index;
  }
  return Math.max(end - 1, 0);
}
