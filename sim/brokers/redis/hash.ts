/**
 * A hash: its fields in the order in which they came.
 *
 * A server has them in this order as long as there are few of them and all are short
 * (`hash-max-listpack-entries`, `hash-max-listpack-value`); then in none that is defined.
 */
export class RedisHash {
  readonly kind = "hash";
  until: number | undefined;
  readonly fields: Map<string, string> = new Map();

  get size(): number {
    return this.fields.size;
  }
}
