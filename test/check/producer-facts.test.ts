import { expect, test } from "vitest";
import { ProducerFacts } from "../../sim/checkers/producer/producer-facts.ts";

test("the first start of the broker is no excuse, its restart is", () => {
  const facts = new ProducerFacts(() => "settle");
  const host = { host: "broker", kind: "host", incarnation: 1 } as const;
  facts.apply({ at: 0, ...host, state: "start" });
  expect(facts.wasTroubledSince(0)).toBe(false);
  facts.apply({ at: 5, ...host, state: "crash" });
  facts.apply({ at: 10, ...host, state: "restart" });
  expect(facts.wasTroubledSince(11)).toBe(true);
});
