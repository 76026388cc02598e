import type { Step } from "./state-store.ts";

/** What Airflow does and what ours does on purpose otherwise, step by step. */
export interface Difference {
  readonly what: string;
  readonly steps: readonly Step[];
  /** How each step ends, in Airflow and here. */
  readonly airflow: readonly string[];
  readonly ours: readonly string[];
}

const task = 0;
const HOUR = 3_600_000;

/** One list for the docs of src/store and of src/store-http and for the test that compares them. */
export const DIFFERENCES: readonly Difference[] = [
  {
    what: "the key . is a key; Airflow's client makes another path of it, and deletes all keys",
    steps: [
      { does: "set", task, key: "other", value: "1" },
      { does: "set", task, key: ".", value: "2" },
      { does: "delete", task, key: "." },
      { does: "get", task, key: "other" },
    ],
    airflow: ["done", "refused", "done", "returned null"],
    ours: ["done", "done", "done", "returned 1"],
  },
  {
    what: "the key .. is a key",
    steps: [
      { does: "set", task, key: "..", value: "2" },
      { does: "get", task, key: ".." },
    ],
    airflow: ["refused", "returned null"],
    ours: ["done", "returned 2"],
  },
  {
    what: "a key may have a line break",
    steps: [
      { does: "set", task, key: "a\nb", value: "2" },
      { does: "get", task, key: "a\nb", default: "none" },
    ],
    airflow: ["refused", 'returned "none"'],
    ours: ["done", "returned 2"],
  },
  {
    what: "a key of more than 512 characters is refused, whatever the database",
    steps: [{ does: "set", task, key: "x".repeat(513), value: "2" }],
    airflow: ["done"],
    ours: ["refused"],
  },
  {
    what: "a value over the limit is refused; Airflow's tasks are warned, and it is stored",
    steps: [{ does: "set", task, key: "large", value: `"${"x".repeat(70_000)}"` }],
    airflow: ["done"],
    ours: ["refused"],
  },
  {
    what: "a retention is not negative, and has whole milliseconds",
    steps: [
      { does: "set", task, key: "a", value: "1", retention: { seconds: -5 } },
      { does: "set", task, key: "b", value: "1", retention: { milliseconds: 0.5 } },
    ],
    airflow: ["done", "done"],
    ours: ["refused", "refused"],
  },
  {
    what: "a number that is not finite is refused at any depth; Airflow stores null there",
    steps: [
      { does: "set", task, key: "a", value: "[1e999]" },
      { does: "get", task, key: "a" },
    ],
    airflow: ["done", "returned [null]"],
    ours: ["refused", "returned null"],
  },
  {
    what: "half of a surrogate pair is a text",
    steps: [
      { does: "set", task, key: "a", value: '"\\ud800"' },
      { does: "get", task, key: "a" },
    ],
    airflow: ["refused", "returned null"],
    ours: ["done", 'returned "\\ud800"'],
  },
  {
    what: "what has expired is absent; Airflow returns it until its clean-up",
    steps: [
      { does: "set", task, key: "a", value: "1", retention: { hours: 1 } },
      { does: "advance", by: HOUR },
      { does: "get", task, key: "a", default: 0 },
    ],
    airflow: ["done", "done", "returned 1"],
    ours: ["done", "done", "returned 0"],
  },
  {
    what: "over HTTP an integer of 2^53 or more that a number cannot hold is refused",
    steps: [
      {
        does: "request",
        method: "PUT",
        path: "/dags/etl/dagRuns/r1/taskInstances/load/state-store/a",
        body: '{"value":9007199254740993}',
      },
    ],
    airflow: ["status 204"],
    ours: ["status 422"],
  },
];
