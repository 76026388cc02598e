import { durationText } from "../../codecs/duration.ts";
import { SITE_NAMES } from "../../faults/site.ts";
import {
  type FaultGround,
  faultProblems,
  HostNames,
  lateProblems,
  nameProblems,
  type Problem,
  sitesFrom,
} from "../problems.ts";
import { brokerFrom, type BrokerSpec } from "./broker-spec.ts";
import { disturbancesOf } from "./draw-producer.ts";
import type { ProducerFault, ProducerScenario } from "./producer-scenario.ts";

const HOSTS = new HostNames(["triggerer", "broker"]);
const OWN_PLACES = {
  points: [
    "producer.connect",
    "producer.fetched",
    "producer.broadcast",
    "producer.advance",
    "producer.close",
    "runner.filter",
    "runner.bound",
    "runner.confirm",
  ],
  factories: ["producer.create"],
} as const satisfies Partial<Parameters<typeof sitesFrom>[0]>;

const CALLS = ["broker.fetch", "broker.settle", "broker.produce", "broker.session"] as const;
/** The brokers of the kit name their calls by these; a model of the user's may name any site. */
const SITES: FaultGround["sites"] = sitesFrom({
  ...OWN_PLACES,
  calls: CALLS,
  connections: CALLS,
});
const SITES_BY_HTTP: FaultGround["sites"] = sitesFrom({ ...OWN_PLACES, calls: CALLS });
/** Where each delivery has a handle of its own, it can be another's. */
const SITES_WITH_HANDLES: FaultGround["sites"] = sitesFrom({
  ...OWN_PLACES,
  calls: CALLS,
  lying: ["broker.fetch"],
});
const PLACES: ReadonlySet<string> = new Set([...OWN_PLACES.points, ...OWN_PLACES.factories]);
const SITES_OF_OWN_MODEL: FaultGround["sites"] = sitesFrom({
  ...OWN_PLACES,
  calls: SITE_NAMES.filter((site) => !PLACES.has(site)),
});

/** Finds what cannot come about in a world of a producer. */
export function* producerProblems(scenario: ProducerScenario): Generator<Problem> {
  const { records, broker, faults, phases } = scenario;
  const { safety } = phases;
  for (const [nth, { at }] of records.entries()) {
    yield* lateProblems(at, ["records", nth, "at"], safety, "records are published");
  }
  yield* garbledProblems(scenario);
  yield* subscriberProblems(scenario);
  yield* behaviourProblems(scenario);
  const sites = sitesOf(broker);
  yield* faultProblems<ProducerFault>(faults, { hosts: HOSTS, sites, safety }, (fault, path) => {
    const known = "disturb" in fault ? disturbancesKnown(broker) : undefined;
    if (!("disturb" in fault) || known === undefined) return [];
    return nameProblems(fault.disturb, [...path, "disturb"], { noun: "disturbance", known });
  });
}

/** A model of one's own may do what it likes with a record that is no JSON. */
function* garbledProblems({ records, broker }: ProducerScenario): Generator<Problem> {
  if ("own" in broker || brokerFrom(broker).carriesText === true) return;
  for (const [nth, { garbled }] of records.entries()) {
    if (garbled !== true) continue;
    const words = "records of this broker are no text, so that none can have lost its end";
    yield { path: ["records", nth, "garbled"], words };
  }
}

function sitesOf(broker: BrokerSpec): FaultGround["sites"] {
  if ("own" in broker) return SITES_OF_OWN_MODEL;
  const { misnames, transport } = brokerFrom(broker);
  if (misnames === true) return SITES_WITH_HANDLES;
  return transport === "http" ? SITES_BY_HTTP : SITES;
}

function* subscriberProblems({
  subscribers,
  phases: { safety },
}: ProducerScenario): Generator<Problem> {
  for (const [nth, { joinAt, leaveAt }] of subscribers.entries()) {
    const path = ["subscribers", nth];
    yield* lateProblems(joinAt, [...path, "joinAt"], safety, "subscribers come and go");
    if (leaveAt === undefined) continue;
    yield* lateProblems(leaveAt, [...path, "leaveAt"], safety, "subscribers come and go");
    if (leaveAt >= joinAt) continue;
    const words = `expected a time after ${durationText(joinAt)}, when it subscribes; found ${durationText(leaveAt)}`;
    yield { path: [...path, "leaveAt"], words };
  }
}

function* behaviourProblems({
  behaviours,
  subscribers,
  records,
}: ProducerScenario): Generator<Problem> {
  const numbers = subscribers.map(({ subscriber }) => subscriber);
  const refs = records.map(({ publish }) => publish);
  for (const [nth, { subscriber, on }] of behaviours.entries()) {
    const path = ["behaviours", nth];
    if (!numbers.includes(subscriber)) {
      const words = `this scenario has no subscriber ${subscriber}; there are ${numbers.join(", ")}`;
      yield { path: [...path, "subscriber"], words };
    }
    yield* nameProblems(on, [...path, "on"], { noun: "record", known: refs });
  }
}

const DISTURBANCES = new Map<string, readonly string[]>();

/** The disturbances that the model of a broker has; undefined for a model that is given in code. */
function disturbancesKnown(broker: BrokerSpec): readonly string[] | undefined {
  if ("own" in broker) return undefined;
  const name = JSON.stringify(broker);
  const known = DISTURBANCES.get(name) ?? disturbancesOf(brokerFrom(broker));
  DISTURBANCES.set(name, known);
  return known;
}
