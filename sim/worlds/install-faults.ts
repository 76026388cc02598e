import type { ChoiceStream } from "../choices/choices.ts";
import { HOST_FAULTS } from "../codecs/scenario-parts.ts";
import { FAULT_DETAILS } from "../faults/fault-details.ts";
import { type FaultRule, type Ratio, strikeAtRate, strikeNth } from "../faults/rule.ts";
import { type Verdict, verdictNamed } from "../faults/verdict.ts";
import type { Host } from "../hosts/host.ts";
import type { Network } from "../hosts/network.ts";
import type { World } from "../kernel/world.ts";
import type { HostFault, HostStorm, SiteFault } from "../codecs/scenario-parts.ts";
import { installOverload, restartAll } from "./crowds.ts";

/** What faults reach; `Own` are the timed ones that only this kind of world has. */
export interface FaultTargets<Own extends { readonly at: number }> {
  readonly network: Network<Host>;
  /** Returns whether anything was there to be struck. */
  strike(fault: Own): boolean;
  /** Whether a host of this name may come later; by default all are there from the start. */
  mayCome?(host: string): boolean;
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
    else if ("overload" in fault) installOverload(world, fault);
    else
      at(
        world,
        () => targets.isArmed(),
        fault.at,
        () => strike(world, fault, targets, fault),
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
  const verdict = verdictOf(fault);
  const rule =
    rate === undefined
      ? strikeNth(scope, verdict, nth ?? 1, times)
      : strikeAtRate(scope, verdict, rate, chance);
  const isChance = rate !== undefined && rate.numerator < rate.denominator;
  world.injector.install({ ...(isChance ? told(world, rule, fault) : rule), part: fault });
}

function verdictOf({ verdict, error, for: ms, restartAfter }: SiteFault): Verdict {
  if (error !== undefined) return { kind: "fail", when: "before", error, ms };
  return verdictNamed(verdict, ms, restartAfter);
}

/** A rule that strikes by chance, and says which call of its site it struck. */
function told(world: World, rule: FaultRule, fault: SiteFault): FaultRule {
  const { site, verdict: name, error, for: ms, restartAfter } = fault;
  const named = error === undefined ? {} : { error };
  return {
    name: rule.name,
    decide(call, now) {
      const verdict = rule.decide(call, now);
      if (verdict.kind !== "pass") {
        const { nth } = call;
        const struck = { site, verdict: name, ...named, nth, times: 1, for: ms, restartAfter };
        world.injector.onDrawn?.(struck);
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

/** Strikes, and notes it for `part` of the scenario if anything was there to be struck. */
function strike<Own extends { readonly at: number }>(
  world: World,
  fault: HostFault | Own,
  targets: FaultTargets<Own>,
  part: object,
): void {
  const { network } = targets;
  const struck = (): void => world.injector.tookEffect(part);
  if (!isHostFault(fault)) {
    if (targets.strike(fault)) struck();
  } else if ("cut" in fault) {
    cut(world, network, fault, struck);
  } else if ("hold" in fault) {
    hold(world, network, fault, struck);
  } else if ("restartAll" in fault) {
    if (restartAll(network, fault)) struck();
  } else if ("overload" in fault) {
    installOverload(world, fault);
  } else if (strikeHost(fault, targets)) {
    struck();
    if ("clockStep" in fault) setRight(world, network, fault);
  }
}

type OneHostFault = Extract<
  HostFault,
  | { readonly crash: unknown }
  | { readonly pause: unknown }
  | { readonly clockStep: unknown }
  | { readonly clockDrift: unknown }
>;

/** Returns whether the host was up; the clock of one that is down may be wrong when it restarts. */
function strikeHost(
  fault: OneHostFault,
  { network, mayCome }: Pick<FaultTargets<never>, "network" | "mayCome">,
): boolean {
  const name = hostOf(fault);
  if (network.host(name) === undefined && mayCome?.(name) === true) return false;
  const host = hostNamed(network, name);
  const { isUp } = host;
  if ("crash" in fault && fault.halfOpen === true) host.vanish(fault.restartAfter);
  else if ("crash" in fault) host.crash(fault.restartAfter);
  else if ("pause" in fault) host.pause(fault.for);
  else if ("clockStep" in fault) host.step(fault.by);
  else host.drift(fault.ppm);
  return isUp || "clockStep" in fault || "clockDrift" in fault;
}

/** Whatever else has become of the clock meanwhile, what it jumped by is taken back. */
function setRight(
  world: World,
  network: Network<Host>,
  { clockStep, by, for: ms }: Extract<HostFault, { readonly clockStep: unknown }>,
): void {
  if (ms === undefined) return;
  world.schedule(ms, { lane: "faults", hop: false }, () => hostNamed(network, clockStep).step(-by));
}

function hostOf(fault: OneHostFault): string {
  if ("crash" in fault) return fault.crash;
  if ("pause" in fault) return fault.pause;
  return "clockStep" in fault ? fault.clockStep : fault.clockDrift;
}

function isHostFault(fault: { readonly at: number }): fault is HostFault {
  return HOST_FAULTS.some((name) => name in fault);
}

/** @throws {RangeError} when the scenario names a host that its world does not have */
export function hostNamed(network: Network<Host>, name: string): Host {
  const host = network.host(name);
  if (host !== undefined) return host;
  const known = network.hosts().map((one) => one.name);
  throw new RangeError(`There is no host "${name}" in this world; there are ${known.join(", ")}`);
}

type Link = readonly [from: string, to: string];

/** A link is struck by each message that is lost on it. */
function cut(
  world: World,
  network: Network<Host>,
  { cut: [from, to], oneWay, for: ms }: Extract<HostFault, { readonly cut: unknown }>,
  struck: () => void,
): void {
  for (const way of waysOf(from, to, !oneWay)) {
    network.cut(...way, struck);
    world.schedule(ms, { lane: "faults", hop: false }, () => network.repair(...way));
  }
}

function hold(
  world: World,
  network: Network<Host>,
  { hold: [from, to], bothWays, for: ms }: Extract<HostFault, { readonly hold: unknown }>,
  struck: () => void,
): void {
  for (const way of waysOf(from, to, bothWays)) {
    network.hold(...way, struck);
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
    const listed = { at: when, ...fault } as HostFault | Own;
    world.injector.onDrawn?.(listed);
    at(world, isArmed, when, () => {
      world.injector.onChance?.(listed);
      strike(world, listed, targets, storm);
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
