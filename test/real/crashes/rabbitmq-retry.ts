import type { CrashBroker } from "./crash-broker.ts";
import { BROKER as RABBITMQ } from "./rabbitmq.ts";

export const BROKER: CrashBroker = {
  ...RABBITMQ,
  correct: "rabbitmq-retry",
  naive: "naive-rabbitmq-retry",
};
