import type { ChoiceStream } from "../choices.ts";
import { strikeAtRate, strikeNth } from "../faults/rule.ts";
import type { Verdict } from "../faults/verdict.ts";
import type { Host } from "../hosts/host.ts";
import type { Network } from "../hosts/network.ts";
import type { World } from "../world.ts";
import type { SiteFault, Storm, TimedFault } from "./scenario.ts";

/** What faults reach beside hosts and links. */
export interface FaultTargets {
  readonly network: Network<Host>;
  rebalance(stream: string): void;
  expireConsumers(stream: string): void;
  /** Whether the safety phase is still on. */
  isArmed(): boolean;
}

/** Installs what a scenario lists: site faults as rules, timed ones as steps of the world. */
export function installFaults(
  world: World,
  faults: readonly (SiteFault | TimedFault)[],
  targets: FaultTargets,
): void {
  const chance = world.choices.stream("fault", "rules");
  for (const fault of faults) {
    if ("site" in fault) installSiteFault(world, fault, chance);
    else at(world, targets, fault.at, () => strike(world, fault, targets));
  }
}

function installSiteFault(world: World, fault: SiteFault, chance: ChoiceStream): void {
  const { site, host, from, until, rate, nth, times } = fault;
  const scope = {
    site,
    ...(host === undefined ? {} : { host }),
    ...(from === undefined ? {} : { fromMs: from }),
    ...(until === undefined ? {} : { untilMs: until }),
  };
  const verdict = verdictFrom(fault);
  if (rate !== undefined) world.injector.install(strikeAtRate(scope, verdict, rate, chance));
  else world.injector.install(strikeNth(scope, verdict, nth ?? 1, times));
}

function verdictFrom(fault: SiteFault): Verdict {
  switch (fault.verdict) {
    case "fail-before":
      return { kind: "fail", when: "before" };
    case "fail-after":
      return { kind: "fail", when: "after" };
    case "drop-request":
      return { kind: "drop", what: "request" };
    case "drop-reply":
      return { kind: "drop", what: "reply" };
    case "duplicate":
      return { kind: "duplicate" };
    case "delay":
      return { kind: "delay", ms: fault.for };
    case "crash-before":
      return { kind: "crash", when: "before", restartAfterMs: fault.restartAfter };
    case "crash-after":
      return { kind: "crash", when: "after", restartAfterMs: fault.restartAfter };
    default:
      return fault.verdict satisfies never;
  }
}

function at(world: World, targets: FaultTargets, ms: number, fn: () => void): void {
  world.schedule(ms - world.now, { lane: "faults" }, () => {
    if (targets.isArmed()) fn();
  });
}

function strike(world: World, fault: TimedFault, targets: FaultTargets): void {
  const { network } = targets;
  if ("crash" in fault) hostNamed(network, fault.crash).crash(fault.restartAfter);
  else if ("pause" in fault) hostNamed(network, fault.pause).pause(fault.for);
  else if ("clockStep" in fault) hostNamed(network, fault.clockStep).step(fault.by);
  else if ("cut" in fault) cut(world, network, fault.cut, fault.oneWay, fault.for);
  else if ("hold" in fault) hold(world, network, fault.hold, fault.for);
  else if ("rebalance" in fault) targets.rebalance(fault.rebalance);
  else targets.expireConsumers(fault.expireConsumers);
}

/** @throws {RangeError} when the scenario names a host that its world does not have */
function hostNamed(network: Network<Host>, name: string): Host {
  const host = network.host(name);
  if (host !== undefined) return host;
  const known = network.hosts().map((one) => one.name);
  throw new RangeError(`There is no host "${name}" in this world; there are ${known.join(", ")}`);
}

type Link = readonly [from: string, to: string];

function cut(world: World, network: Network<Host>, link: Link, oneWay: boolean, ms: number): void {
  const [from, to] = link;
  const ways: readonly Link[] = oneWay
    ? [[from, to]]
    : [
        [from, to],
        [to, from],
      ];
  for (const way of ways) {
    network.cut(...way);
    world.schedule(ms, { lane: "faults", hop: false }, () => network.repair(...way));
  }
}

function hold(world: World, network: Network<Host>, [from, to]: Link, ms: number): void {
  network.hold(from, to);
  world.schedule(ms, { lane: "faults", hop: false }, () => network.repair(from, to));
}

const MINUTE_MS = 60_000;
const DOWN_MS = [2_000, 3_000, 5_000, 20_000, 45_000] as const;
const PAUSE_MS = [500, 2_000, 10_000, 40_000] as const;

/** Random faults: once a virtual minute each host draws what befalls it. */
export function installStorm(
  world: World,
  storm: Storm,
  targets: FaultTargets & { readonly streams: readonly string[] },
): void {
  const choice = world.choices.stream("fault", "storm");
  const strikes = ({ numerator, denominator }: Storm["crashes"], label: string): boolean =>
    numerator > 0 && choice.choose(denominator, label) >= denominator - numerator;
  const soon = (fn: () => void): void => {
    at(world, targets, world.now + choice.choose(MINUTE_MS, "when in the minute"), fn);
  };
  const minute = (): void => {
    for (const host of targets.network.hosts()) {
      if (strikes(storm.crashes, "crash")) {
        const ms = DOWN_MS[choice.choose(DOWN_MS.length, "down for")];
        soon(() => host.crash(ms));
      }
      if (strikes(storm.pauses, "pause")) {
        const ms = PAUSE_MS[choice.choose(PAUSE_MS.length, "paused for")] as number;
        soon(() => host.pause(ms));
      }
      if (strikes(storm.cuts, "cut")) {
        const others = targets.network.hosts().filter((one) => one !== host);
        const other = others[choice.choose(Math.max(1, others.length), "cut off from")];
        const ms = PAUSE_MS[choice.choose(PAUSE_MS.length, "cut for")] as number;
        if (other !== undefined)
          soon(() => cut(world, targets.network, [host.name, other.name], false, ms));
      }
    }
    if (strikes(storm.rebalances, "rebalance")) {
      const stream = targets.streams[choice.choose(targets.streams.length, "which")];
      if (stream !== undefined) soon(() => targets.rebalance(stream));
    }
    at(world, targets, world.now + MINUTE_MS, minute);
  };
  minute();
}
