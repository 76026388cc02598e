import * as fc from "fast-check";
import {
  type JsonValue,
  type StateBackend,
  type StoreScope,
  scopeAddressFrom,
} from "../../src/store/mod.ts";
import { runProperty } from "./state-backend-runs.ts";
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

/** What holds of every value, every key and every two scopes. */
export const PROPERTY_LAWS: readonly StateBackendLaw[] = [
  {
    title: "for every JSON value and every key, what went in comes out equal (A4, A106)",
    hold: (create, settings) =>
      withBench(create, async ({ one, store }) => {
        const law = fc.asyncProperty(anyKey, storableValue, async (key, value) => {
          await store().set(key, value);
          same(`get after set(${inWords(key)}, ${inWords(value)})`, await store().get(key), value);
          same("the keys listed", await keysIn(one, TASK), [key]);
          await store().clear();
        });
        await runProperty(law, settings);
      }),
  },
  {
    title: "for every two scopes, a write to one is not seen in the other (A59)",
    hold: (create, settings) =>
      withBench(create, async ({ one }) => {
        const pair = fc.oneof(fc.tuple(anyScope, anyScope), lookAlikes);
        const law = fc.asyncProperty(pair, anyKey, ([left, right], key) =>
          isolates(one, left, right, key),
        );
        await runProperty(law, settings);
      }),
  },
];

async function isolates(
  backend: StateBackend,
  left: StoreScope,
  right: StoreScope,
  key: string,
): Promise<void> {
  const isOne = equal(scopeAddressFrom(left), scopeAddressFrom(right));
  await backend.set(left, key, '"left"', { expiresAt: null });
  const seen = await backend.get(right, key);
  same(
    `get in ${inWords(right)} after set in ${inWords(left)}`,
    seen?.value,
    isOne ? '"left"' : undefined,
  );
  await backend.set(right, key, '"right"', { expiresAt: null });
  await backend.clear(right);
  const kept = await backend.get(left, key);
  same(
    `get in ${inWords(left)} after clear of ${inWords(right)}`,
    kept?.value,
    isOne ? undefined : '"left"',
  );
  await backend.clear(left);
}
