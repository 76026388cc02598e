/**
 * What a trigger fires: a payload that is to be stored in the metadata database.
 *
 * Source: Airflow 3.3, airflow.triggers.base, TriggerEvent
 *
 * @example
 * ```ts
 * import { TriggerEvent } from "faultlane";
 *
 * console.log(new TriggerEvent({ order: 17 }).payload); // => { order: 17 }
 * ```
 */
export class TriggerEvent<Payload = unknown> {
  /** What the trigger fired with; must be encodable for the supervisor. */
  readonly payload: Payload;

  /** Creates an event with a payload. */
  constructor(payload: Payload) {
    this.payload = payload;
  }
}

/**
 * Returns what is wrong with something that a trigger fired; undefined when it is a trigger event,
 * of whatever copy of the class.
 *
 * Nothing else may be sent to the supervisor: it could take nothing of the round that it is in, and
 * so nothing of any other trigger either.
 */
export function flawIn(event: TriggerEvent): TypeError | undefined {
  const isObject = typeof event === "object" && event !== null;
  if (isObject && "payload" in event) return undefined;
  const what = isObject ? "an object without a payload" : String(event);
  return new TypeError(`Cannot fire ${what}: write new TriggerEvent(payload)`);
}
