import { brokers } from "../../../sim/brokers/brokers.ts";
import type { FeedClient } from "../../../sim/brokers/http-feed/feed-client.ts";
import type { MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { type BugOfOneFault, bugOfOneFault, disturbs } from "./found-only-by.ts";
import { loadWithBug } from "./source-bug.ts";

const MQTT = new URL("../../../scenarios/producers/mqtt.ts", import.meta.url);
const FEED = new URL("../../../scenarios/producers/http-feed.ts", import.meta.url);

/** Bugs that show only where a copy of a request comes late, or a connection is half-open. */
export const CONNECTION_BUGS: readonly BugOfOneFault[] = [
  bugOfOneFault<FeedClient>({
    name: "HTTP feed: only the first cursor of a process is stored on a condition",
    guarantees: ["G5", "G2"],
    told: /late copy|another process stores/,
    // Another process under the same name comes in between just as well.
    isOfKind: (fault) =>
      disturbs("another process stores a cursor")(fault) ||
      ("verdict" in fault && fault.verdict === "duplicate-late"),
    broker: brokers.httpFeed(),
    load: () =>
      loadWithBug<FeedClient>(FEED, {
        id: "condition-once",
        what: "takes its own requests to arrive in order",
        guarantees: ["G5", "G2"],
        edits: [
          ["      headers,\n", "      headers: this.#isFirst ? headers : {},\n"],
          [
            "    this.#stored = cursor;\n",
            "    this.#stored = cursor;\n    this.#isFirst = false;\n",
          ],
          [
            "  #poll = new AbortController();\n\n  con",
            "  #poll = new AbortController();\n  #isFirst = true;\n\n  con",
          ],
        ],
      }),
  }),
  bugOfOneFault<FeedClient>({
    name: "HTTP feed: a poll that waits has no time limit of its own",
    guarantees: ["progress", "G8"],
    told: /peers are not told/,
    isOfKind: (fault) => "crash" in fault && fault.halfOpen === true,
    broker: brokers.httpFeed(),
    load: () =>
      loadWithBug<FeedClient>(FEED, {
        id: "no-time-limit",
        what: "waits for a reply for ever",
        guarantees: ["progress", "G8"],
        edits: [["setTimeout(() => this.#poll.abort(), GIVE_UP_MS)", "undefined"]],
      }),
  }),
  bugOfOneFault<MqttModule>({
    name: "MQTT: no pings are sent",
    guarantees: ["G8", "progress"],
    told: /peers are not told/,
    isOfKind: (fault) => "crash" in fault && fault.halfOpen === true,
    broker: brokers.mqtt(),
    load: () =>
      loadWithBug<MqttModule>(MQTT, {
        id: "no-pings",
        what: "takes a connection on which nothing comes for one on which nothing happens",
        guarantees: ["G8", "progress"],
        edits: [["  protocolVersion: 5,\n", "  protocolVersion: 5,\n  keepalive: 0,\n"]],
      }),
  }),
];
