import { Command } from "commander";
import { scenarioJsonSchema } from "../scenario/schema.ts";
import { printJson } from "./output.ts";

/** `faultlane schema`: for editors that complete and check scenario files. */
export function createSchemaCommand(): Command {
  return new Command("schema")
    .description("print the JSON Schema of a scenario file")
    .option("--json", "accepted like everywhere; the schema is always JSON")
    .action(() => printJson(scenarioJsonSchema()));
}
