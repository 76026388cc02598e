import type { Clock } from "../../src/time/mod.ts";
import type { ChoiceKind, ChoiceStream } from "../choices/choices.ts";
import type { SiteName } from "../faults/site.ts";
import type { Step } from "../kernel/step.ts";
import type { World } from "../kernel/world.ts";
import type { TraceBody } from "../trace/trace.ts";

/** A record that the workload publishes. In the end it must be settled exactly once. */
export interface Publication {
  /** Unique in the run, and part of the record's content: "ref-000012". */
  readonly ref: string;
  /** Decides the record's partition, message group, session or ordering key. */
  readonly key: string;
  /** Whether its text has lost its end, so that it is no JSON; default false. */
  readonly isGarbled?: boolean | undefined;
}

/** A fault that only this kind of broker has: a rebalance, an expired session, a trimmed log. */
export interface Disturbance {
  /** Appears in traces and stories. */
  readonly name: string;
  /** Drawn in few runs only, so that the others are drawn as often as without it; default false. */
  readonly isRare?: boolean;
  /**
   * Whether it lets another client take over what this one holds, or is a part of that: those of
   * one broker also strike at one moment, while a record waits to come again. Default false.
   */
  readonly takesOver?: boolean;
  /**
   * Whether the broker then refuses to serve a client that asks for nothing wrong, which may be for
   * good: the client's stream and its `advance` may throw for that. Such disturbances are drawn by
   * themselves, in few runs. Default false.
   */
  readonly isFatal?: boolean;
  /**
   * Whether another client gets further in the name of this one, and stores how far. Such
   * disturbances are drawn behind all else, in few runs. Default false.
   */
  readonly overtakes?: boolean;
  /**
   * Whether it strikes when a client has come so far, and not at once. Such disturbances are drawn
   * behind all else, in few runs, mostly for what is rejected. Default false.
   */
  readonly waits?: boolean;
  /** Strikes once, now. */
  strike(): void;
  /** Ends what `strike` has begun, if that lasts; called when the liveness phase begins. */
  end?(): void;
}

/**
 * What a client library can use of the process that it runs in.
 *
 * Each producer gets a port of its own, which counts the calls of its client.
 */
export interface ClientPort {
  /** The name of the host. */
  readonly name: string;
  /** Counts the starts of the host, from 1. */
  readonly incarnation: number;
  /** False once the host has crashed. */
  readonly alive: boolean;
  /** The simulated world. */
  readonly world: World;
  /** The clock of the host. */
  readonly clock: Clock;
  /** Returns the host's choices of one kind. */
  choices(kind: ChoiceKind): ChoiceStream;
  /** Calls `listener` when the host crashes or stops. */
  onDeath(listener: () => void): void;
  /** Runs `fn` on the host `ms` from now, unless it has crashed by then. */
  after(ms: number, fn: () => void, options?: { readonly hop: boolean }): Step;
  /**
   * Calls the broker: `effect` runs there at one instant and must not start promise work. It is told
   * whether a fault makes the broker answer about another's, and whether it is a copy of the request
   * that arrives late.
   *
   * The promise settles as the effect and the faults at `site` demand; it never settles if the host
   * has crashed.
   */
  call<T>(
    site: SiteName,
    to: string,
    effect: (lies: boolean, isLateCopy: boolean) => T,
  ): Promise<T>;
  /** As `call`, for an effect that does promise work. */
  callAsync<T>(site: SiteName, to: string, effect: () => Promise<T>): Promise<T>;
  /**
   * Says that a reply from `site` refused what was asked for, where that is no error of the call: a
   * status of HTTP, say. Who asks again at once, on and on, is told so (hot-loop).
   */
  refused(site: SiteName): void;
  /** Adds an event of this host to the trace. */
  trace(body: TraceBody): void;
}

/** One producer's connection to a broker. */
export interface BrokerLink<Client> {
  /** Has the interface of the real client library. */
  readonly client: Client;
  /** Describes the connections, channels, subscriptions and timers that this client has open. */
  open(): readonly string[];
}

/**
 * A broker in one world. Its content survives the crashes of its clients.
 *
 * Holds: it traces `published`, `delivered` (with the unit that a cumulative settlement covers),
 * `settle` (each attempt, accepted or refused), `settled` (the record will not be delivered again),
 * `dead-lettered`, `lapsed` (a lease or membership ended because it was not renewed) and `expired`
 * (retention removed a record that was not settled). It traces no decision of the client library.
 * The `consumer` of these events is `<host>/...` for a client on that host; any other name is a
 * competing consumer that belongs to the broker's own disturbances.
 */
export interface Broker<Client> {
  /** Creates the client of one producer; all its requests are `port.call`s at `broker.*` sites. */
  connect(port: ClientPort): BrokerLink<Client>;
  /** Adds a record of the workload. */
  publish(publication: Publication): void;
  /** Returns the published records that are neither settled, dead-lettered nor expired. */
  owed(): readonly string[];
  /** Ends all disturbances: the liveness phase begins. */
  calmDown(): void;
  /** The faults that only this kind of broker has. */
  readonly disturbances: readonly Disturbance[];
}

/** A kind of broker with its settings, as `checkProducer` takes it. */
export interface BrokerModel<Client> {
  /** Appears in reports. */
  readonly name: string;
  /** How a scenario file writes it: `{ kafka: { partitions: 3 } }`. Absent for your own models. */
  readonly spec?: { readonly [model: string]: object };
  /**
   * How long a delivery is leased to its consumer, in virtual milliseconds, if the consumer has to
   * renew that lease; a model of your own says it here, so that some runs hold a record for longer.
   */
  readonly leaseMs?: number | undefined;
  /**
   * Whether a record of the workload is text or bytes, so that some may be garbled; default: it is
   * whatever the client makes of it, and none are.
   */
  readonly carriesText?: boolean;
  /**
   * How requests reach it. By "http" each is on its own, so that a copy may arrive after later ones;
   * a connection brings each once and in order, and such copies are neither drawn nor taken.
   * Default: a connection; a scenario for a model of your own may still list them.
   */
  readonly transport?: "http" | "connection";
  /** Whether a delivery can come with the handle of another's; default false. */
  readonly misnames?: boolean;
  /** Whether a client learns of an acknowledgement that came to nothing; default true. */
  readonly confirms?: boolean;
  /** Starts the broker in a world. Calls are addressed to `host`, which also traces its events. */
  start(world: World, host: string): Broker<Client>;
}
