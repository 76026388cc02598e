import type { SourceBug } from "./producers/source-bug.ts";

/** Bugs of scenarios/producers/mqtt.ts, each of which loses a repair that its comment names. */
export const MQTT_BUGS: readonly SourceBug[] = [
  {
    id: "mixes-up-two-sessions",
    what: "after the server has forgotten the session, a message is taken for that of the same id before",
    guarantees: ["G2", "G8", "progress"],
    edits: [["known !== undefined && isSame(known.packet, packet)", "known !== undefined"]],
  },
  {
    id: "acknowledges-at-arrival",
    what: "a message is acknowledged as soon as it has arrived",
    guarantees: ["G2"],
    edits: [["    this.#onOrder(held);\n", "    this.#onOrder(held);\n    this.settle(held);\n"]],
  },
  {
    id: "acknowledges-what-failed",
    what: "what failed is acknowledged like what was taken",
    guarantees: ["G1"],
    edits: [["outcome.failed > 0 || outcome.acked", "outcome.failed + outcome.acked"]],
  },
  {
    id: "keeps-no-dead-letter",
    what: "a rejected message is acknowledged, and nobody has kept it",
    guarantees: ["G3"],
    edits: [["(outcome.rejected > 0 && !(await this.#isDeadLettered(held)))", "false"]],
  },
  {
    id: "sends-dead-letters-at-most-once",
    what: "a dead letter is sent at quality 0, which nobody confirms",
    guarantees: ["G3"],
    edits: [["packet.payload, { qos: 1 }", "packet.payload, { qos: 0 }"]],
  },
  {
    id: "forgets-the-session",
    what: "each connection begins a new session, and what came in between is lost",
    guarantees: ["G8", "G10"],
    edits: [["clean: false", "clean: true"]],
  },
  {
    id: "session-ends-with-the-connection",
    what: "the session has no expiry interval, so it ends with its connection",
    guarantees: ["G8", "G10"],
    edits: [["properties: { sessionExpiryInterval: WEEK_SECONDS },", ""]],
  },
  {
    id: "drops-what-failed",
    what: "what failed is let go of, and the connection stays as it is",
    guarantees: ["G8", "progress"],
    edits: [["if (this.#client.connected) this.#client.stream.destroy();", ""]],
  },
  {
    id: "cuts-at-once",
    what: "the connection is cut and made again without a moment in between",
    guarantees: ["hot-loop", "G8"],
    edits: [["const BACKOFF_MS = 1_000;", "const BACKOFF_MS = 1;"]],
  },
  {
    id: "forgets-what-was-settled-offline",
    what: "what was done with while there was no connection is not acknowledged when it comes again",
    guarantees: ["progress", "G8", "G10"],
    edits: [["if (known.isSettled) this.settle(known);", ""]],
  },
  {
    id: "never-ends-its-connections",
    what: "the connection of the dead letters is left open",
    guarantees: ["G6"],
    edits: [["this.#reader?.end(), this.#letters?.endAsync(true)", "this.#reader?.end()"]],
  },
  {
    id: "letters-on-the-same-connection",
    what: "a dead letter goes out on the connection that waits for its message",
    guarantees: ["progress", "G3", "G8"],
    edits: [
      [
        "const sent = this.#letters?.publishAsync",
        "const sent = this.#reader?.client.publishAsync",
      ],
      [
        "  readonly #client: MqttClient;",
        "  get client(): MqttClient {\n    return this.#client;\n  }\n\n  readonly #client: MqttClient;",
      ],
    ],
  },
];
