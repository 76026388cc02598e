import type { SiteName } from "../faults/site.ts";
import type { StepOwner } from "../kernel/step.ts";
import type { World } from "../kernel/world.ts";
import { CommitQueue } from "./commit-queue.ts";

/** What a network needs to know about a host. */
export interface NetworkHost {
  readonly name: string;
  readonly isUp: boolean;
  /** Whether it is down and its peers were not told, so that calls to it time out. */
  readonly isHalfOpen?: boolean;
  readonly life: StepOwner | undefined;
}

interface LinkState {
  readonly kind: "cut" | "held";
  /** Called with each message that is lost or held back. */
  readonly onMessage: () => void;
}

interface Message {
  readonly from: string;
  readonly to: string;
  readonly delayMs: number;
  /** Neither callback is called once the owner is dead. */
  readonly owner: StepOwner;
  /** Whether `deliver` starts promise work. */
  readonly hop: boolean;
  readonly deliver: () => void;
  /** Called instead of `deliver` when the link is cut. */
  readonly lost: () => void;
}

/**
 * The links between hosts. A link has a direction; it can be cut and repaired, held and released.
 *
 * Holds: a message on a cut link is lost, which its sender notices by a timeout; messages on a held
 * link arrive after the release, in order.
 */
export class Network<H extends NetworkHost> {
  readonly #world: World;
  readonly #hosts = new Map<string, H>();
  readonly #links = new Map<string, LinkState>();
  readonly #held = new Map<string, Pick<Message, "owner" | "deliver">[]>();
  /** What the databases among the hosts have yet to commit. */
  readonly commits: CommitQueue = new CommitQueue();
  /** Called with the error by which a callee itself refuses a call; the trace does not have it. */
  onRefused: ((site: SiteName, error: unknown) => void) | undefined;

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

  /** Whether a host is up. An external system that is not a host (a broker) is always up. */
  isUp(name: string): boolean {
    return this.#hosts.get(name)?.isUp ?? true;
  }

  /** Whether a host is down without its peers knowing. */
  isHalfOpen(name: string): boolean {
    return this.#hosts.get(name)?.isHalfOpen ?? false;
  }

  /** Calls `fn` now, or when the host's pause is over; calls `lost` if it crashes before that. */
  whenAwake(name: string, fn: () => void, lost: () => void): void {
    const host = this.#hosts.get(name);
    const life = host?.life;
    if (host === undefined || life === undefined || life.pausedUntil <= this.#world.now) {
      fn();
      return;
    }
    this.#world.scheduleAtResume(life, { lane: name }, () => {
      if (host.life === life) this.whenAwake(name, fn, lost);
      else lost();
    });
  }

  /** Cuts the link in one direction; call it twice for both. */
  cut(from: string, to: string, onMessage: () => void = () => undefined): void {
    this.#set(from, to, { kind: "cut", onMessage });
  }

  /** Holds back the messages in one direction until `repair`. */
  hold(from: string, to: string, onMessage: () => void = () => undefined): void {
    this.#set(from, to, { kind: "held", onMessage });
  }

  /** Repairs a cut link, or releases a held one and delivers its messages. */
  repair(from: string, to: string): void {
    const link = linkName(from, to);
    const was = this.#links.get(link);
    if (was === undefined) return;
    this.#links.delete(link);
    const state = was.kind === "cut" ? "repaired" : "released";
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

  /** Sends a message over a link: `deliver` or `lost` is called when it arrives, or would have. */
  carry({ from, to, delayMs, owner, hop, deliver, lost }: Message): void {
    const link = linkName(from, to);
    this.#world.schedule(delayMs, { owner, lane: link, hop }, () => {
      const state = this.#links.size === 0 ? undefined : this.#links.get(link);
      state?.onMessage();
      if (state === undefined) {
        deliver();
      } else if (state.kind === "cut") {
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
    this.#world.trace.emit(from, { kind: "link", to, state: state.kind });
    this.#world.injector.count(`${state.kind === "cut" ? "cut" : "hold"} ${from} to ${to}`);
  }
}

const LINK_MARK = "\u2192";

function linkName(from: string, to: string): string {
  return from + LINK_MARK + to;
}
