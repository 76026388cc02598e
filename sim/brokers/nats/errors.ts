/** No reply arrived in time. Source: @nats-io/nats-core, errors */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";

  constructor(cause: unknown) {
    super("timeout", { cause });
  }
}

/** A request failed; `cause` says why. Source: @nats-io/nats-core, errors */
export class RequestError extends Error {
  override readonly name = "RequestError";
}

/** No stream stores the subject. Source: @nats-io/nats-core, errors */
export class NoRespondersError extends Error {
  override readonly name = "NoResponders";
}

/** Source: @nats-io/jetstream, jserrors */
export class ConsumerNotFoundError extends Error {
  override readonly name = "ConsumerNotFoundError";
  readonly code = 10_014;
  readonly status = 404;

  constructor() {
    super("consumer not found");
  }
}

/** Source: @nats-io/jetstream, jserrors */
export class StreamNotFoundError extends Error {
  override readonly name = "StreamNotFoundError";
  readonly code = 10_059;
  readonly status = 404;

  constructor() {
    super("stream not found");
  }
}

/** The server refused a request of the API. Source: @nats-io/jetstream, jserrors */
export class JetStreamApiError extends Error {
  override readonly name = "JetStreamApiError";
  readonly code: number;
  readonly status = 400;

  constructor(code: number, description: string) {
    super(description);
    this.code = code;
  }
}

/** A status of the server ended a subscription. Source: @nats-io/jetstream, jserrors */
export class JetStreamStatusError extends Error {
  override readonly name = "JetStreamStatusError";
  readonly code: number;

  constructor(code: number, description: string) {
    super(description);
    this.code = code;
  }
}

/** No stream stores the subject. Source: @nats-io/jetstream 3.4, jsclient.ts, publish */
export class JetStreamNotEnabled extends Error {
  override readonly name = "JetStreamNotEnabled";
}

/** An option that the library refuses. Source: @nats-io/nats-core, errors */
export class InvalidArgumentError extends Error {
  override readonly name = "InvalidArgumentError";
}
