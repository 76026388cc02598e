import { builtinModule } from "../../src/platform/mod.ts";
import { gateClass, gateFunction, gateValue } from "./gate.ts";
import { type Callback, perRealm, type Realm } from "./realm.ts";

const NS_PER_MS = 1_000_000n;
const MS_PER_S = 1_000;

/** Makes every way to ask for the time virtual: Date, performance, hrtime, uptime, Event, Temporal. */
export function gateTime(): void {
  gateDate();
  gatePerformance();
  gateEvent();
  gateTemporal();
  const { process } = globalThis as unknown as { readonly process?: Record<string, unknown> };
  gateFunction(process, "hrtime", ({ monotonicMs }, [since]) => hrtimeAt(monotonicMs, since));
  const hrtime = process?.["hrtime"] as object | undefined;
  gateFunction(hrtime, "bigint", ({ monotonicMs }) => BigInt(monotonicMs) * NS_PER_MS);
  gateFunction(process, "uptime", ({ monotonicMs }) => monotonicMs / MS_PER_S);
  gateFunction(
    builtinModule("node:os") as object | undefined,
    "uptime",
    ({ monotonicMs }) => monotonicMs / MS_PER_S,
  );
  const { Bun } = globalThis as unknown as { readonly Bun?: object };
  gateFunction(Bun, "nanoseconds", ({ monotonicMs }) => monotonicMs * 1e6);
}

function gateDate(): void {
  // The static one belongs to the real constructor, too: a `Date` captured earlier has it.
  gateFunction(Date, "now", ({ wallMs }) => wallMs);
  gateClass(globalThis, "Date", {
    construct: ({ wallMs }, args) => (args.length === 0 ? [wallMs] : args),
    apply: ({ wallMs }) => new Date(wallMs).toString(),
  });
}

function hrtimeAt(ms: number, since: unknown): readonly [number, number] {
  const [seconds, nanoseconds] = [Math.floor(ms / MS_PER_S), (ms % MS_PER_S) * 1e6];
  if (!Array.isArray(since)) return [seconds, nanoseconds];
  const [fromS, fromNs] = since as [number, number];
  const borrow = nanoseconds < fromNs ? 1 : 0;
  return [seconds - fromS - borrow, nanoseconds - fromNs + borrow * 1e9];
}

interface Entry {
  readonly name: string;
  readonly entryType: string;
  readonly startTime: number;
}

interface MarkOptions {
  readonly startTime?: number;
  readonly detail?: unknown;
}

interface MeasureOptions {
  readonly start?: string | number;
  readonly end?: string | number;
  readonly duration?: number;
  readonly detail?: unknown;
}

/** The marks and measures of each run, which its code reads back. */
const listOf = perRealm((): Entry[] => []);

const originOf = ({ wallMs, monotonicMs }: Realm): number => wallMs - monotonicMs;

function gatePerformance(): void {
  const { performance } = globalThis as unknown as { readonly performance?: Performance };
  if (performance === undefined) return;
  gateFunction(performance, "now", ({ monotonicMs }) => monotonicMs);
  const prototype = Object.getPrototypeOf(performance) as object;
  const holder = "timeOrigin" in prototype ? prototype : performance;
  gateValue(holder, "timeOrigin", originOf);
  gateFunction(performance, "toJSON", (realm) => ({ timeOrigin: originOf(realm) }));
  gateFunction(performance, "eventLoopUtilization", () => ({ idle: 0, active: 0, utilization: 0 }));
  gateFunction(performance, "mark", (realm, [name, options]) => mark(realm, String(name), options));
  gateFunction(performance, "measure", (realm, args, real) => {
    const entry = measure(realm, args, real);
    performance.clearMeasures(entry.name);
    listOf(realm).push(entry);
    return entry;
  });
  for (const kind of ["mark", "measure"]) {
    gateFunction(
      performance,
      kind === "mark" ? "clearMarks" : "clearMeasures",
      (realm, [name], real) => {
        real(name);
        const kept = listOf(realm).filter(
          (one) => one.entryType !== kind || (name !== undefined && one.name !== name),
        );
        listOf(realm).splice(0, Infinity, ...kept);
      },
    );
  }
  gateFunction(performance, "getEntries", (realm) => [...listOf(realm)]);
  gateFunction(performance, "getEntriesByName", (realm, [name, type]) =>
    listOf(realm).filter(
      (one) => one.name === name && (type === undefined || one.entryType === type),
    ),
  );
  gateFunction(performance, "getEntriesByType", (realm, [type]) =>
    listOf(realm).filter(({ entryType }) => entryType === type),
  );
}

function mark(realm: Realm, name: string, given: unknown): Entry {
  const { startTime = realm.monotonicMs, detail = null } = (given ?? {}) as MarkOptions;
  const entry = new PerformanceMark(name, { startTime, detail });
  listOf(realm).push(entry);
  return entry;
}

/** @throws {SyntaxError} when there is no such mark */
function measure(realm: Realm, args: readonly unknown[], real: Callback): Entry {
  const [name, from, to] = args as [string, string | MeasureOptions | undefined, string?];
  const at = (given: string | number | undefined, otherwise: number): number => {
    if (typeof given === "number") return given;
    if (given === undefined) return otherwise;
    const found = listOf(realm).findLast((one) => one.entryType === "mark" && one.name === given);
    if (found === undefined) {
      throw new DOMException(`The "${given}" performance mark has not been set`, "SyntaxError");
    }
    return found.startTime;
  };
  const options = typeof from === "object" ? from : { start: from, end: to };
  const { duration, detail } = options as MeasureOptions;
  let start = at(options.start, 0);
  let end = at(options.end, realm.monotonicMs);
  if (duration !== undefined && options.end === undefined) end = start + duration;
  else if (duration !== undefined && options.start === undefined) start = end - duration;
  return real(name, { start, end, ...(detail === undefined ? {} : { detail }) }) as Entry;
}

/** When each event was made. */
const createdAt = new WeakMap<object, number>();

function gateEvent(): void {
  const { Event } = globalThis as unknown as { readonly Event?: { readonly prototype: object } };
  if (Event === undefined) return;
  gateValue(Event.prototype, "timeStamp", ({ monotonicMs }, self) => {
    const event = self as object;
    const at = createdAt.get(event) ?? monotonicMs;
    createdAt.set(event, at);
    return at;
  });
}

interface TemporalLike {
  readonly Now: object;
  readonly Instant: {
    fromEpochMilliseconds(ms: number): { toZonedDateTimeISO(zone: unknown): Zoned };
  };
}

interface Zoned {
  toPlainDateTime(): unknown;
  toPlainDate(): unknown;
  toPlainTime(): unknown;
}

function gateTemporal(): void {
  const { Temporal } = globalThis as unknown as { readonly Temporal?: TemporalLike };
  if (Temporal === undefined) return;
  const { Now, Instant } = Temporal;
  const zoned = ({ wallMs }: Realm, zone: unknown): Zoned =>
    Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO(zone ?? "UTC");
  gateFunction(Now, "instant", ({ wallMs }) => Instant.fromEpochMilliseconds(wallMs));
  gateFunction(Now, "zonedDateTimeISO", (realm, [zone]) => zoned(realm, zone));
  gateFunction(Now, "plainDateTimeISO", (realm, [zone]) => zoned(realm, zone).toPlainDateTime());
  gateFunction(Now, "plainDateISO", (realm, [zone]) => zoned(realm, zone).toPlainDate());
  gateFunction(Now, "plainTimeISO", (realm, [zone]) => zoned(realm, zone).toPlainTime());
  gateFunction(Now, "timeZoneId", () => "UTC");
}
