import type { SourceBug } from "./producers/source-bug.ts";

/** Bugs of scenarios/producers/event-hubs.ts, each of which loses a repair that its comment names. */
export const EVENT_HUBS_BUGS: readonly SourceBug[] = [
  {
    id: "checkpoints-at-arrival",
    what: "the checkpoint is updated as soon as events have arrived",
    guarantees: ["G2"],
    edits: [
      [
        "    partition.events.push(...events);\n",
        "    partition.events.push(...events);\n    partition.unsaved = events.at(-1);\n    await this.#save(partition);\n",
      ],
    ],
  },
  {
    id: "passes-what-failed",
    what: "what failed is checkpointed like what was taken",
    guarantees: ["G1"],
    edits: [["outcome.failed > 0 || outcome.acked", "outcome.failed + outcome.acked"]],
  },
  {
    id: "keeps-no-dead-letter",
    what: "a rejected event is passed, and nobody has kept it",
    guarantees: ["G3"],
    edits: [["(outcome.rejected > 0 && !(await this.#isDeadLettered(event)))", "false"]],
  },
  {
    id: "believes-a-throttled-hub",
    what: "a dead letter that the hub has refused counts as kept",
    guarantees: ["G3"],
    edits: [["return false;\n    }\n  }\n\n  #save", "return true;\n    }\n  }\n\n  #save"]],
  },
  {
    id: "holds-for-ever",
    what: "what failed is held, and never handed out again",
    guarantees: ["G1", "G3", "G8", "progress"],
    edits: [["        this.#again(partition);\n", ""]],
  },
  {
    id: "hands-out-at-once",
    what: "what failed is handed out again without a moment in between",
    guarantees: ["hot-loop", "G8"],
    edits: [["const BACKOFF_MS = 1_000;", "const BACKOFF_MS = 1;"]],
  },
  {
    id: "begins-at-the-newest",
    what: "without a checkpoint reading starts at the newest event",
    guarantees: ["G8", "progress", "G2", "order"],
    edits: [["earliestEventPosition", "latestEventPosition"]],
  },
  {
    id: "gives-a-checkpoint-up",
    what: "a checkpoint that fails is not tried again",
    guarantees: ["progress", "G8"],
    edits: [["this.#later(() => void this.#save(partition));", ""]],
  },
  {
    id: "throws-a-checkpoints-error",
    what: "a checkpoint that fails ends the group",
    guarantees: ["G6", "G10"],
    edits: [
      [
        "} catch {\n        this.#later(() => void this.#save(partition));",
        "} catch (error) {\n        throw error;",
      ],
    ],
  },
  {
    id: "settles-what-was-lost",
    what: "what came before a partition was lost is still settled",
    guarantees: ["G1", "G2", "G3", "G4", "G5", "G8"],
    edits: [
      ["partition.isClosed || partition.epoch !== epoch", "partition.epoch !== epoch"],
      ["unsaved === undefined || isClosed", "unsaved === undefined"],
    ],
  },
  {
    id: "leaves-the-producer-open",
    what: "the connection of the dead letters is left open",
    guarantees: ["G6"],
    edits: [["    await this.#deadLetters?.close();\n", ""]],
  },
];
