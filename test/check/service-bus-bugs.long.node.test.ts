import { describe, test } from "vitest";
import { SERVICE_BUS_BUGS } from "./producers/service-bus/bugs.ts";
import { expectFound } from "./producers/expect-found.ts";

describe("the default settings find in a Service Bus producer", () => {
  for (const bug of SERVICE_BUS_BUGS) test(bug.id, () => expectFound(bug));
});
