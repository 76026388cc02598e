import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { KAFKA_SLIPS } from "../drawn/kafka-slips.ts";
import { ODD_PROGRAMS } from "./kafka-odd-programs.ts";
import { REAL } from "./kafka-odd-real.ts";
import { linesOf } from "./odd-lines.ts";
import type { Observation } from "./observation.ts";

/** Programs of the kind that is drawn that once were not the same on server and model. */
export const ODD: readonly Observation<KafkaClient>[] = Object.entries(ODD_PROGRAMS).map(
  ([name, steps], at) => ({
    name,
    play: async (stage) => linesOf(steps.length, await KAFKA_SLIPS.play(stage, steps, `odd-${at}`)),
    real: REAL[at],
  }),
);
