import type { World } from "../../kernel/world.ts";
import { Arrivals } from "../arrivals.ts";
import type { Publication } from "../broker.ts";
import { onHostCrash } from "../host-crash.ts";
import { refIn } from "../ref-in.ts";
import { Refusal } from "../refusal.ts";
import { SettlementLog } from "../settlement-log.ts";

/** What a server replies with. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply that has to wait for events; `version` is passed to the arrivals. */
export interface Waiting {
  readonly version: number;
}

interface FeedEvent extends Publication {
  /** The cursor of a reader that has read it. */
  readonly cursor: number;
}

const UNIT = "feed";
/** A process that reads by the same name: the old one while a new version is rolled out. */
const RIVAL = "rival";
const OVERTAKEN_BY = 2;
const RETRY_SECONDS = "2";

/**
 * A feed of events over HTTP, each with a cursor that says how far its reader is, and the cursors
 * that readers have stored.
 */
export class FeedServer {
  readonly arrivals: Arrivals = new Arrivals();
  /**
   * Called when the connections of all requests that wait are dropped; half-open ones are dropped
   * here, and nobody tells the client.
   */
  readonly onDrop: Set<(isHalfOpen: boolean) => void> = new Set();
  /** While it is on, no dead letter is taken. */
  readonly refusal: Refusal;
  /** While it is on, the feed replies with 503. */
  readonly overload: Refusal;
  /** While it is on, the feed takes nobody's token. */
  readonly denial: Refusal;
  readonly #settlements: SettlementLog;
  readonly #events: FeedEvent[] = [];
  readonly #stored = new Map<string, number>();
  /** The names under which a cursor was stored or asked for. */
  readonly #readers = new Set<string>();
  readonly #pageMax: number;
  #published = 0;
  #lettersRefused = 0;

  constructor(world: World, host: string, pageMax: number) {
    this.#settlements = new SettlementLog(world, host);
    this.refusal = new Refusal(world);
    this.overload = new Refusal(world);
    this.denial = new Refusal(world);
    this.#pageMax = pageMax;
    onHostCrash(world, host, (isHalfOpen) => this.drop(isHalfOpen));
  }

  publish(publication: Publication): void {
    this.#settlements.published(publication);
    this.#published += 1;
    this.#events.push({ ...publication, cursor: this.#published });
    this.arrivals.notify();
  }

  owed(): readonly string[] {
    return this.#settlements.owed();
  }

  /** Drops the connections of all requests that wait for events. */
  drop(isHalfOpen = false): void {
    for (const drop of [...this.onDrop]) drop(isHalfOpen);
  }

