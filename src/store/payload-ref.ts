import { scopeAddressFrom, type StoreScope } from "./scope.ts";

/** The two places of a key's payload: a write takes the one that the database does not point to. */
export type PayloadSlot = 0 | 1;

export interface PayloadRef {
  /** The payload's name in the payload store. */
  readonly name: string;
  readonly slot: PayloadSlot;
}

/**
 * What marks a reference. It is JSON for everyone, and begins with a space: text that we make of a
 * value never does, so that no value, whatever it holds, can look like a reference.
 */
const MARKER = ' {"faultlane-payload":';

/** Whether stored text is a reference and not a value. */
export function isPayloadRef(text: string): boolean {
  return text.startsWith(MARKER);
}

/** The text that stands in the database for a payload of `key`. */
export function payloadRefText(scope: StoreScope, key: string, slot: PayloadSlot): string {
  return `${MARKER}${JSON.stringify(payloadName(scope, key, slot))},"slot":${slot}}`;
}

/** The reference that stored text is, or undefined when it is a value. */
export function payloadRefFromText(text: string): PayloadRef | undefined {
  if (!isPayloadRef(text)) return undefined;
  const parsed = JSON.parse(text) as {
    readonly "faultlane-payload": string;
    readonly slot: PayloadSlot;
  };
  return { name: parsed["faultlane-payload"], slot: parsed.slot };
}

/** Text that a caller set, made unlike a reference: the same JSON without white space before it. */
export function valueTextFrom(text: string): string {
  return text.trimStart();
}

/**
 * Where the payload of a key lies: determined by scope, key and slot alone, so that what a crash
 * left behind is found again by the next write, delete or clear.
 */
export function payloadName(scope: StoreScope, key: string, slot: PayloadSlot): string {
  return `${indexPrefix(scope)}${encodePart(key)}/${slot}`;
}

/** What the names of all payloads of a scope, and of nothing else, begin with. */
export function indexPrefix(scope: StoreScope): string {
  return `${groupPrefix(scope)}${scopeAddressFrom(scope).mapIndex}/`;
}

/** The same over all map indices. */
export function groupPrefix(scope: StoreScope): string {
  return `${encodePart(scopeAddressFrom(scope).group)}/`;
}

/**
 * Only letters, digits and `-_.`, so that names suit files, object stores and urls; others as
 * `~hex~`.
 */
export function encodePart(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]/g, (unit) => `~${unit.charCodeAt(0).toString(16)}~`);
}
