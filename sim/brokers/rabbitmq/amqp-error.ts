/**
 * The server closed a channel, by itself or because it refused a call.
 *
 * Source: amqplib 2, channel_model.js, convertCloseFrameToError
 */
export class ChannelError extends Error {
  override readonly name = "Error";
  readonly code: number;

  constructor(code: number, text: string) {
    super(`Channel closed by server: ${code} with message "${text}"`);
    this.code = code;
  }
}

/**
 * The server rejected a message, because its queue is full.
 *
 * Source: amqplib 2, channel.js, handleConfirm
 */
export class MessageNacked extends Error {
  override readonly name = "Error";

  constructor() {
    super("message nacked");
  }
}

/** A method was called on a closed channel or connection. */
export class IllegalOperationError extends Error {
  override readonly name = "IllegalOperationError";
}

export function preconditionFailed(why: string): ChannelError {
  return new ChannelError(406, `PRECONDITION_FAILED - ${why}`);
}

export function notFound(what: string): ChannelError {
  return new ChannelError(404, `NOT_FOUND - no ${what} in vhost '/'`);
}
