import type { ChoiceStream } from "../choices/choices.ts";
import { FAULT_DETAILS } from "../faults/fault-details.ts";
import { type FaultRule, type Ratio, strikeAtRate, strikeNth } from "../faults/rule.ts";
import { verdictNamed } from "../faults/verdict.ts";
import type { Host } from "../hosts/host.ts";
import type { Network } from "../hosts/network.ts";
import type { World } from "../kernel/world.ts";
import type { HostFault, HostStorm, SiteFault } from "../codecs/scenario-parts.ts";

/** What faults reach; `Own` are the timed ones that only this kind of world has. */
export interface FaultTargets<Own extends { readonly at: number }> {
  readonly network: Network<Host>;
  strike(fault: Own): void;
  /** Whether the safety phase is still on. */
  isArmed(): boolean;
}

/** Installs what a scenario lists: site faults as rules, timed ones as steps of the world. */
export function installFaults<Own extends { readonly at: number }>(
  world: World,
  faults: readonly (SiteFault | HostFault | Own)[],
  targets: FaultTargets<Own>,
): void {
  const chance = world.choices.stream("fault", "rules");
  for (const fault of faults) {
    if ("site" in fault) installSiteFault(world, fault, chance);
    else
      at(
        world,
        () => targets.isArmed(),
        fault.at,
        () => strike(world, fault, targets),
      );
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
  const verdict = verdictNamed(fault.verdict, fault.for, fault.restartAfter);
  if (rate !== undefined) {
    const rule = strikeAtRate(scope, verdict, rate, chance);
    world.injector.install(rate.numerator < rate.denominator ? told(world, rule, fault) : rule);
  } else world.injector.install(strikeNth(scope, verdict, nth ?? 1, times));
}

/** A rule that strikes by chance, and says which call of its site it struck. */
function told(world: World, rule: FaultRule, fault: SiteFault): FaultRule {
  const { site, verdict: name, for: ms, restartAfter } = fault;
  return {
    name: rule.name,
    decide(call, now) {
      const verdict = rule.decide(call, now);
      if (verdict.kind !== "pass") {
        const struck = { site, verdict: name, nth: call.nth, times: 1, for: ms, restartAfter };
        world.injector.onChance?.(struck);
      }
      return verdict;
    },
  };
}

function at(world: World, isArmed: () => boolean, ms: number, fn: () => void): void {
  world.schedule(ms - world.now, { lane: "faults" }, () => {
    if (isArmed()) fn();
  });
}

function strike<Own extends { readonly at: number }>(
  world: World,
  fault: HostFault | Own,
  targets: FaultTargets<Own>,
): void {
  const { network } = targets;
  if (!isHostFault(fault)) targets.strike(fault);
  else if ("crash" in fault) hostNamed(network, fault.crash).crash(fault.restartAfter);
  else if ("pause" in fault) hostNamed(network, fault.pause).pause(fault.for);
  else if ("clockStep" in fault) hostNamed(network, fault.clockStep).step(fault.by);
  else if ("cut" in fault) cut(world, network, fault.cut, fault.oneWay, fault.for);
  else hold(world, network, fault.hold, fault.bothWays, fault.for);
}

function isHostFault(fault: { readonly at: number }): fault is HostFault {
  return ["crash", "pause", "clockStep", "cut", "hold"].some((name) => name in fault);
}

/** @throws {RangeError} when the scenario names a host that its world does not have */
export function hostNamed(network: Network<Host>, name: string): Host {
  const host = network.host(name);
  if (host !== undefined) return host;
  const known = network.hosts().map((one) => one.name);
  throw new RangeError(`There is no host "${name}" in this world; there are ${known.join(", ")}`);
}

type Link = readonly [from: string, to: string];

function cut(world: World, network: Network<Host>, link: Link, oneWay: boolean, ms: number): void {
  const [from, to] = link;
  for (const way of waysOf(from, to, !oneWay)) {
    network.cut(...way);
    world.schedule(ms, { lane: "faults", hop: false }, () => network.repair(...way));
  }
}

function hold(
  world: World,
  network: Network<Host>,
  [from, to]: Link,
  bothWays: boolean,
  ms: number,
): void {
  for (const way of waysOf(from, to, bothWays)) {
    network.hold(...way);
    world.schedule(ms, { lane: "faults", hop: false }, () => network.repair(...way));
  }
}

function waysOf(from: string, to: string, bothWays: boolean): readonly Link[] {
  if (!bothWays) return [[from, to]];
  return [
    [from, to],
    [to, from],
  ];
}

const MINUTE_MS = 60_000;
const DOWN_MS = [2_000, 3_000, 5_000, 20_000, 45_000] as const;
const PAUSE_MS = [500, 2_000, 10_000, 40_000] as const;

/** What a storm strikes beside hosts and links: a rate, and the fault that it makes. */
export interface OwnStorm<Own> {
  readonly name: string;
  readonly rate: Ratio;
  /** Draws what to do, once a minute. */
  draw(choice: ChoiceStream): Timeless<Own> | undefined;
}

/** A fault at a time that is drawn together with the rest of it. */
type Timeless<Fault> = Fault extends unknown ? Omit<Fault, "at"> : never;

/** Random faults: once a virtual minute each host draws what befalls it. */
export function installStorm<Own extends { readonly at: number }>(
  world: World,
  storm: HostStorm,
  targets: FaultTargets<Own>,
  own: OwnStorm<Own>,
): void {
  const choice = world.choices.stream("fault", "storm");
  const isArmed = (): boolean => targets.isArmed();
  const strikes = ({ numerator, denominator }: Ratio, label: string): boolean =>
    numerator > 0 && choice.choose(denominator, label) >= denominator - numerator;
  const soon = (fault: Timeless<HostFault> | Timeless<Own>): void => {
    const when = world.now + choice.choose(MINUTE_MS, FAULT_DETAILS.when);
    at(world, isArmed, when, () => {
      const listed = { at: when, ...fault } as HostFault | Own;
      world.injector.onChance?.(listed);
      strike(world, listed, targets);
    });
  };
  const minute = (): void => {
    for (const host of targets.network.hosts()) {
      if (strikes(storm.crashes, "crash")) {
        const ms = DOWN_MS[choice.choose(DOWN_MS.length, FAULT_DETAILS.downFor)] as number;
        soon({ crash: host.name, restartAfter: ms });
      }
      if (strikes(storm.pauses, "pause")) {
        const ms = PAUSE_MS[choice.choose(PAUSE_MS.length, FAULT_DETAILS.pausedFor)] as number;
        soon({ pause: host.name, for: ms });
      }
      if (strikes(storm.cuts, "cut")) {
        const others = targets.network.hosts().filter((one) => one !== host);
        const other = others[choice.choose(Math.max(1, others.length), FAULT_DETAILS.cutOffFrom)];
        const ms = PAUSE_MS[choice.choose(PAUSE_MS.length, FAULT_DETAILS.cutFor)] as number;
        if (other !== undefined) {
          soon({ cut: [host.name, other.name], oneWay: false, for: ms });
        }
      }
    }
    if (strikes(own.rate, own.name)) {
      const fault = own.draw(choice);
      if (fault !== undefined) soon(fault);
    }
    at(world, isArmed, world.now + MINUTE_MS, minute);
  };
  minute();
}
