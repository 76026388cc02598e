import { pubsub } from "../../../sim/brokers/pubsub/pubsub-broker.ts";
import { testObserved } from "./observation.ts";
import { PUBSUB } from "./pubsub.ts";

testObserved(PUBSUB, () => pubsub());
