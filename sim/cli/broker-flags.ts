import { Option } from "commander";
import { z } from "zod";
import { BROKER_NAMES, brokerNamed } from "../brokers/broker-named.ts";
import type { BrokerModel } from "../brokers/broker.ts";
import { deepestIssue, issueWords, pathText, problemWords } from "../scenario/issue-words.ts";
import { UnreadableText, yamlDataFrom } from "../scenario/yaml-data.ts";
import { BROKER_OPTIONS } from "../worlds/producer/broker-options.ts";
import { brokerFrom, type BrokerSpec } from "../worlds/producer/broker-spec.ts";
import { WrongInput } from "./output.ts";

/** The flags that name a producer's broker and set it up. */
export interface BrokerFlags {
  readonly broker?: string;
  /** Each "name=value", in the order of the command line. */
  readonly brokerOption?: readonly string[];
}

type Kind = keyof typeof BROKER_OPTIONS;

/** Returns the option that names a broker. */
export function brokerNameOption(): Option {
  const names = BROKER_NAMES.join(", ");
  const words = `of a producer: one of ${names}; default: the broker that its module exports`;
  return new Option("--broker <name>", words);
}

/** Returns the option that sets the broker up. */
export function brokerSettingOption(): Option {
  return new Option(
    "--broker-option <name=value>",
    "sets the broker up, as in a scenario file; may come several times",
  ).argParser<readonly string[] | undefined>((text, earlier) => [...(earlier ?? []), text]);
}

/** Returns a help text with the options of each model. */
export function brokerOptionsHelp(): string {
  const kinds = Object.keys(BROKER_OPTIONS) as readonly Kind[];
  const width = Math.max(...kinds.map((kind) => kind.length));
  const rows = kinds.map((kind) => `  ${kind.padEnd(width)}  ${optionNamesOf(kind).join(", ")}`);
  return ["Options of the brokers; npx faultlane schema says what each is:", ...rows].join("\n");
}

function optionNamesOf(kind: Kind): readonly string[] {
  const { properties = {} } = z.toJSONSchema(BROKER_OPTIONS[kind], { io: "input" });
  return Object.keys(properties);
}

/**
 * Makes the model that the flags name; undefined where they name none.
 *
 * @throws {WrongInput} when there is no such model, or it has no such option or value
 */
export function brokerModelFrom(flags: BrokerFlags): BrokerModel<unknown> | undefined {
  const { broker: name, brokerOption: given = [] } = flags;
  if (name === undefined) {
    if (given.length === 0) return undefined;
    throw new WrongInput(`Cannot use --broker-option without --broker`);
  }
  const model = brokerNamed(name);
  if (model === undefined) {
    throw new WrongInput(
      `Cannot use "${name}" as --broker: expected one of ${BROKER_NAMES.join(", ")}`,
    );
  }
  const [kind] = Object.keys(model.spec ?? {}) as [Kind];
  const options = optionsFrom(given);
  const parsed = BROKER_OPTIONS[kind].safeParse(options, { error: issueWords });
  if (parsed.success) return brokerFrom({ [kind]: parsed.data } as unknown as BrokerSpec);
  const issue = deepestIssue(parsed.error.issues);
  const at = issue.path.length === 0 ? "" : ` at ${pathText(issue.path)}`;
  throw new WrongInput(
    `Cannot set up the broker "${name}"${at}: ${problemWords(issue, options).replace("no member", "no option")}`,
  );
}

/** @throws {WrongInput} when one is not written as "name=value", or comes twice */
function optionsFrom(given: readonly string[]): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const text of given) {
    const [, name = "", value = ""] = /^(\w+)=(.+)$/s.exec(text) ?? [];
    if (name === "") throw unusable(text, "expected name=value, such as partitions=6");
    if (Object.hasOwn(options, name)) throw unusable(text, `"${name}" comes twice`);
    options[name] = valueFrom(value, text);
  }
  return options;
}

/** Reads a value as a scenario file has it: 30, true, orders, "30". */
function valueFrom(value: string, text: string): unknown {
  try {
    return (yamlDataFrom(`value: ${value}`) as { readonly value: unknown }).value;
  } catch (error) {
    if (error instanceof UnreadableText) throw unusable(text, error.message);
    throw error;
  }
}

function unusable(text: string, why: string): WrongInput {
  return new WrongInput(`Cannot use "${text}" as --broker-option: ${why}`);
}

/** Returns the flags as a command line has them, with a space before each. */
export function brokerFlagsText({ broker, brokerOption = [] }: BrokerFlags): string {
  const name = broker === undefined ? "" : ` --broker ${broker}`;
  return `${name}${brokerOption.map((one) => ` --broker-option ${quoted(one)}`).join("")}`;
}

/** Quotes a word for a shell, where that is needed. */
function quoted(word: string): string {
  return /^[\w.,:=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
