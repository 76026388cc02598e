import type { StepOwner } from "../step.ts";
import type { World } from "../world.ts";

/** What a network asks of a host. */
export interface NetworkHost {
  readonly name: string;
  readonly isUp: boolean;
  readonly life: { readonly pausedUntil: number } | undefined;
}

type LinkState = "cut" | "held";

interface HeldMessage {
  readonly owner: StepOwner;
  readonly deliver: () => void;
}

/**
 * What lies between the hosts: links that can be cut, one way or both, or held and released.
 *
 * Holds: a message that meets a cut link is lost, and its sender finds out by its timeout; one that
 * meets a held link arrives after the release, in order.
 */
export class Network<H extends NetworkHost> {
  readonly #world: World;
  readonly #hosts = new Map<string, H>();
  readonly #links = new Map<string, LinkState>();
  readonly #held = new Map<string, HeldMessage[]>();

  constructor(world: World) {
    this.#world = world;
  }

  add(host: H): void {
    this.#hosts.set(host.name, host);
  }

  host(name: string): H | undefined {
    return this.#hosts.get(name);
  }

  hosts(): readonly H[] {
    return [...this.#hosts.values()];
  }

  /** A part of the world that is no host (a broker's service) is always up. */
  isUp(name: string): boolean {
    return this.#hosts.get(name)?.isUp ?? true;
  }

  /** Runs `fn` now, or when the host's pause is over; `lost` when it died before that. */
  whenAwake(name: string, fn: () => void, lost: () => void): void {
    const host = this.#hosts.get(name);
    const life = host?.life;
    if (host === undefined || life === undefined || life.pausedUntil <= this.#world.now) {
      fn();
      return;
    }
    const ms = life.pausedUntil - this.#world.now;
    this.#world.schedule(ms, { lane: name }, () => {
      if (host.life === life) this.whenAwake(name, fn, lost);
      else lost();
    });
  }

  /** Cuts the link in one direction; call it twice for both. */
  cut(from: string, to: string): void {
    this.#set(from, to, "cut");
  }

  hold(from: string, to: string): void {
    this.#set(from, to, "held");
  }

  /** Lets messages pass again and delivers what was held. */
  repair(from: string, to: string): void {
    const link = linkName(from, to);
    const was = this.#links.get(link);
    if (was === undefined) return;
    this.#links.delete(link);
    const state = was === "cut" ? "repaired" : "released";
    this.#world.trace.emit(from, { kind: "link", to, state });
    const held = this.#held.get(link) ?? [];
    this.#held.delete(link);
    for (const { owner, deliver } of held) {
      this.#world.schedule(0, { owner, lane: link }, deliver);
    }
  }

  repairAll(): void {
    for (const link of [...this.#links.keys()]) {
      const [from = "", to = ""] = link.split(LINK_MARK);
      this.repair(from, to);
    }
  }

  /**
   * Takes a message over a link; `lost` is called instead of `deliver` when the link is cut. `hop`
   * says whether its arrival starts promise work.
   */
  carry(
    from: string,
    to: string,
    delayMs: number,
    owner: StepOwner,
    deliver: () => void,
    lost: () => void,
    hop: boolean,
  ): void {
    const link = linkName(from, to);
    this.#world.schedule(delayMs, { owner, lane: link, hop }, () => {
      const state = this.#links.size === 0 ? undefined : this.#links.get(link);
      if (state === undefined) {
        deliver();
      } else if (state === "cut") {
        lost();
      } else {
        const held = this.#held.get(link) ?? [];
        held.push({ owner, deliver });
        this.#held.set(link, held);
      }
    });
  }

  #set(from: string, to: string, state: LinkState): void {
    this.#links.set(linkName(from, to), state);
    this.#world.trace.emit(from, { kind: "link", to, state });
    this.#world.injector.count(`${state === "cut" ? "cut" : "hold"} ${from} to ${to}`);
  }
}

const LINK_MARK = "\u2192";

function linkName(from: string, to: string): string {
  return from + LINK_MARK + to;
}
