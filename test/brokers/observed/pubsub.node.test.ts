import { pubsub } from "../../../sim/brokers/pubsub/pubsub-broker.ts";
import { testObserved } from "./observation.ts";
import { PUBSUB } from "./pubsub.ts";

/** The stand-in has these, and nothing else. */
const KNOWN = { subscription: "orders", deadLetterTopics: ["dead-orders"] };

testObserved(PUBSUB, () => pubsub(KNOWN));
