import type { NodeRedisClient } from "../../../sim/brokers/redis/node-redis-client.ts";
import { type Observation, outcomeOf } from "./observation.ts";

/** What a client says of itself while it connects and closes, and commands by their words. */
export const NODE_REDIS_LIFE: readonly Observation<NodeRedisClient>[] = [
  {
    name: "what a client says of itself while it connects and closes",
    async play({ client }) {
      const told: string[] = [];
      for (const event of ["connect", "ready", "end"]) client.on(event, () => told.push(event));
      const seen: string[] = [];
      const look = (): void => void seen.push(`${client.isOpen}/${client.isReady}`);
      const connecting = client.connect();
      look();
      await connecting;
      look();
      const idle = client.close();
      look();
      await idle;
      await client.connect();
      const reply = client.ping();
      const busy = client.close();
      look();
      await Promise.all([reply, busy]);
      look();
      return [seen, told];
    },
    real: [
      ["true/false", "true/true", "false/false", "false/true", "false/false"],
      ["connect", "ready", "end", "connect", "ready", "end"],
    ],
  },
  {
    name: "a client that is destroyed while it connects gets its connection all the same",
    async play({ client }) {
      const told: string[] = [];
      for (const event of ["connect", "ready", "end"]) client.on(event, () => told.push(event));
      const connecting = client.connect();
      client.destroy();
      told.push("destroyed");
      await connecting;
      const seen = [client.isOpen, client.isReady];
      // So that no connection is left.
      await client.connect();
      client.destroy();
      return [seen, told];
    },
    real: [
      [false, true],
      ["end", "destroyed", "connect", "ready", "connect", "ready", "end"],
    ],
  },
  {
    name: "commands of a transaction by their words, and a command that is none",
    async play({ client }) {
      await client.connect();
      const words = ["XADD", "s", "1-0", "a", "1"];
      const seen = [
        await client.multi().addCommand(words).addCommand(["xlen", "s"]).execTyped(),
        await client.multi().addCommand(["xlen", "s"]).execAsPipelineTyped(),
        await outcomeOf(() => client.sendCommand(["Nothing", "x"])),
      ];
      client.destroy();
      return seen;
    },
    real: [
      ["1-0", 1],
      [1],
      {
        name: "Error",
        message: "ERR unknown command 'Nothing', with args beginning with: 'x' ",
      },
    ],
  },
];
