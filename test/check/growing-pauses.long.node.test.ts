import { test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { pauseThatGrows } from "./producers/growing-pauses.ts";
import { expectSourceBugFound } from "./producers/source-bug-found.ts";

test("checkProducer() finds a pause that grows from outage to outage", () =>
  expectSourceBugFound("rabbitmq.ts", pauseThatGrows("2 * this.#pauseMs"), brokers.rabbitmq()));
