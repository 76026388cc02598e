import type { PubSubClient } from "../../../sim/brokers/pubsub/pubsub-client.ts";
import type { Observed } from "./observation.ts";
import { ADMIN } from "./pubsub-admin.ts";
import { CLOSING } from "./pubsub-closing.ts";
import { MESSAGES } from "./pubsub-messages.ts";
import { PUBLISHING } from "./pubsub-publishing.ts";
import { TOPICS } from "./pubsub-topics.ts";

/** What `@google-cloud/pubsub` showed on Google's own fake of the service. */
export const PUBSUB: Observed<PubSubClient> = {
  server: "pstest of cloud.google.com/go 0.56.0 with @google-cloud/pubsub 5.3.1",
  observations: [...MESSAGES, ...CLOSING, ...PUBLISHING, ...TOPICS, ...ADMIN],
};
