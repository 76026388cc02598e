/**
 * Asks the service about topics and subscriptions.
 *
 * @throws {PubSubServiceError} for what the service refuses
 * @throws {Error} when the client is closed
 */
export type PubSubAdmin = <T>(effect: () => T) => Promise<T>;
