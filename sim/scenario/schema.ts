import { z } from "zod";
import { scenarioBase } from "../codecs/scenario-base.ts";
import { managerMembers } from "../worlds/manager/manager-schema.ts";
import { producerMembers } from "../worlds/producer/producer-schema.ts";
import { streamMembers } from "../worlds/stream-schema.ts";
import { taskMembers } from "../worlds/tasks/task-schema.ts";
import { operatorMembers } from "../worlds/operator/operator-schema.ts";
import { triggererMembers } from "../worlds/triggerer/triggerer-schema.ts";
import type { Scenario } from "./scenario.ts";

type WithoutName<S> = S extends unknown ? Omit<S, "name"> : never;

/**
 * The one description of a scenario file, which parses it, writes it (`z.encode`) and makes its
 * JSON Schema. A scenario's name is the name of its file.
 */
export const scenarioSchema: z.ZodType<WithoutName<Scenario>, unknown> = z.discriminatedUnion(
  "world",
  [
    z.strictObject({ ...triggererMembers, ...streamMembers, ...scenarioBase }),
    z.strictObject({ ...managerMembers, ...streamMembers, ...scenarioBase }),
    z.strictObject({ ...taskMembers, ...scenarioBase }),
    z.strictObject({ ...operatorMembers, ...scenarioBase }),
    z.strictObject({ ...scenarioBase, ...streamMembers, ...producerMembers }),
  ],
);

/**
 * Returns the JSON Schema of a scenario file, with a description of every member, for editors.
 *
 * @example
 * ```ts
 * import { scenarioJsonSchema } from "faultlane/sim";
 *
 * const { $schema } = scenarioJsonSchema();
 * console.log($schema); // => https://json-schema.org/draft/2020-12/schema
 * ```
 */
export function scenarioJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(scenarioSchema, { io: "input" });
}
