import { type Refusing, refusing } from "../not-modelled.ts";

type SettingCall = "setFullTime" | "setMicroseconds" | "setNanoseconds" | "setPicoseconds";

const NANOS_PER_MS = 1_000_000;
const MS_PER_SECOND = 1_000;
const SEE = "brokers.pubsub";

/**
 * The time at which a message was published: a `PreciseDate`, as of the library, which is a `Date`
 * with parts below the millisecond. In a run they are nought; setting them is refused by name.
 */
export class PubSubTime extends Date implements Readonly<Record<SettingCall, Refusing>> {
  static {
    Object.defineProperty(this, "name", { value: "PreciseDate" });
  }

  readonly setFullTime: Refusing = refusing("publishTime.setFullTime()", SEE);
  readonly setMicroseconds: Refusing = refusing("publishTime.setMicroseconds()", SEE);
  readonly setNanoseconds: Refusing = refusing("publishTime.setNanoseconds()", SEE);
  readonly setPicoseconds: Refusing = refusing("publishTime.setPicoseconds()", SEE);

  getMicroseconds(): number {
    return 0;
  }

  getNanoseconds(): number {
    return 0;
  }

  getPicoseconds(): number {
    return 0;
  }

  /** Returns the nanoseconds since the epoch. */
  getFullTime(): bigint {
    return BigInt(this.getFullTimeString());
  }

  getFullTimeString(): string {
    const { seconds, nanos } = this.toStruct();
    return `${seconds}${String(nanos).padStart(9, "0")}`;
  }

  toStruct(): { seconds: number; nanos: number } {
    const seconds = Math.floor(this.getTime() / MS_PER_SECOND);
    return { seconds, nanos: this.getUTCMilliseconds() * NANOS_PER_MS };
  }

  toTuple(): [number, number] {
    const { seconds, nanos } = this.toStruct();
    return [seconds, nanos];
  }

  /** Has nine places behind the point, which JSON has as well. */
  override toISOString(): string {
    return super.toISOString().replace("Z", "000000Z");
  }
}
