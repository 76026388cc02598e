// The guide "Configuration": all options of src as their docs describe them, and those of the
// command line. It is made from the code, so that it cannot say anything else.
import { readdirSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { createProgram } from "../../sim/cli/program.ts";
import { top } from "./faces.ts";
import { tableFrom } from "./forms-table.ts";

interface OptionsOf {
  readonly path: string;
  readonly name: string;
  readonly doc: string;
  readonly members: readonly Member[];
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly doc: string;
}

const COMMENT = String.raw`\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n`;
const NAME = String.raw`(\w+(?:Options|Settings)|Grant)`;
const INTERFACE = new RegExp(
  String.raw`${COMMENT}export interface ${NAME}\b[^{]*\{\n([\s\S]*?)\n\}`,
  "g",
);
const MEMBER = /^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(?:readonly )?(\w+)(\?)?[:(]/gm;
const AIRFLOW_OPTION = /^ {2}\["(\w+)", "(\w+)", \w+\],$/gm;
const SECTION = /settingsFromAirflow\(env, "(\w+)"/;

/** The rooms of src in the order of the page, by what a reader looks for. */
const ROOMS: readonly (readonly [folder: string, title: string])[] = [
  ["store", "State store"],
  ["store/sql", "State store in a database of your own"],
  ["platform", "SQLite and PostgreSQL"],
  ["store-http", "HTTP"],
  ["resumable", "Resumable jobs"],
  ["shared-stream", "Shared streams"],
  ["triggerer", "Triggerer"],
  ["operator", "Operators"],
  ["operators", "Operators to extend"],
];

const INTRODUCTION = `# Configuration

Generated from the code by \`npm run test:node -- test/docs/guides --update\`; do not edit.

Nothing is read from files or from the environment unless you ask for it: each part takes its
options as an argument, and an unknown option is refused. \`stateStoreSettings\` holds what
stores, workers, sweeps, command line and HTTP server share. \`stateStoreSettingsFromEnv\` and
\`sharedStreamSettingsFromEnv\` read Airflow's environment variables. Durations are objects such
as \`{ days: 30 }\`, \`{ seconds: 300 }\` or \`{ milliseconds: 10 }\`; a bare number is refused.
`;

/** Returns the page. */
export function configurationPage(): string {
  return [
    INTRODUCTION,
    `## Airflow's settings\n\n${airflowTable()}`,
    ...ROOMS.flatMap(([folder, title]) => {
      const found = filesOf(folder).flatMap(optionsIn);
      return found.length === 0 ? [] : [`## ${title}\n\n${found.map(textOf).join("\n")}`];
    }),
    `## Command line\n\n${commandTables()}`,
  ].join("\n");
}

/** Returns the names of all options in src, a page without which would not be whole. */
export function namesOfOptions(): readonly string[] {
  const paths = readdirSync(`${top}src`, { recursive: true, encoding: "utf8" });
  const sources = paths.filter((path) => path.endsWith(".ts"));
  return sources.flatMap((path) =>
    [...readFileSync(`${top}src/${path}`, "utf8").matchAll(/^export interface (\w+)/gm)]
      .map(([, name = ""]) => name)
      .filter((name) => /(?:Options|Settings)$/.test(name)),
  );
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(`${top}src/${folder}`)
    .filter((name) => name.endsWith(".ts"))
    .toSorted()
    .map((name) => `src/${folder}/${name}`);
}

function optionsIn(path: string): readonly OptionsOf[] {
  const text = readFileSync(`${top}${path}`, "utf8");
  return [...text.matchAll(INTERFACE)].map(([, doc = "", name = "", body = ""]) => {
    const members = [...body.matchAll(MEMBER)].map(([, about = "", member = "", mark]) => {
      // Settings are given in part; options are not.
      const isRequired = mark === undefined && !name.endsWith("Settings");
      return { name: member, isRequired, doc: proseOf(about) };
    });
    return { path, name, doc: proseOf(doc), members };
  });
}

/** A doc comment in one paragraph; what follows its prose (examples, sources) is left out. */
function proseOf(comment: string): string {
  const lines = comment.split("\n").map((line) => line.replace(/^ *\*? ?/, "").trim());
  const end = lines.findIndex((line) => /^(?:@|Source:)/.test(line));
  const prose = (end === -1 ? lines : lines.slice(0, end)).join(" ").trim();
  return prose.replaceAll(/\{@link(?:code)? ([^}]+)\}/g, "`$1`").replaceAll(/ +/g, " ");
}

function textOf({ path, name, doc, members }: OptionsOf): string {
  const rows = members.map(({ name: member, isRequired, doc: about }) => [
    `\`${member}\``,
    isRequired ? "yes" : "",
    about.replaceAll("|", "\\|"),
  ]);
  const table = tableFrom([["option", "required", "what it is"], ...rows]);
  return `### ${name}\n\n${doc} ([${path}](../../${path}))\n\n${table}`;
}

function airflowTable(): string {
  const rows: string[][] = [["Airflow's setting", "environment variable", "here"]];
  for (const path of ["src/store/state-store-settings.ts", "src/shared-stream/settings.ts"]) {
    const text = readFileSync(`${top}${path}`, "utf8");
    const [, section = ""] = SECTION.exec(text) ?? [];
    for (const [, option = "", setting = ""] of text.matchAll(AIRFLOW_OPTION)) {
      const variable = `AIRFLOW__${section}__${option.toUpperCase()}`;
      rows.push([`\`[${section.toLowerCase()}] ${option}\``, `\`${variable}\``, `\`${setting}\``]);
    }
  }
  return tableFrom(rows);
}

function commandTables(): string {
  const { commands } = createProgram(() => undefined);
  return commands
    .flatMap((command) => [command, ...command.commands])
    .flatMap(commandText)
    .join("\n");
}

function commandText(command: Command): readonly string[] {
  const options = command.options.filter(({ hidden }) => !hidden);
  if (options.length === 0) return [];
  const rows = options.map(({ flags, description, defaultValue, argChoices }) => {
    const choices = argChoices === undefined ? "" : ` One of ${argChoices.join(", ")}.`;
    const value: unknown = defaultValue;
    const text = value === undefined ? "" : `\`${JSON.stringify(value)}\``;
    return [`\`${flags}\``, text, `${description}${choices}`.replaceAll("|", "\\|")];
  });
  const parent = command.parent?.name() ?? "faultlane";
  const name = parent === "faultlane" ? command.name() : `${parent} ${command.name()}`;
  const table = tableFrom([["flag", "default", "what it does"], ...rows]);
  return [`### faultlane ${name}\n\n${command.description()}\n\n${table}`];
}
