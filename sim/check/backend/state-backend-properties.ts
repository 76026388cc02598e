import * as fc from "fast-check";
import {
  type JsonValue,
  type StateBackend,
  type StoreScope,
  scopeAddressFrom,
  type TaskStateStore,
} from "../../../src/store/mod.ts";
import { within } from "../../search/shrink/shrink.ts";
import { simplerRecord, simplerText, simplerValue } from "../../search/shrink/shrink-value.ts";
import { tryProperty } from "./state-backend-runs.ts";
import {
  equal,
  inWords,
  keysIn,
  same,
  type StateBackendLaw,
  TASK,
  withBench,
} from "./state-backend-subject.ts";

const anyText = fc.string({ unit: "binary", maxLength: 12 });
const anyKey = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
  fc.constantFrom(
    "\u0001",
    "\u0001#",
    "\0",
    "\ud7ff",
    "\ud800",
    "\udfff",
    "\ud7ff\u0002\u0100",
    "\ue000",
  ),
);

/** Any JSON value but a top-level null. */
const storableValue: fc.Arbitrary<NonNullable<JsonValue>> = fc
  .jsonValue({ stringUnit: "binary", maxDepth: 4 })
  .filter((value) => value !== null)
  .map((value) => value as NonNullable<JsonValue>);

/**
 * Any scope; parts with quotes, commas and brackets are as likely as can be, to look like one
 * another.
 */
const scopePart = fc.oneof(
  anyText,
  fc.constantFrom("", "a", "a,b", '"', '","', '["', "\\", "/", "null", "-1"),
);
const anyScope: fc.Arbitrary<StoreScope> = fc.oneof(
  fc.record({
    kind: fc.constant("task-instance" as const),
    dagId: scopePart,
    runId: scopePart,
    taskId: scopePart,
    mapIndex: fc.integer({ min: -1, max: 2 }),
  }),
  fc.record({ kind: fc.constant("task" as const), dagId: scopePart, taskId: scopePart }),
  fc.record({
    kind: fc.constant("process" as const),
    namespace: scopePart,
    processName: scopePart,
  }),
  fc.record({ kind: fc.constant("asset" as const), name: scopePart }),
  fc.record({ kind: fc.constant("asset" as const), uri: scopePart }),
  fc.record({ kind: fc.constant("asset" as const), name: scopePart, uri: scopePart }),
);

/** Two scopes that are one as soon as their parts are joined with a separator, whichever it is. */
const lookAlikes: fc.Arbitrary<readonly [StoreScope, StoreScope]> = fc
  .tuple(
    fc.constantFrom(",", "/", ":", "|", "-", "_", ".", " ", "", "\0", "\n", '"', '","', "::", "__"),
    fc.tuple(scopePart, scopePart, scopePart, scopePart),
    fc.integer({ min: -1, max: 1 }),
  )
  .map(([separator, [first, second, third, fourth], mapIndex]) => {
    const [early, late] = [first + separator + second, second + separator + third];
    const kind = "task-instance";
    return [
      { kind, dagId: early, runId: third, taskId: fourth, mapIndex },
      { kind, dagId: first, runId: late, taskId: fourth, mapIndex },
    ];
  });

interface Stored {
  readonly key: string;
  readonly value: NonNullable<JsonValue>;
}

const stored: fc.Arbitrary<Stored> = fc.record({ key: anyKey, value: storableValue });

interface TwoScopes {
  readonly left: StoreScope;
  readonly right: StoreScope;
  readonly key: string;
}

const twoScopes: fc.Arbitrary<TwoScopes> = fc
  .tuple(fc.oneof(fc.tuple(anyScope, anyScope), lookAlikes), anyKey)
  .map(([[left, right], key]) => ({ left, right, key }));

/** What holds of every value, every key and every two scopes. */
export const PROPERTY_LAWS: readonly StateBackendLaw[] = [
  {
    title: "for every JSON value and every key, what went in comes out equal (A4, A106)",
    hold: (create, settings) =>
      withBench(create, ({ one, store }) =>
        tryProperty(
          {
            cases: stored,
            hold: ({ key, value }) => comesOut(one, store(), key, value),
            stages: [[["value", simplerStored]], [["key", simplerKey]]],
            describe: ({ key, value }) => `after set(${inWords(key)}, ${inWords(value)}) `,
          },
          settings,
        ),
      ),
  },
  {
    title: "for every two scopes, a write to one is not seen in the other (A59)",
    hold: (create, settings) =>
      withBench(create, ({ one }) =>
        tryProperty(
          {
            cases: twoScopes,
            hold: (two) => isolates(one, two),
            stages: [[["key", simplerKey]], [["scopes", simplerScopes]]],
            describe: ({ left, right, key }) =>
              `with left ${inWords(left)}, right ${inWords(right)} and key ${inWords(key)} `,
          },
          settings,
        ),
      ),
  },
];

function* simplerStored(one: Stored): Generator<Stored, Stored, boolean> {
  return yield* within(simplerValue(one.value), (value) => ({ ...one, value: value as never }));
}

/** A key has one letter at least. */
function* simplerKey<Case extends { readonly key: string }>(
  one: Case,
): Generator<Case, Case, boolean> {
  const walk = simplerText(one.key);
  let step = walk.next();
  while (step.done !== true) {
    const key = step.value;
    step = walk.next(key !== "" && (yield { ...one, key }));
  }
  return { ...one, key: step.value };
}

function* simplerScopes(one: TwoScopes): Generator<TwoScopes, TwoScopes, boolean> {
  const same = yield* within(simplerRecord(one.left), (left) => ({ ...one, left }));
  return yield* within(simplerRecord(same.right), (right) => ({ ...same, right }));
}

async function comesOut(
  backend: StateBackend,
  store: TaskStateStore,
  key: string,
  value: NonNullable<JsonValue>,
): Promise<void> {
  try {
    await store.set(key, value);
    same("get", await store.get(key), value);
    same("the keys listed", await keysIn(backend, TASK), [key]);
  } finally {
    await store.clear();
  }
}

async function isolates(backend: StateBackend, { left, right, key }: TwoScopes): Promise<void> {
  const isOne = equal(scopeAddressFrom(left), scopeAddressFrom(right));
  try {
    await backend.set(left, key, '"left"', { expiresAt: null });
    const seen = await backend.get(right, key);
    same("get of the right after set of the left", seen?.value, isOne ? '"left"' : undefined);
    await backend.set(right, key, '"right"', { expiresAt: null });
    await backend.clear(right);
    const kept = await backend.get(left, key);
    same("get of the left after clear of the right", kept?.value, isOne ? undefined : '"left"');
  } finally {
    await backend.clear(right);
    await backend.clear(left);
  }
}
