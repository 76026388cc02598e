import { z } from "zod";
import { scenarioBase } from "../codecs/scenario-base.ts";
import { managerMembers } from "../worlds/manager/manager-schema.ts";
import { streamMembers } from "../worlds/stream-schema.ts";
import { taskMembers } from "../worlds/tasks/task-schema.ts";
import { triggererMembers } from "../worlds/triggerer/triggerer-schema.ts";
import type { Scenario } from "./scenario.ts";

type WithoutName<S> = S extends unknown ? Omit<S, "name"> : never;

/**
 * The one description of a scenario file: parses it, writes it (`z.encode`) and gives its JSON
 * Schema. A scenario's name is the name of its file.
 */
export const scenarioSchema: z.ZodType<WithoutName<Scenario>, unknown> = z.discriminatedUnion(
  "world",
  [
    z.strictObject({ ...triggererMembers, ...streamMembers, ...scenarioBase }),
    z.strictObject({ ...managerMembers, ...streamMembers, ...scenarioBase }),
    z.strictObject({ ...taskMembers, ...scenarioBase }),
  ],
);

/** The JSON Schema of a scenario file, for editors. */
export function scenarioJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(scenarioSchema, { io: "input" });
}
