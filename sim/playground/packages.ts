import * as faultlane from "../../src/mod.ts";

/** The commands of SQS that the model of its broker takes. */
const SQS_COMMANDS = [
  "ChangeMessageVisibilityBatchCommand",
  "ChangeMessageVisibilityCommand",
  "DeleteMessageBatchCommand",
  "DeleteMessageCommand",
  "ReceiveMessageCommand",
  "SendMessageBatchCommand",
  "SendMessageCommand",
] as const;

/** What a command of the SDK carries. */
class Command {
  readonly input: object;

  constructor(input: object) {
    this.input = input;
  }

  /** Tells a command from what is none; the model does not call it. */
  resolveMiddleware(): void {}
}

/** A class of this name, by which the model knows it. */
function commandNamed(name: string): typeof Command {
  const Named = class extends Command {};
  Object.defineProperty(Named, "name", { value: name });
  return Named;
}

/** The time span of `@google-cloud/pubsub`, as far as the options of its model need it. */
const Duration = {
  from: ({ minutes = 0, seconds = 0, milliseconds = 0 }: DurationParts): Span => {
    const ms = (minutes * 60 + seconds) * 1_000 + milliseconds;
    return { totalOf: () => ms };
  },
};

interface Span {
  totalOf(unit: "millisecond"): number;
}

interface DurationParts {
  readonly minutes?: number;
  readonly seconds?: number;
  readonly milliseconds?: number;
}

/**
 * What typed code may import as values: what a producer needs of its library beside the client,
 * which is given to it. Types of any package cost nothing and are left out.
 */
export const PACKAGES: Readonly<Record<string, unknown>> = {
  faultlane,
  "@aws-sdk/client-sqs": Object.fromEntries(SQS_COMMANDS.map((name) => [name, commandNamed(name)])),
  "@google-cloud/pubsub": { Duration },
};
