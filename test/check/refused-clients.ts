import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { brokers } from "../../sim/brokers/brokers.ts";
import { planted } from "./producers/planted-bug.ts";
import { loadWithBug, type SourceBug } from "./producers/source-bug.ts";
import type { PropertyViolation } from "../../sim/check/property-violation.ts";
import type { ProducerSpec } from "../../sim/check/producer/check-producer.ts";
import { disturbancesIn } from "../../sim/worlds/producer/draw-producer.ts";

/** A producer that waits for ever once its broker has refused to serve it. */
export interface RefusedClientBug extends SourceBug {
  /** How a scenario names the broker. */
  readonly spec: object;
  /** What its broker does. */
  readonly disturbance: string;
  readonly source: URL;
  readonly broker: BrokerModel<never>;
  /** Loads the producer with the bug. */
  load(): Promise<ProducerSpec<never>["createProducer"]>;
  /** Makes a whole check with default settings; undefined when all held. */
  find(): Promise<PropertyViolation | undefined>;
}

const FOR_EVER = `await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });`;

/** A producer of Service Bus ends at an error of which the library says that it is of no use. */
const UNLESS_RETRYABLE = [
  "      } catch {\n        await pause(BACKOFF_MS, signal);\n",
  `      } catch (error) {
      if ((error as { readonly retryable?: boolean }).retryable === false) ${FOR_EVER}
        await pause(BACKOFF_MS, signal);\n`,
] as const;

function waiting<Client>(
  name: string,
  broker: BrokerModel<Client>,
  bug: Pick<SourceBug, "what" | "edits">,
): RefusedClientBug {
  const source = new URL(`../../scenarios/producers/${name}.ts`, import.meta.url);
  const whole = { id: `${name}-waits-for-ever`, guarantees: ["G8", "progress"], ...bug };
  const [fatal] = disturbancesIn(broker).filter(({ isFatal }) => isFatal === true);
  const load = () => loadWithBug<Client>(source, whole);
  return {
    ...whole,
    spec: broker.spec ?? {},
    disturbance: fatal?.name ?? "",
    source,
    // One list has the clients of all brokers.
    broker: broker as unknown as BrokerModel<never>,
    load,
    find: async () => planted(whole.id, whole.guarantees, broker, await load()).find(),
  };
}

/** One for each broker that refuses clients in a way that their library does not get over itself. */
export const REFUSED_CLIENT_BUGS: readonly RefusedClientBug[] = [
  waiting("pubsub", brokers.pubsub(), {
    what: "ignores the error with which its subscription ends",
    edits: [["      this.#failure = error;\n", "      void error;\n"]],
  }),
  waiting("mqtt", brokers.mqtt(), {
    what: "believes that its client connects again after a refusal",
    edits: [["  reconnectOnConnackError: true,\n", ""]],
  }),
  waiting("orders", brokers.kafka(), {
    what: "ignores that its consumer does not start again",
    edits: [["      if (!payload.restart) this.#fail(payload.error);\n", ""]],
  }),
  waiting("sqs", brokers.sqs(), {
    what: "receives no more after an error of the client's",
    edits: [
      [
        "    } catch {\n      await pause(BACKOFF_MS, signal);\n",
        `    } catch (error) {
      if ((error as { readonly $fault?: string }).$fault === "client") ${FOR_EVER}
      await pause(BACKOFF_MS, signal);\n`,
      ],
    ],
  }),
  waiting("service-bus", brokers.serviceBus(), {
    what: "receives no more after an error that is not to be retried",
    edits: [UNLESS_RETRYABLE],
  }),
  waiting("service-bus-sessions", brokers.serviceBusSessions(), {
    what: "accepts no more sessions after an error that is not to be retried",
    edits: [UNLESS_RETRYABLE],
  }),
  waiting("http-feed", brokers.httpFeed(), {
    what: "polls no more after a 401",
    edits: [
      [
        "      if (!reply.ok) throw new Error(`The feed replied with ${reply.status}`);\n      return placesIn",
        "      if (reply.status === 401) this.#isOver = true;\n      if (!reply.ok) throw new Error();\n      return placesIn",
      ],
      ["  #poll = new", "  #isOver = false;\n  #poll = new"],
      [
        "      if (this.#again !== undefined) {",
        `      if (this.#isOver) ${FOR_EVER}
      if (this.#again !== undefined) {`,
      ],
    ],
  }),
  waiting("redis", brokers.redis(), {
    what: "reads no more after what the server itself refused",
    edits: [
      [
        "        if (isFatal(error)) throw error;\n        await pause",
        `        if (isFatal(error)) ${FOR_EVER}\n        await pause`,
      ],
    ],
  }),
  waiting("node-redis", brokers.nodeRedis(), {
    what: "reads no more after what the server itself refused",
    edits: [
      [
        "        if (isFatal(error)) throw error;\n        await pause",
        `        if (isFatal(error)) ${FOR_EVER}\n        await pause`,
      ],
    ],
  }),
  waiting("outbox", brokers.outbox(), {
    what: "claims no more when its role may not use the table",
    edits: [
      [
        "      const claims = await this.#claim();\n",
        `      const claims = await this.#claim();
      if (this.#isOver) ${FOR_EVER}\n`,
      ],
      [
        "      return rows;\n    } catch {\n",
        `      return rows;
    } catch (error) {
      this.#isOver = (error as { readonly code?: string }).code === "42501";\n`,
      ],
      ["  readonly #held = new", "  #isOver = false;\n  readonly #held = new"],
    ],
  }),
  waiting("kinesis", brokers.kinesis(), {
    what: "reads a shard no more whose records it may not get",
    edits: [
      [
        '    else if (name !== "KinesisClientLibDependencyException"',
        '    else if (name === "AccessDeniedException") shard.notBefore = Infinity;\n    else if (name !== "KinesisClientLibDependencyException"',
      ],
    ],
  }),
];
