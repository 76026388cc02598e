import type { Qos, Subscription } from "./packet.ts";
import type { Session, StoredMessage } from "./session.ts";
import { compareFilters, matches, parseFilter, type TopicFilter } from "./topic.ts";

interface Match {
  readonly session: Session;
  readonly filter: TopicFilter;
  readonly asked: Subscription;
}

/**
 * Finds the sessions that a message is for, and keeps what is retained.
 *
 * Holds: a client of version 5 gets a copy for each of its subscriptions that match, one of version
 * 3.1.1 only for the first; of a shared subscription one session gets it, in turns, whether or not
 * its client is there; the quality of a delivery is the lower one of message and subscription.
 */
export class Router {
  readonly #sessions: ReadonlyMap<string, Session>;
  readonly #retained = new Map<string, StoredMessage>();
  /** Of each shared subscription the session that had the last message. */
  readonly #turns = new Map<string, Session>();

  constructor(sessions: ReadonlyMap<string, Session>) {
    this.#sessions = sessions;
  }

  /** Keeps the message of a topic for those who subscribe later; an empty one clears the topic. */
  retain(message: StoredMessage): void {
    this.#retained.delete(message.topic);
    if (message.payload.length > 0) this.#retained.set(message.topic, message);
  }

  /** Forgets what is retained, and whose turn it is. */
  forget(): void {
    this.#retained.clear();
    this.#turns.clear();
  }

  /** Sends the message to the sessions that it is for; returns how many copies there are. */
  route(message: StoredMessage): number {
    const served = new Set<Session>();
    let copies = 0;
    for (const { session, asked } of this.#matching(message.topic)) {
      if (asked.nl === true && session === message.source) continue;
      const qos = lower(message.qos, asked.qos);
      if (session.version === 4 && served.has(session)) {
        if (qos > 0) session.skipId();
        continue;
      }
      const isRetained = asked.rap === true && message.retain;
      // What is not kept for a client that is away may still come by another subscription.
      if (session.accept(message, qos, isRetained, asked)) served.add(session);
      copies += 1;
    }
    return copies;
  }

  /** Sends what is retained to a session that subscribes; a shared subscription gets nothing. */
  sendRetained(session: Session, asked: Subscription, isNew: boolean): void {
    const filter = parseFilter(asked.topic);
    if (filter.share !== undefined || asked.rh === 2 || (asked.rh === 1 && !isNew)) return;
    for (const message of this.#retained.values()) {
      if (!matches(filter, message.topic)) continue;
      session.accept(message, lower(message.qos, asked.qos), true, asked);
    }
  }

  #matching(topic: string): readonly Match[] {
    const all = [...this.#sessions.values()].flatMap((session) =>
      [...session.subscriptions.values()]
        .filter(({ filter }) => matches(filter, topic))
        .map(({ filter, asked }): Match => ({ session, filter, asked })),
    );
    const groups = new Map<string, Match[]>();
    for (const match of all) {
      if (match.filter.share === undefined) continue;
      const members = groups.get(match.asked.topic) ?? [];
      members.push(match);
      groups.set(match.asked.topic, members);
    }
    const chosen = [...groups].map(([group, members]) => this.#next(group, members));
    return [...all.filter(({ filter }) => filter.share === undefined), ...chosen].toSorted(
      (one, other) => compareFilters(one.filter, other.filter),
    );
  }

  /** Whose turn it is. */
  #next(group: string, members: readonly Match[]): Match {
    const last = this.#turns.get(group);
    const at = members.findIndex(({ session }) => session === last);
    const next = members[(at + 1) % members.length] as Match;
    this.#turns.set(group, next.session);
    return next;
  }
}

function lower(one: Qos, other: Qos | 128): Qos {
  return other === 0 || one === 0 ? 0 : other === 1 || one === 1 ? 1 : 2;
}
