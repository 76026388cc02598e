import { z } from "zod";
import { SITE_NAMES } from "../../faults/site.ts";
import { type Verdict, verdictNamed, type VerdictName } from "../../faults/verdict.ts";
import { count } from "../../codecs/count.ts";
import { duration, durationText } from "../../codecs/duration.ts";
import { CONDUCT_NAMES, type ProducerAct } from "./producer-plan.ts";

const host = z.enum(["triggerer", "broker"]);
const triggerer = z.literal("triggerer");
const verdict = z.enum([
  "fail-before",
  "fail-after",
  "drop-request",
  "drop-reply",
  "duplicate",
  "delay",
  "crash-before",
  "crash-after",
]);

type ActOf<K extends ProducerAct["kind"]> = Extract<ProducerAct, { kind: K }>;

const publish = z
  .strictObject({ at: duration, publish: z.string(), key: z.string() })
  .transform(({ at, publish: ref, key }): ProducerAct => ({ kind: "publish", at, ref, key }));

const subscriber = z
  .strictObject({ subscriber: count, joinAt: duration, leaveAt: duration.optional() })
  .transform(({ subscriber: id, joinAt, leaveAt }): ProducerAct => ({
    kind: "subscriber",
    id,
    joinAt,
    leaveAt,
  }));

const conduct = z
  .strictObject({
    subscriber: count,
    on: z.string(),
    does: z.enum(CONDUCT_NAMES),
    for: duration.default(0),
    /** Left out: each time. */
    times: count.default(Number.MAX_SAFE_INTEGER),
  })
  .transform(({ subscriber: id, on, does, for: ms, times }): ProducerAct => ({
    kind: "conduct",
    subscriber: id,
    ref: on,
    how: does,
    ms,
    times,
  }));

const strike = z
  .strictObject({
    site: z.enum(SITE_NAMES),
    verdict,
    nth: count.default(1),
    times: count.default(1),
    for: duration.default(0),
    restartAfter: duration.optional(),
  })
  .transform(({ site, verdict: name, nth, times, for: ms, restartAfter }): ProducerAct => ({
    kind: "strike",
    site,
    verdict: verdictNamed(name, ms, restartAfter),
    nth,
    times,
  }));

const crash = z
  .strictObject({ at: duration, crash: host, restartAfter: duration })
  .transform(({ at, crash: who, restartAfter: downMs }): ProducerAct => ({
    kind: "crash",
    host: who,
    at,
    downMs,
  }));

const pause = z
  .strictObject({ at: duration, pause: triggerer, for: duration })
  .transform(({ at, for: ms }): ProducerAct => ({ kind: "pause", at, ms }));

const link = z
  .strictObject({ at: duration, link: z.enum(["cut", "held"]), for: duration })
  .transform(({ at, link: state, for: ms }): ProducerAct => ({ kind: "link", state, at, ms }));

const disturb = z
  .strictObject({ at: duration, disturb: z.string() })
  .transform(({ at, disturb: name }): ProducerAct => ({ kind: "disturb", name, at }));

const factoryFails = z
  .strictObject({ factoryFails: count })
  .transform(({ factoryFails: nth }): ProducerAct => ({ kind: "factory-fails", nth }));

const closeUnopened = z
  .strictObject({ at: duration, closeUnopened: z.literal(true) })
  .transform(({ at }): ProducerAct => ({ kind: "close-unopened", at }));

/** One act as a scenario file has it: named by what it does, lengths of time as texts. */
export const producerAct: z.ZodType<ProducerAct, unknown> = z.union([
  publish,
  subscriber,
  conduct,
  strike,
  crash,
  pause,
  link,
  disturb,
  factoryFails,
  closeUnopened,
]);

/** The act as `producerAct` reads it. */
export function writtenAct(act: ProducerAct): Readonly<Record<string, unknown>> {
  switch (act.kind) {
    case "publish":
      return { at: durationText(act.at), publish: act.ref, key: act.key };
    case "subscriber": {
      const joined = { subscriber: act.id, joinAt: durationText(act.joinAt) };
      return act.leaveAt === undefined ? joined : { ...joined, leaveAt: durationText(act.leaveAt) };
    }
    case "conduct":
      return {
        subscriber: act.subscriber,
        on: act.ref,
        does: act.how,
        ...(act.ms === 0 ? {} : { for: durationText(act.ms) }),
        ...(act.times > TIMES_TOLD_MAX ? {} : { times: act.times }),
      };
    case "strike":
      return writtenStrike(act);
    case "crash":
      return {
        at: durationText(act.at),
        crash: act.host,
        restartAfter: durationText(act.downMs),
      };
    case "pause":
      return { at: durationText(act.at), pause: "triggerer", for: durationText(act.ms) };
    case "link":
      return { at: durationText(act.at), link: act.state, for: durationText(act.ms) };
    case "disturb":
      return { at: durationText(act.at), disturb: act.name };
    case "factory-fails":
      return { factoryFails: act.nth };
    case "close-unopened":
      return { at: durationText(act.at), closeUnopened: true };
    default:
      return act satisfies never;
  }
}

/** More often than that is each time. */
const TIMES_TOLD_MAX = 1_000;

function writtenStrike({ site, verdict: what, nth, times }: ActOf<"strike">) {
  return {
    site,
    verdict: nameOf(what),
    nth,
    ...(times === 1 ? {} : { times }),
    ...(what.kind === "delay" ? { for: durationText(what.ms) } : {}),
    ...(what.kind === "crash" && what.restartAfterMs !== undefined
      ? { restartAfter: durationText(what.restartAfterMs) }
      : {}),
  };
}

function nameOf(what: Verdict): VerdictName {
  switch (what.kind) {
    case "fail":
    case "crash":
      return `${what.kind}-${what.when}`;
    case "drop":
      return `drop-${what.what}`;
    case "delay":
    case "duplicate":
      return what.kind;
    default:
      throw new RangeError(`Cannot write the verdict "${what.kind}": it changes nothing`);
  }
}
