/**
 * The server closed a channel, or refused a call and closed the channel with that.
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
 * The server did not take a message: its queue is full, and set to reject what is published.
 *
 * Source: amqplib 2, channel.js, handleConfirm
 */
export class MessageNacked extends Error {
  override readonly name = "Error";

  constructor() {
    super("message nacked");
  }
}

/** A method of a channel or connection that is closed was called. */
export class IllegalOperationError extends Error {
  override readonly name = "IllegalOperationError";
}

export function preconditionFailed(why: string): ChannelError {
  return new ChannelError(406, `PRECONDITION_FAILED - ${why}`);
}

export function notFound(what: string): ChannelError {
  return new ChannelError(404, `NOT_FOUND - no ${what} in vhost '/'`);
}
