import { createRequire } from "node:module";
import { join } from "node:path";
import type { ConfluentKafkaClient } from "../../sim/brokers/kafka/confluent-client.ts";
import { INSTALLED } from "./installed.ts";

/** Where `install.ts` puts the packages. */
export const CONFLUENT_MODULES: string = join(INSTALLED, "confluent/node_modules");
/** The library. */
export const CONFLUENT: string = join(CONFLUENT_MODULES, "@confluentinc/kafka-javascript");
/** What was built of it. */
export const CONFLUENT_BINARY: string = join(
  CONFLUENT,
  "build/Release/confluent-kafka-javascript.node",
);

/** What the tests use of the library; its admin client can do more than the model's. */
interface ConfluentLibrary {
  readonly KafkaJS: {
    readonly Kafka: new (config: object) => ConfluentKafkaClient;
    readonly logLevel: { readonly NOTHING: number };
  };
}

/** Loads the library, which is there only where it was built. */
function loadConfluent(): ConfluentLibrary {
  const require = createRequire(join(CONFLUENT_MODULES, "index.js"));
  return require(CONFLUENT) as ConfluentLibrary;
}

/** Creates a client of a cluster on loopback that logs nothing. */
export function confluentClientOf(port: number): ConfluentKafkaClient {
  const { KafkaJS } = loadConfluent();
  const brokers = [`127.0.0.1:${port}`];
  return new KafkaJS.Kafka({ kafkaJS: { brokers, logLevel: KafkaJS.logLevel.NOTHING } });
}
