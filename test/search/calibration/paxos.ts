import type { Path } from "../../../sim/search/exhaustive/exhaustive.ts";

/** Round, then the server that leads it. */
type Ballot = readonly [round: number, leader: number];
type Proposal = readonly [request: number, client: number, value: string];
type Accepted = readonly [Ballot, Proposal];

type Message =
  | readonly ["put", request: number, value: string]
  | readonly ["get", request: number]
  | readonly ["put-ok", request: number]
  | readonly ["get-ok", request: number, value: string]
  | readonly ["prepare", Ballot]
  | readonly ["prepared", Ballot, Accepted | null]
  | readonly ["accept", Ballot, Proposal]
  | readonly ["accepted", Ballot]
  | readonly ["decided", Ballot, Proposal];

interface Envelope {
  readonly from: number;
  readonly to: number;
  readonly message: Message;
}

interface Server {
  ballot: Ballot;
  proposal: Proposal | null;
  readonly prepares: Map<number, Accepted | null>;
  readonly accepts: Set<number>;
  accepted: Accepted | null;
  isDecided: boolean;
}

interface Client {
  awaiting: number | null;
  operations: number;
}

/** What a client did, and how many operations each other client had completed when it began. */
type Operation = readonly [before: readonly (readonly [number, number])[], what: string];

const SERVERS = 3;
const MAJORITY = 2;

/**
 * Single-decree Paxos in the form of Stateright's example: three servers, each client puts one
 * value and then gets one; messages arrive in any order, once; one that changes nothing stays on
 * its way. What clients have seen of each other's operations is part of the state.
 */
class Cluster {
  readonly #servers: Server[] = [];
  readonly #clients = new Map<number, Client>();
  readonly #network: Envelope[] = [];
  readonly #inFlight = new Map<number, Operation>();
  readonly #completed = new Map<number, (readonly [...Operation, string])[]>();

