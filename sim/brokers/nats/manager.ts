import { NotModelled, type Refusing, refusing, refusingAll } from "../not-modelled.ts";
import {
  infoFrom,
  type NatsConsumerConfig,
  type NatsConsumerInfo,
  settingsFrom,
  UNFIT_START,
} from "./consumer-info.ts";
import type { ConsumerSettings } from "./settings.ts";
import { type Lister, listerOf } from "./lister.ts";
import { NoRespondersError } from "./errors.ts";
import { assertName } from "./names.ts";
import { notEnabled } from "./publishing.ts";
import type { NatsServer } from "./server.ts";
import { type NatsStreamAdmin, streamsOf } from "./streams.ts";

const SEE = "brokers.nats";
type DirectCall = "get" | "getMessage" | "getBatch" | "getLastMessagesFor";
type RefusingAll<Names extends string> = Readonly<Record<Names, Refusing>>;

const DIRECT_CALLS: readonly DirectCall[] = ["get", "getMessage", "getBatch", "getLastMessagesFor"];

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
  const info = async (stream: string, name: string): Promise<NatsConsumerInfo> => {
    assertName("stream", stream);
    assertName("durable", name);
    return await request(() => infoFrom(server, stream, name));
  };
  /** Where there is no stream, the server says so before it judges what a consumer is to be. */
  const ofStream = async (
    stream: string,
    read: () => ConsumerSettings,
  ): Promise<ConsumerSettings> => {
    try {
      return read();
    } catch (error) {
      const isJudged = (error as { readonly code?: unknown }).code === UNFIT_START;
      if (isJudged) await request(() => server.streamNamed(stream));
      throw error;
    }
  };
  return {
    info,
    async add(stream, config, options) {
      if (options !== undefined) throw new NotModelled("consumers.add() with options", SEE);
      assertName("stream", stream);
      const read = (): ConsumerSettings => settingsFrom("consumers.add()", config, server.epochMs);
      const settings = await ofStream(stream, read);
      const { filter_subject: filter } = config;
      if (filter?.split(".").includes("") === true) {
        // It is a part of the request's subject, which nobody reads.
        const subject = ["$JS", "API", "CONSUMER", "CREATE", stream, settings.name, filter];
        throw notEnabled(new NoRespondersError(subject.join(".")));
      }
      await request(() => server.addConsumer(stream, settings));
      return info(stream, settings.name);
    },
    async update(stream, name, config) {
      const before = await info(stream, name);
      // What the server says and takes from nobody.
      const { max_waiting: _, num_replicas: __, ...known } = before.config;
      const after = { ...known, durable_name: name, ...config };
      const settings = settingsFrom("consumers.update()", after, server.epochMs);
      await request(() => server.updateConsumer(stream, settings));
      return info(stream, name);
    },
    async delete(stream, name) {
      assertName("stream", stream);
      assertName("durable", name);
      return await request(() => server.deleteConsumer(stream, name));
    },
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
