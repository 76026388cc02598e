import type { NatsClient } from "../../../../sim/brokers/nats/client.ts";
import { nats } from "../../../../sim/brokers/nats/model.ts";
import { type BugOfOneFault, bugOfOneFault, disturbs } from "../found-only-by.ts";
import { loadWithBug } from "../source-bug.ts";

const CORRECT = new URL("../../../../scenarios/producers/nats.ts", import.meta.url);

/** Bugs that show only where the stream of dead letters has no room. */
export const FULL_STREAM_BUGS: readonly BugOfOneFault[] = [
  bugOfOneFault<NatsClient>({
    name: "NATS: a dead letter that its stream has no room for counts as stored",
    guarantees: ["G3"],
    told: /the stream of dead letters is full/,
    isOfKind: disturbs("the stream of dead letters is full"),
    broker: nats(),
    load: () =>
      loadWithBug<NatsClient>(CORRECT, {
        id: "full-stream",
        what: "takes a full stream for one that has the dead letter already",
        guarantees: ["G3"],
        edits: [
          [
            "    } catch {\n      return false;\n",
            "    } catch (error) {\n      return (error as { code?: number }).code === 10_077;\n",
          ],
        ],
      }),
  }),
];
