import { assertModelled, type Refusing, refusing, refusingAll } from "../not-modelled.ts";
import { infoFrom, type NatsConsumerConfig, type NatsConsumerInfo } from "./consumer-info.ts";
import { created, type Creation, creationFrom } from "./consumer-creation.ts";
import { apiSubject, namesIn } from "./requests.ts";
import { type Lister, listerOf } from "./lister.ts";
import { assertName } from "./names.ts";
import type { NatsServer } from "./server.ts";
import { type NatsStreamAdmin, streamsOf } from "./streams.ts";

const SEE = "brokers.nats";
type DirectCall = "get" | "getMessage" | "getBatch" | "getLastMessagesFor";
type RefusingAll<Names extends string> = Readonly<Record<Names, Refusing>>;

const DIRECT_CALLS: readonly DirectCall[] = ["get", "getMessage", "getBatch", "getLastMessagesFor"];

interface AddOptions {
  /** Whether there may be a consumer of this name already; it has to be alike to be made again. */
  readonly action?: "create" | "update" | "" | undefined;
}

/** The `consumers` of a `JetStreamManager`. */
interface NatsConsumerAdmin {
  add(stream: string, config: NatsConsumerConfig, options?: AddOptions): Promise<NatsConsumerInfo>;
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

/** Of a `JetStreamManager` what a producer asks and sets up; the rest is refused by name. */
export interface NatsManager<Client> {
  readonly consumers: NatsConsumerAdmin;
  readonly streams: NatsStreamAdmin;
  readonly direct: RefusingAll<DirectCall>;
  readonly getAccountInfo: Refusing;
  readonly advisories: Refusing;
  getOptions(): object;
  jetstream(): Client;
}

/** What the administration needs of its client. */
interface Manageable {
  readonly consumers: { get(stream: string, name?: string | object): Promise<unknown> };
  getOptions(): object;
}

/** What the administration needs. */
interface Administrator<Client> {
  readonly client: Client & Manageable;
  readonly server: NatsServer;
  readonly request: <T>(effect: () => T) => Promise<T>;
}

export function managerOf<Client>(administrator: Administrator<Client>): NatsManager<Client> {
  const { client } = administrator;
  const owner = "JetStreamManager";
  return {
    consumers: consumersOf(administrator),
    streams: streamsOf(administrator),
    direct: refusingAll(`${owner}.direct`, DIRECT_CALLS, SEE),
    getAccountInfo: refusing(`${owner}.getAccountInfo()`, SEE),
    advisories: refusing(`${owner}.advisories()`, SEE),
    getOptions: () => ({ ...client.getOptions(), checkAPI: true }),
    jetstream: () => client,
  };
}

function consumersOf<Client>({ server, request }: Administrator<Client>): NatsConsumerAdmin {
  const named = (stream: string, name: string): void => {
    assertName("stream", stream);
    assertName("durable", name);
  };
  const info = async (stream: string, name: string): Promise<NatsConsumerInfo> => {
    named(stream, name);
    const subject = apiSubject("CONSUMER.INFO", stream, name);
    return await request(() => infoFrom(server, ...namesIn(subject)));
  };
  const creating = async (creation: Creation): Promise<NatsConsumerInfo> =>
    await request(() => created(server, creation));
  return {
    info,
    async add(stream, config, options) {
      const { action } = options ?? {};
      assertModelled("consumers.add() with options", options ?? {}, ["action"], SEE);
      return await creating(creationFrom("consumers.add()", stream, config, action || "create"));
    },
    async update(stream, name, config) {
      const before = await info(stream, name);
      // What the server says and takes from nobody.
      const { max_waiting: _, ...known } = before.config;
      const after = { ...known, ...config };
      return await creating(creationFrom("consumers.update()", stream, after, "update"));
    },
    async delete(stream, name) {
      named(stream, name);
      const subject = apiSubject("CONSUMER.DELETE", stream, name);
      return await request(() => server.deleteConsumer(...namesIn(subject)));
    },
    list(stream) {
      assertName("stream", stream);
      const subject = apiSubject("CONSUMER.LIST", stream);
      return listerOf(() =>
        request(() => {
          const [of] = namesIn(subject);
          return server.consumersOf(of).map((name) => infoFrom(server, of, name));
        }),
      );
    },
    ...refusingAll(
      "JetStreamManager.consumers",
      ["pause", "resume", "unpin", "reset"] as const,
      SEE,
    ),
  };
}
