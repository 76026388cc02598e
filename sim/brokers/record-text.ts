import type { Publication } from "./broker.ts";

/**
 * Returns what is published as a record of the workload, to brokers that carry text or bytes.
 *
 * A garbled one has lost its end, as when its publisher cut it off: it names its ref, and is no
 * JSON.
 *
 * @example
 * ```ts
 * import { recordText } from "faultlane/brokers";
 *
 * console.log(recordText({ ref: "ref-000012", key: "key-1" }));
 * // => {"ref":"ref-000012","key":"key-1"}
 * console.log(recordText({ ref: "ref-000012", key: "key-1", isGarbled: true }));
 * // => {"ref":"ref-000012","key":"key-1"
 * ```
 */
export function recordText(
  { ref, key, isGarbled }: Publication,
  more: Readonly<Record<string, number>> = {},
): string {
  const text = JSON.stringify({ ref, key, ...more });
  return isGarbled === true ? text.slice(0, -1) : text;
}
