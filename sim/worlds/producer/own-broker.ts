import { z } from "zod";
import type { BrokerModel } from "../../brokers/broker.ts";
import { SeededChoices } from "../../choices/choices.ts";
import { World } from "../../kernel/world.ts";
import { brokerFrom, brokerSpecOf } from "./broker-spec.ts";

const CURE =
  'export const broker = brokerModel({ name: "mine" }, (world, host) => ...), of "faultlane/brokers"';

const method = z.custom((value) => typeof value === "function", { error: "a function" });
const text = z.string({ error: "a text" }).min(1, { error: "a text" });

const modelShape = z.looseObject({
  name: text,
  start: method,
  leaseMs: z.int({ error: "whole milliseconds" }).min(1, { error: "1 or more" }).optional(),
});

const brokerShape = z.looseObject({
  connect: method,
  publish: method,
  owed: method,
  calmDown: method,
  disturbances: z.array(z.looseObject({ name: text, strike: method }), { error: "a list" }),
});

/**
 * Takes the broker model that a module exports as `broker`, by that name or as a member of its
 * default export: a model, a function that returns one, or a class of models. Undefined where it
 * exports none.
 *
 * @throws {TypeError} when it is no model, or starts no broker; the message says what is missing
 */
export function ownBrokerFrom(
  module: Readonly<Record<string, unknown>>,
): BrokerModel<unknown> | undefined {
  const { broker: named, default: whole } = module;
  const isObject = typeof whole === "object" && whole !== null;
  const found: unknown = named ?? (isObject ? Reflect.get(whole, "broker") : undefined);
  if (found === undefined) return undefined;
  const model = typeof found === "function" ? modelMadeBy(found) : found;
  assertShape(model, modelShape, "its broker");
  const { spec } = model as BrokerModel<unknown>;
  // A model of the kit is made again, by the kit that runs it.
  if (spec !== undefined) return brokerFrom(brokerSpecOf(model as BrokerModel<unknown>));
  const own = model as BrokerModel<unknown>;
  const world = new World(new SeededChoices(0, { record: false }), { keepTrace: false });
  const broker = attempt("start(world, host) of its broker", () => own.start(world, "broker"));
  assertShape(broker, brokerShape, "what start(world, host) of its broker returned");
  return own;
}

/** Calls a function, or creates an instance of a class. */
function modelMadeBy(found: object): unknown {
  const isClass = /^class\b/.test(Function.prototype.toString.call(found));
  return attempt("its broker", () =>
    isClass ? Reflect.construct(found as never, []) : Reflect.apply(found as never, undefined, []),
  );
}

function attempt<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`${what} threw: ${why}`, { cause });
  }
}

function assertShape(value: unknown, shape: z.ZodType, what: string): void {
  if (value instanceof Promise) throw new TypeError(`${what} is a promise; make it at once`);
  if (typeof value !== "object" || value === null) {
    const kind = value === null ? "null" : typeof value;
    throw new TypeError(`${what} is no object but ${kind}; ${CURE}`);
  }
  const [issue] = shape.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return;
  throw new TypeError(`${what} needs ${issue.path.join(".")}: ${issue.message}; ${CURE}`);
}
