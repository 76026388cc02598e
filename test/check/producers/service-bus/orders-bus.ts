import type {
  ServiceBusReceivedMessage,
  ServiceBusReceiverOptions,
  ServiceBusSessionReceiverOptions,
} from "@azure/service-bus";

/** What the producers use of a message. */
export type OrderMessage = Pick<
  ServiceBusReceivedMessage,
  "body" | "messageId" | "sessionId" | "lockToken" | "deliveryCount"
>;

/** What the producers use of a receiver. */
export interface OrderReceiver {
  receiveMessages(
    maxMessageCount: number,
    options?: { maxWaitTimeInMs?: number; abortSignal?: AbortSignal },
  ): Promise<OrderMessage[]>;
  completeMessage(message: OrderMessage): Promise<void>;
  abandonMessage(message: OrderMessage): Promise<void>;
  deadLetterMessage(
    message: OrderMessage,
    options: { deadLetterReason: string; deadLetterErrorDescription: string },
  ): Promise<void>;
  close(): Promise<void>;
}

export interface OrderSession extends OrderReceiver {
  readonly sessionId: string;
}

/** What the producers use of `ServiceBusClient`; the library's own fits, and so does the model's. */
export interface OrdersBus {
  createReceiver(queueName: string, options?: ServiceBusReceiverOptions): OrderReceiver;
  acceptNextSession(
    queueName: string,
    options?: ServiceBusSessionReceiverOptions,
  ): Promise<OrderSession>;
}

export const DEAD_LETTER = {
  deadLetterReason: "rejected",
  deadLetterErrorDescription: "A trigger refused the message",
};

/** Whether the library says that the lock is gone: then the message comes again by itself. */
export function isLockLost(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "MessageLockLost" || error.code === "SessionLockLost";
}
