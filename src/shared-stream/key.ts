type KeyPart = string | number | bigint | boolean;

/** What a shared stream is known by; compared by value, so that siblings find each other. */
export type StreamKey = KeyPart | readonly (KeyPart | null)[];

/** What orders the advances of an event; compared by value. Undefined and null are one lane each. */
export type Lane = undefined | null | StreamKey;
