import { scopeAddressFrom, type StoreScope } from "./scope.ts";

/** Each key has two payload slots; a write uses the one that the database does not refer to. */
export type PayloadSlot = 0 | 1;

/** What the database holds in place of a payload. */
export interface PayloadRef {
  /** The name of the payload in the payload store. */
  readonly name: string;
  readonly slot: PayloadSlot;
}

/**
 * The beginning of a reference. It is valid JSON and begins with a space, which the text of a value
 * never does: so no value can be mistaken for a reference.
 */
const MARKER = ' {"faultlane-payload":';

/** Returns whether stored text is a reference rather than a value. */
export function isPayloadRef(text: string): boolean {
  return text.startsWith(MARKER);
}

/** Returns the text of the reference to a payload of `key`. */
export function payloadRefText(scope: StoreScope, key: string, slot: PayloadSlot): string {
  return `${MARKER}${JSON.stringify(payloadName(scope, key, slot))},"slot":${slot}}`;
}

/** Parses stored text as a reference; undefined when it is a value. */
export function payloadRefFromText(text: string): PayloadRef | undefined {
  if (!isPayloadRef(text)) return undefined;
  const parsed = JSON.parse(text) as {
    readonly "faultlane-payload": string;
    readonly slot: PayloadSlot;
  };
  return { name: parsed["faultlane-payload"], slot: parsed.slot };
}

/**
 * Returns the JSON text of a value without leading white space, which would look like a reference.
 */
export function valueTextFrom(text: string): string {
  return text.trimStart();
}

/**
 * Returns the name of a payload. It depends on scope, key and slot alone, so that the next write,
 * delete or clear finds what a crash left behind.
 */
export function payloadName(scope: StoreScope, key: string, slot: PayloadSlot): string {
  return `${indexPrefix(scope)}${encodePart(key)}/${slot}`;
}

/** Returns the prefix of the names of a scope's payloads; no other name begins with it. */
export function indexPrefix(scope: StoreScope): string {
  return `${groupPrefix(scope)}${scopeAddressFrom(scope).mapIndex}/`;
}

/** Returns the prefix of the names of the payloads of all map indices of a scope. */
export function groupPrefix(scope: StoreScope): string {
  return `${encodePart(scopeAddressFrom(scope).group)}/`;
}

/**
 * Escapes everything but ASCII letters, digits and `-_.` as `~hex~`, so that names are valid in
 * file systems, object stores and URLs.
 */
export function encodePart(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]/g, (unit) => `~${unit.charCodeAt(0).toString(16)}~`);
}
