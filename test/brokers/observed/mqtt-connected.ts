import type { MqttModelClient, MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import type { ObservedStage } from "./observation.ts";

/** Returns a client that is connected. */
export async function connected(
  { client }: ObservedStage<MqttModule>,
  options: object,
): Promise<MqttModelClient> {
  const connection = client.connect("mqtt://localhost", options);
  await new Promise<void>((resolve) => void connection.once("connect", () => resolve()));
  return connection;
}