  constructor(clients: number) {
    for (let at = 0; at < SERVERS; at += 1) {
      this.#servers.push({
        ballot: [0, 0],
        proposal: null,
        prepares: new Map(),
        accepts: new Set(),
        accepted: null,
        isDecided: false,
      });
    }
    for (let id = SERVERS; id < SERVERS + clients; id += 1) {
      this.#clients.set(id, { awaiting: id, operations: 1 });
      this.#send(id, id % SERVERS, ["put", id, String.fromCharCode(65 + id - SERVERS)]);
    }
  }

  /** Messages that would change something, equal ones once. */
  deliverable(): readonly Envelope[] {
    const texts = new Set<string>();
    return this.#network.filter((envelope) => {
      const text = JSON.stringify(envelope);
      const isNew = !texts.has(text) && this.#matters(envelope);
      if (isNew) texts.add(text);
      return isNew;
    });
  }

  deliver(envelope: Envelope): void {
    const text = JSON.stringify(envelope);
    const at = this.#network.findIndex((one) => JSON.stringify(one) === text);
    this.#network.splice(at, 1);
    const { from, to, message } = envelope;
    if (to < SERVERS) this.#serve(to, from, message);
    else this.#hear(to, message);
  }

  /** Two servers that have decided on different values. */
  get disagreement(): string | undefined {
    const decided = this.#servers.filter(({ isDecided }) => isDecided);
    const values = new Set(decided.map(({ accepted }) => accepted?.[1][2]));
    return values.size > 1 ? [...values].join(" and ") : undefined;
  }

  text(): string {
    return JSON.stringify([
      this.#servers.map(({ prepares, accepts, ...rest }) => [
        rest,
        [...prepares].sort(([one], [other]) => one - other),
        [...accepts].sort((one, other) => one - other),
      ]),
      [...this.#clients],
      this.#network.map((envelope) => JSON.stringify(envelope)).sort(),
      [...this.#inFlight].sort(([one], [other]) => one - other),
      [...this.#completed].sort(([one], [other]) => one - other),
    ]);
  }

  #send(from: number, to: number, message: Message): void {
    this.#network.push({ from, to, message });
    if (message[0] !== "put" && message[0] !== "get") return;
    const others = [...this.#completed].filter(([id, done]) => id !== from && done.length > 0);
    const before = others.map(([id, done]) => [id, done.length - 1] as const);
    this.#inFlight.set(from, [before.sort(([one], [other]) => one - other), message.join(" ")]);
    if (!this.#completed.has(from)) this.#completed.set(from, []);
  }

  #broadcast(from: number, message: Message): void {
    for (let to = 0; to < SERVERS; to += 1) if (to !== from) this.#send(from, to, message);
  }

  #matters({ to, message }: Envelope): boolean {
    if (to >= SERVERS) {
      const { awaiting } = this.#clients.get(to) as Client;
      return awaiting !== null && message[1] === awaiting;
    }
    const { ballot, proposal, isDecided } = this.#servers[to] as Server;
    if (isDecided) return message[0] === "get";
    switch (message[0]) {
      case "put":
        return proposal === null;
      case "prepare":
        return isBefore(ballot, message[1]);
      case "prepared":
      case "accepted":
        return ballot[0] === message[1][0] && ballot[1] === message[1][1];
      case "accept":
        return !isBefore(message[1], ballot);
      default:
        return message[0] === "decided";
    }
  }

  #serve(id: number, from: number, message: Message): void {
    const server = this.#servers[id] as Server;
    switch (message[0]) {
      case "put":
        server.proposal = [message[1], from, message[2]];
        server.prepares.clear();
        server.accepts.clear();
        server.ballot = [server.ballot[0] + 1, id];
        server.prepares.set(id, server.accepted);
        this.#broadcast(id, ["prepare", server.ballot]);
        break;
      case "get":
        this.#send(id, from, ["get-ok", message[1], server.accepted?.[1][2] ?? ""]);
        break;
      case "prepare":
        server.ballot = message[1];
        this.#send(id, from, ["prepared", message[1], server.accepted]);
        break;
      case "prepared":
        server.prepares.set(from, message[2]);
        if (server.prepares.size === MAJORITY) this.#propose(id, server, message[1]);
        break;
      case "accept":
        server.ballot = message[1];
        server.accepted = [message[1], message[2]];
        this.#send(id, from, ["accepted", message[1]]);
        break;
      case "accepted":
        server.accepts.add(from);
        if (server.accepts.size === MAJORITY) this.#decide(id, server, message[1]);
        break;
      case "decided":
        server.ballot = message[1];
        server.accepted = [message[1], message[2]];
        server.isDecided = true;
        break;
      default:
    }
  }

  #propose(id: number, server: Server, ballot: Ballot): void {
    let newest: Accepted | null = null;
    for (const accepted of server.prepares.values()) {
      if (accepted !== null && (newest === null || isBefore(newest[0], accepted[0]))) {
        newest = accepted;
      }
    }
    const proposal = newest?.[1] ?? (server.proposal as Proposal);
    server.proposal = proposal;
    server.accepted = [ballot, proposal];
    server.accepts.add(id);
    this.#broadcast(id, ["accept", ballot, proposal]);
  }

  #decide(id: number, server: Server, ballot: Ballot): void {
    const proposal = server.proposal as Proposal;
    server.isDecided = true;
    this.#broadcast(id, ["decided", ballot, proposal]);
    this.#send(id, proposal[1], ["put-ok", proposal[0]]);
  }

  #hear(id: number, message: Message): void {
    const client = this.#clients.get(id) as Client;
    const [before, what] = this.#inFlight.get(id) as Operation;
    this.#inFlight.delete(id);
    this.#completed.get(id)?.push([before, what, message.join(" ")]);
    client.awaiting = null;
    client.operations += 1;
    if (message[0] !== "put-ok") return;
    const request = client.operations * id;
    client.awaiting = request;
    this.#send(id, (id + client.operations - 1) % SERVERS, ["get", request]);
  }
}

/** Answers what is wrong when two servers decide on different values. */
export function paxos(path: Path, clients: number): string | undefined {
  const cluster = new Cluster(clients);
  while (!path.wasVisited(() => cluster.text())) {
    if (path.isNew && cluster.disagreement !== undefined) return cluster.disagreement;
    const envelopes = cluster.deliverable();
    const envelope = envelopes[path.choose(Math.max(1, envelopes.length))];
    if (envelope === undefined) return undefined;
    cluster.deliver(envelope);
  }
  return undefined;
}

function isBefore(one: Ballot, other: Ballot): boolean {
  return one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
}
