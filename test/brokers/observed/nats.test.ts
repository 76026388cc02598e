import { describe } from "vitest";
import { nats } from "../../../sim/brokers/nats/model.ts";
import { NATS } from "./nats.ts";
import { testObserved } from "./observation.ts";

describe("the NATS model behaves as the server", () => {
  testObserved(NATS, () => nats());
});
