import type { WorldParts } from "../worlds/world-parts.ts";
import type { RepeatableRun } from "./repeat.ts";

type CodeUnderTest = Pick<RepeatableRun, "subject" | "createdIn">;

/** The code of a user that a world may have, and the function in which it creates its state. */
const BY_PART: Readonly<Record<keyof WorldParts, CodeUnderTest>> = {
  producer: { subject: "producer", createdIn: "createProducer" },
  operator: { subject: "operator", createdIn: "createJob" },
  createManager: { subject: "manager", createdIn: "createManager" },
  taskParts: { subject: "task parts", createdIn: "each of their functions" },
};

/** Returns the code of a user among the parts of a world; undefined if all of it is the kit's own. */
export function codeUnderTestIn(parts: WorldParts): CodeUnderTest | undefined {
  for (const [name, code] of Object.entries(BY_PART)) {
    if (parts[name as keyof WorldParts] !== undefined) return code;
  }
  return undefined;
}
