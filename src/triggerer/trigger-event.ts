/**
 * What a trigger fires: one payload, to be stored in the metadata database.
 *
 * Source: Airflow 3.3, airflow.triggers.base, TriggerEvent
 */
export class TriggerEvent<Payload = unknown> {
  readonly payload: Payload;

  constructor(payload: Payload) {
    this.payload = payload;
  }
}
