import { CheckerRunner } from "../../checkers/checker.ts";
import { PRODUCER_CHECKER_IDS } from "../../checkers/mod.ts";
import { PRODUCER_CHECKERS } from "../../checkers/producer/producer-checkers.ts";
import { DECISION_TABLES } from "../../checkers/producer/decision-tables.ts";
import { ProducerFacts } from "../../checkers/producer/producer-facts.ts";
import { PRODUCER_MARKS, ProducerMarks } from "../../checkers/producer/producer-marks.ts";
import { producerStory } from "../../story/producer-story.ts";
import { actsIn, type WorldKind } from "../world-kind.ts";
import { brokerFrom } from "./broker-spec.ts";
import { drawProducerScenario } from "./draw-producer.ts";
import { producerMakeup } from "./producer-makeup.ts";
import { producerProblems } from "./producer-problems.ts";
import type { ProducerScenario } from "./producer-scenario.ts";
import { producerSubject } from "./producer-subject.ts";
import { buildProducerWorld } from "./producer-world.ts";

/** A user's producer, a model of its broker, a real manager and its subscribers. */
export const producerKind: WorldKind<ProducerScenario> = {
  build: buildProducerWorld,
  draw: drawProducerScenario,
  problems: producerProblems,
  acts: ({ records, behaviours }) => [
    ...actsIn("records", records),
    ...actsIn("behaviours", behaviours),
  ],
  checkers: PRODUCER_CHECKER_IDS,
  isOwed: () => true,
  judge: ({ expect, decide, broker }, sometimes, { producer }) => {
    const marks = new ProducerMarks(sometimes);
    const checkers = PRODUCER_CHECKERS.filter(
      ({ id }) => expect.checkers === "all" || expect.checkers.includes(id),
    );
    const { confirms } = producer?.broker ?? brokerFrom(broker);
    const facts = new ProducerFacts(producer?.decide ?? DECISION_TABLES[decide], confirms);
    const runner = new CheckerRunner(checkers, facts, (event) => marks.observe(event));
    return {
      violations: runner.violations,
      observe: (event) => runner.observe(event),
      end: () => {
        runner.end();
        marks.end(facts);
      },
      crashPoints: () => new Map(),
    };
  },
  story: producerStory,
  marks: PRODUCER_MARKS,
  // Leases may be shorter than a stall, so that a scenario must ask for pauses itself.
  mayStall: ({ faults }) => faults.some((fault) => "pause" in fault),
  makeup: producerMakeup,
  subject: producerSubject,
  hasJobs: false,
};
