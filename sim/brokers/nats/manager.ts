import { NotModelled, type Refusing, refusing, refusingAll } from "../not-modelled.ts";
import {
  infoFrom,
  type NatsConsumerConfig,
  type NatsConsumerInfo,
  settingsFrom,
} from "./consumer-info.ts";
import type { NatsServer } from "./server.ts";

const SEE = "brokers.nats";
type StreamCall =
  | ("info" | "add" | "update" | "purge" | "delete" | "list")
  | ("deleteMessage" | "getMessage" | "find" | "names" | "get");
type DirectCall = "get" | "getMessage" | "getBatch" | "getLastMessagesFor";
type RefusingAll<Names extends string> = Readonly<Record<Names, Refusing>>;

const STREAM_CALLS: readonly StreamCall[] = [
  ...(["info", "add", "update", "purge", "delete", "list"] as const),
  ...(["deleteMessage", "getMessage", "find", "names", "get"] as const),
];
const DIRECT_CALLS: readonly DirectCall[] = ["get", "getMessage", "getBatch", "getLastMessagesFor"];

/** What a listing resolves with, page by page or one by one. */
interface Lister<T> extends AsyncIterable<T> {
  /** Resolves with the next page; empty after the last. */
  next(): Promise<T[]>;
}

/** The `consumers` of a `JetStreamManager`. */
interface NatsConsumerAdmin {
  add(stream: string, config: NatsConsumerConfig, options?: object): Promise<NatsConsumerInfo>;
  info(stream: string, consumer: string): Promise<NatsConsumerInfo>;
  update(
    stream: string,
    consumer: string,
    config: Partial<NatsConsumerConfig>,
  ): Promise<NatsConsumerInfo>;
  delete(stream: string, consumer: string): Promise<boolean>;
  list(stream: string): Lister<NatsConsumerInfo>;
  /** Not modelled, as the three that follow. */
  pause: Refusing;
  resume: Refusing;
  unpin: Refusing;
  reset: Refusing;
}

/** Of a `JetStreamManager` the administration of consumers; the rest is refused by name. */
export interface NatsManager<Client> {
  readonly consumers: NatsConsumerAdmin;
  readonly streams: RefusingAll<StreamCall>;
  readonly direct: RefusingAll<DirectCall>;
  readonly getAccountInfo: Refusing;
  readonly advisories: Refusing;
  getOptions(): object;
  jetstream(): Client;
}

/** What the administration needs of its client. */
interface Administrator<Client> {
  readonly client: Client & { getOptions(): object };
  readonly server: NatsServer;
  readonly request: <T>(effect: () => T) => Promise<T>;
}

export function managerOf<Client>(administrator: Administrator<Client>): NatsManager<Client> {
  const { client } = administrator;
  const owner = "JetStreamManager";
  return {
    consumers: consumersOf(administrator),
    streams: refusingAll(`${owner}.streams`, STREAM_CALLS, SEE),
    direct: refusingAll(`${owner}.direct`, DIRECT_CALLS, SEE),
    getAccountInfo: refusing(`${owner}.getAccountInfo()`, SEE),
    advisories: refusing(`${owner}.advisories()`, SEE),
    getOptions: () => client.getOptions(),
    jetstream: () => client,
  };
}

function consumersOf<Client>({ server, request }: Administrator<Client>): NatsConsumerAdmin {
  const info = (stream: string, name: string): Promise<NatsConsumerInfo> =>
    request(() => infoFrom(server, stream, name));
  return {
    info,
    async add(stream, config, options) {
      if (options !== undefined) throw new NotModelled("consumers.add() with options", SEE);
      const settings = settingsFrom("consumers.add()", config);
      await request(() => server.addConsumer(stream, settings));
      return info(stream, settings.name);
    },
    async update(stream, name, config) {
      const before = await info(stream, name);
      const after = { ...before.config, ...config, durable_name: name };
      const settings = settingsFrom("consumers.update()", after);
      await request(() => server.updateConsumer(stream, settings));
      return info(stream, name);
    },
    delete: (stream, name) => request(() => server.deleteConsumer(stream, name)),
    list: (stream) =>
      listerOf(() =>
        request(() => server.consumersOf(stream).map((name) => infoFrom(server, stream, name))),
      ),
    ...refusingAll(
      "JetStreamManager.consumers",
      ["pause", "resume", "unpin", "reset"] as const,
      SEE,
    ),
  };
}

/** Lists everything on one page, which is read at the first call. */
function listerOf<T>(read: () => Promise<T[]>): Lister<T> {
  let isRead = false;
  const next = (): Promise<T[]> => {
    if (isRead) return Promise.resolve([]);
    isRead = true;
    return read();
  };
  return {
    next,
    async *[Symbol.asyncIterator]() {
      yield* await next();
    },
  };
}
