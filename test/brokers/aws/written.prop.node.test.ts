import * as Kinesis from "@aws-sdk/client-kinesis";
import * as Sqs from "@aws-sdk/client-sqs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Members, writtenInput } from "../../../sim/brokers/aws-shape.ts";
import { FIELDS as KINESIS_FIELDS } from "../../../sim/brokers/kinesis/inputs.ts";
import { NotModelled } from "../../../sim/brokers/not-modelled.ts";
import { FIELDS as SQS_FIELDS } from "../../../sim/brokers/sqs/sqs-commands.ts";
import { inputOf } from "./odd-inputs.ts";

const numRuns = Number(process.env["SEQUENCES"] ?? 60);
const seed = Number(process.env["SEED"] ?? 1);

type Send = (command: never) => Promise<unknown>;
type Commands = Readonly<Record<string, new (input: never) => object>>;

/** A client whose requests go nowhere: the body of each is put into `sent`. */
function configurationOf(sent: string[]): object {
  return {
    endpoint: "http://127.0.0.1",
    region: "none",
    maxAttempts: 1,
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    requestHandler: {
      metadata: { handlerProtocol: "http/1.1" },
      handle({ body }: { readonly body: Uint8Array }) {
        sent.push(new TextDecoder().decode(body));
        return Promise.reject(new Error("sent"));
      },
    },
  };
}

/** What the SDK sends: JSON, a text that is none, or why it sends nothing. */
async function sentOf(send: Send, command: object, sent: string[]): Promise<unknown> {
  sent.length = 0;
  try {
    await send(command as never);
  } catch (error) {
    if (sent.length === 0) return String(error);
  }
  try {
    return { json: JSON.parse(sent[0] ?? "") as unknown };
  } catch {
    return "no JSON";
  }
}

/** The same of the model; undefined where it refuses by name. */
function writtenOf(members: Members, input: object, see: string): unknown {
  try {
    const written = writtenInput(members, input, see);
    if (written === undefined) return "no JSON";
    const json = JSON.stringify(written, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    );
    return { json: JSON.parse(json) as unknown };
  } catch (error) {
    return error instanceof NotModelled ? undefined : String(error);
  }
}

const sqsSent: string[] = [];
const kinesisSent: string[] = [];
const sqs = new Sqs.SQSClient(configurationOf(sqsSent));
const kinesis = new Kinesis.KinesisClient(configurationOf(kinesisSent));
const CLIENTS: readonly [string, Record<string, Members>, Commands, Send, string[]][] = [
  ["SQS", SQS_FIELDS, Sqs as never, (one) => sqs.send(one), sqsSent],
  ["Kinesis", KINESIS_FIELDS, Kinesis as never, (one) => kinesis.send(one), kinesisSent],
];

for (const [name, fields, commands, send, sent] of CLIENTS) {
  test(`for every input the SDK of ${name} writes what the model takes it to write`, async () => {
    const drawn = fc
      .constantFrom(...Object.keys(fields))
      .chain((command) => fc.tuple(fc.constant(command), inputOf(fields[command] ?? {})));
    const property = fc.asyncProperty(drawn, async ([command, input]) => {
      const Command = commands[`${command}Command`];
      if (Command === undefined) throw new Error(`There is no ${command}`);
      const written = writtenOf(fields[command] ?? {}, input, name);
      if (written === undefined) return;
      expect(written).toEqual(await sentOf(send, new Command(input as never), sent));
    });
    await fc.assert(property, { numRuns, seed });
  });
}
