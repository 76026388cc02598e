import { describe } from "vitest";
import { rabbitmq } from "../../../sim/brokers/rabbitmq/model.ts";
import { testObserved } from "./observation.ts";
import { RABBITMQ } from "./rabbitmq.ts";

describe("the RabbitMQ model behaves as the server", () => {
  testObserved(RABBITMQ, () => rabbitmq());
});