  /** Retention deletes the oldest event that is owed, and all before it. */
  deleteOldest(): void {
    const [owed] = this.#settlements.owed();
    const at = this.#events.findIndex(({ ref }) => ref === owed);
    for (const { ref } of this.#events.splice(0, at + 1)) this.#settlements.expired(ref);
  }

  /** Another process has done with two more events than are stored, under each reader's name. */
  overtake(): void {
    for (const reader of this.#readers) {
      const stored = this.#stored.get(reader) ?? 0;
      const oldest = (this.#events[0]?.cursor ?? this.#published + 1) - 1;
      const cursor = Math.min(this.#published, Math.max(stored, oldest) + OVERTAKEN_BY);
      if (cursor > stored) this.#pass(reader, cursor, RIVAL);
    }
  }

  /** Reads events behind a cursor; "oldest" is before all that are kept. */
  read(given: string, limit: number, consumer: string): Reply | Waiting {
    if (this.denial.isOn) return unauthorized();
    if (this.overload.isOn) return overloaded();
    const oldest = (this.#events[0]?.cursor ?? this.#published + 1) - 1;
    const from = given === "oldest" ? oldest : cursorFrom(given);
    if (from === undefined || from > this.#published) return bad(`no cursor: "${given}"`);
    if (from < oldest) {
      return { status: 410, body: { error: "the cursor is too old", oldest: textOf(oldest) } };
    }
    const { version } = this.arrivals;
    const page = this.#events.filter(({ cursor }) => cursor > from);
    const events = page.slice(0, Math.min(limit, this.#pageMax));
    if (events.length === 0) return { version };
    for (const { ref } of events) this.#settlements.delivered(ref, consumer, UNIT);
    const body = {
      events: events.map(({ ref, key, cursor }) => ({
        cursor: textOf(cursor),
        data: { ref, key },
      })),
      cursor: textOf(events.at(-1)?.cursor ?? from),
    };
    return { status: 200, body };
  }

  /** Returns the cursor that a reader has stored. */
  storedCursor(reader: string): Reply {
    this.#readers.add(reader);
    if (this.denial.isOn) return unauthorized();
    if (this.overload.isOn) return overloaded();
    const stored = this.#stored.get(reader);
    if (stored === undefined) return { status: 404, body: { error: "no cursor is stored" } };
    return { status: 200, body: { cursor: textOf(stored) } };
  }

  /** Stores a reader's cursor, if its condition holds: the events up to it are settled. */
  store(reader: string, body: unknown, consumer: string, condition: Condition = {}): Reply {
    const given: unknown =
      typeof body === "object" && body !== null ? Reflect.get(body, "cursor") : undefined;
    const cursor = typeof given === "string" ? cursorFrom(given) : undefined;
    const attempt = (refused: string): void =>
      this.#settlements.attempted({
        ref: undefined,
        consumer,
        handle: `${UNIT}@${cursor ?? 0}`,
        act: "commit",
        refused,
      });
    if (this.denial.isOn) {
      attempt("401");
      return unauthorized();
    }
    if (this.overload.isOn) {
      attempt("503");
      return overloaded();
    }
    if (cursor === undefined || cursor > this.#published) {
      attempt("400");
      return bad("no cursor");
    }
    const stored = this.#stored.get(reader);
    if (!holds(condition, stored)) {
      attempt("412");
      return { status: 412, body: { cursor: stored === undefined ? null : textOf(stored) } };
    }
    this.#readers.add(reader);
    this.#pass(reader, cursor, consumer);
    return { status: 204, body: undefined };
  }

  #pass(reader: string, cursor: number, consumer: string): void {
    const handle = `${UNIT}@${cursor}`;
    this.#settlements.attempted({ ref: undefined, consumer, handle, act: "commit", refused: "" });
    this.#stored.set(reader, cursor);
    for (const event of this.#events) {
      if (event.cursor <= cursor) this.#settlements.settled(event.ref, consumer);
    }
  }

  /** Says in turn that it can keep no letter, and that the sender has sent too many of them. */
  #refuseLetter(): Reply {
    this.#lettersRefused += 1;
    if (this.#lettersRefused % 2 === 1) return { status: 507, body: { error: "no space is left" } };
    return { status: 403, body: { error: "too many dead letters" } };
  }

  /** Takes a dead letter. */
  bury(text: string): Reply {
    if (this.denial.isOn) return unauthorized();
    if (this.refusal.isOn) return this.#refuseLetter();
    this.#settlements.deadLettered(refIn(text));
    return { status: 201, body: {} };
  }
}

/** The headers If-Match and If-None-Match of a request; the tag of a cursor is its text. */
export interface Condition {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

function holds({ ifMatch, ifNoneMatch }: Condition, stored: number | undefined): boolean {
  const tag = stored === undefined ? undefined : `"${textOf(stored)}"`;
  if (ifMatch !== undefined && ifMatch !== tag) return false;
  return ifNoneMatch === undefined || (ifNoneMatch === "*" && tag === undefined);
}

/** Cursors are opaque: nobody may count with them. */
function textOf(cursor: number): string {
  return `c${cursor.toString(36).padStart(4, "0")}`;
}

function cursorFrom(text: string): number | undefined {
  return /^c[0-9a-z]{4,8}$/.test(text) ? Number.parseInt(text.slice(1), 36) : undefined;
}

function bad(error: string): Reply {
  return { status: 400, body: { error } };
}

function overloaded(): Reply {
  const headers = { "retry-after": RETRY_SECONDS };
  return { status: 503, body: { error: "try again" }, headers };
}

function unauthorized(): Reply {
  const headers = { "www-authenticate": 'Bearer error="invalid_token"' };
  return { status: 401, body: { error: "the token is not valid" }, headers };
}
