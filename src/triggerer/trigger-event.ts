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
