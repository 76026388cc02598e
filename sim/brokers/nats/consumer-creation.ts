import {
  assertConsumerModelled,
  infoFrom,
  type NatsConsumerConfig,
  type NatsConsumerInfo,
  settingsFrom,
} from "./consumer-info.ts";
import { decoded } from "./decoding.ts";
import { JetStreamApiError } from "./errors.ts";
import { assertName, assertWord } from "./names.ts";
import { apiSubject, CREATE_CONSUMER, type CreateConsumerRequest, wordsOf } from "./requests.ts";
import type { NatsServer } from "./server.ts";

/** A consumer that is to be made or changed, as the library sends it. */
export interface Creation {
  readonly subject: string;
  readonly body: object;
}

/**
 * Checks a configuration as the library does. Names and filter become parts of the subject, unless
 * there are several filters.
 *
 * @throws {NotModelled} for a setting that the model would have to ignore
 *
 * Source: @nats-io/jetstream 3.4, jsmconsumer_api.ts, addUpdate
 */
export function creationFrom(
  call: string,
  stream: string,
  config: NatsConsumerConfig,
  action: CreateConsumerRequest["action"],
): Creation {
  assertName("stream", stream);
  assertConsumerModelled(call, config);
  const { durable_name: durable = "", name: given, filter_subject: filter } = config;
  if (durable) assertName("durable", durable);
  if (given) assertWord("consumer 'name'", given);
  const name = Array.isArray(config.filter_subjects) ? "" : (given ?? durable);
  const filtered = (filter ?? ">") === ">" ? [] : [filter];
  const old = durable ? ["CONSUMER.DURABLE.CREATE", stream, durable] : ["CONSUMER.CREATE", stream];
  const words = name === "" ? old : ["CONSUMER.CREATE", stream, name, ...filtered];
  const subject = apiSubject(...words);
  return { subject, body: { config, stream_name: stream, action } };
}

/**
 * Makes or changes a consumer, and returns what has become of it.
 *
 * @throws {JetStreamApiError}
 *
 * Source: nats-server 2.15, jsConsumerCreateRequest
 */
export function created(server: NatsServer, { subject, body }: Creation): NatsConsumerInfo {
  const words = wordsOf(subject);
  const isOld = words[1] === "DURABLE";
  const request = decoded(body, CREATE_CONSUMER) as CreateConsumerRequest;
  const { stream_name: stream = "", config = {}, action } = request;
  const named = words[isOld ? 4 : 3];
  const { durable_name: durable = "" } = config;
  if (durable !== "" && named !== durable) {
    const other = "consumer name in subject does not match durable name in request";
    throw new JetStreamApiError(10_017, other);
  }
  server.streamNamed(stream);
  const settings = settingsFrom(named ?? config.name ?? "", config, server.epochMs);
  if (action === "create") return infoFrom(server, stream, server.addConsumer(stream, settings));
  server.updateConsumer(stream, settings);
  return infoFrom(server, stream, settings.name);
}
