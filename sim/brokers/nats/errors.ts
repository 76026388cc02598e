import { adoptLibraryClass } from "../library-errors.ts";

/** An error of @nats-io/nats-core, errors. Code tells it by its class or name. */
class CoreError extends Error {
  override readonly name: string;

  constructor(name: string, message: string, options: ErrorOptions, className: string = name) {
    super(message, options);
    this.name = name;
    adoptLibraryClass(this, "@nats-io/nats-core", className);
  }
}

/** No reply arrived in time. */
export class TimeoutError extends CoreError {
  constructor(cause: unknown) {
    super("TimeoutError", "timeout", { cause });
  }
}

/** A request failed; `cause` says why. */
export class RequestError extends CoreError {
  // The library assigns the cause, so that a copy of the error or its JSON shows it.
  override readonly cause: Error;

  constructor(cause: Error) {
    super("RequestError", cause.message, {});
    this.cause = cause;
  }

  /** Whether nobody has subscribed to the subject of the request. */
  isNoResponders(): boolean {
    return this.cause.name === "NoResponders";
  }
}

/** No stream stores the subject. */
export class NoRespondersError extends CoreError {
  readonly subject: string;

  constructor(subject: string) {
    super("NoResponders", `no responders: '${subject}'`, {}, "NoRespondersError");
    this.subject = subject;
  }
}

/** An option that the library refuses. */
export class InvalidArgumentError extends CoreError {
  constructor(message: string) {
    super("InvalidArgumentError", message, {});
  }
}

/** A call that an object cannot take as it is used. */
export class InvalidOperationError extends CoreError {
  constructor(message: string) {
    super("InvalidOperationError", message, {});
  }
}

/** A subject that is empty, or has a space. */
export class InvalidSubjectError extends CoreError {
  constructor(subject: string) {
    super("InvalidSubjectError", `illegal subject: '${subject}'`, {});
  }
}

/** What the server says of a request that it refuses. */
interface ApiError {
  readonly code: number;
  readonly err_code: number;
  readonly description: string;
}

/** The server refused a request of the API. Source: @nats-io/jetstream, jserrors */
export class JetStreamApiError extends Error {
  override readonly name: string;
  declare readonly code: number;
  declare readonly status: number;
  /** Returns what the server sent. */
  declare readonly apiError: () => ApiError;

  constructor(code: number, description: string, status = 400, name = "JetStreamApiError") {
    super(description);
    this.name = name;
    const sent: ApiError = { code: status, err_code: code, description };
    // The library's are accessors, which a copy of the error or its JSON does not show.
    Object.defineProperties(this, {
      code: { value: code },
      status: { value: status },
      apiError: { value: () => sent },
    });
    adoptLibraryClass(this, "@nats-io/jetstream", name, "JetStreamApiError");
  }
}

/** Source: @nats-io/jetstream, jserrors */
export class ConsumerNotFoundError extends JetStreamApiError {
  constructor() {
    super(10_014, "consumer not found", 404, "ConsumerNotFoundError");
  }
}

/** Source: @nats-io/jetstream, jserrors */
export class StreamNotFoundError extends JetStreamApiError {
  constructor(message = "stream not found") {
    super(10_059, message, 404, "StreamNotFoundError");
  }
}

/** Source: @nats-io/jetstream, jserrors */
class JetStreamError extends Error {
  override readonly name: string = "JetStreamError";
}

/**
 * A status of the server ended a subscription. The library writes what the server says in small
 * letters.
 *
 * Source: @nats-io/jetstream, jserrors
 */
export class JetStreamStatusError extends JetStreamError {
  override readonly name = "JetStreamStatusError";
  readonly code: number;

  constructor(code: number, description: string) {
    super(description);
    this.code = code;
    adoptLibraryClass(this, "@nats-io/jetstream", "JetStreamStatusError");
  }
}

/** A name with a character that names do not have. Source: @nats-io/jetstream, jsutil */
export class InvalidNameError extends Error {
  override readonly name = "InvalidNameError";

  constructor(message: string) {
    super(message);
    adoptLibraryClass(this, "@nats-io/jetstream", "InvalidNameError");
  }
}

/** No stream stores the subject. Source: @nats-io/jetstream 3.4, jsclient.ts, publish */
export class JetStreamNotEnabled extends Error {
  override readonly name = "JetStreamNotEnabled";

  constructor(message: string, options: ErrorOptions) {
    super(message, options);
    adoptLibraryClass(this, "@nats-io/jetstream", "JetStreamNotEnabled");
  }
}
