import {
  type JsonValue,
  type StateBackend,
  scopeAddressFrom,
  type TaskStateStore,
} from "../../../src/store/mod.ts";
import { within } from "../../search/shrink/shrink.ts";
import { simplerRecord, simplerText, simplerValue } from "../../search/shrink/shrink-value.ts";
import { drawStored, drawTwoScopes, type Stored, type TwoScopes } from "./state-backend-cases.ts";
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

/** What holds of every value, every key and every two scopes. */
export const PROPERTY_LAWS: readonly StateBackendLaw[] = [
  {
    title: "for every JSON value and every key, what went in comes out equal (A4, A106)",
    hold: (create, settings) =>
      withBench(create, ({ one, store }) =>
        tryProperty(
          {
            draw: drawStored,
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
            draw: drawTwoScopes,
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
