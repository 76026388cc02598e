// What SQS refuses of a message and its attributes. A line that changes has to agree with the service, and is
// then written by `npm run test:node -- test/brokers/sqs-refusals --update`.
import { expect, test } from "vitest";
import { batchRefusal, sendRefusal } from "../../sim/brokers/sqs/sqs-send.ts";

const SIZE_MAX = 1_048_576;
const NAMES = [
  ...["", "a", "a-b_c.1", "a b", "größe", "a..b", ".a", "a.", "AWS.a", "aws.a", "Amazon.a", "AWSa"],
  ...["n".repeat(254), "n".repeat(255), "n".repeat(256), "n".repeat(257)],
];
const TYPES = ["", "String", "String.a", "StringList", "Number", "Number.int", "Binary", "binary"];
const VALUES: readonly unknown[] = [
  ...[undefined, "", "x", "7", "-1.5e3", "1e127", "1e999", " 7", "0x1", new Uint8Array()],
  Uint8Array.of(1),
];

function outcome(call: () => Error | undefined): string {
  try {
    const refusal = call();
    return refusal === undefined ? "taken" : `${refusal.name}: ${refusal.message}`;
  } catch (error) {
    return String(error);
  }
}

const shown = (value: unknown): string =>
  value instanceof Uint8Array ? `${value.length} bytes` : (JSON.stringify(value) ?? "nothing");
const short = (text: string): string => (text.length > 40 ? `${text.length} characters` : text);

test("SQS refuses what it refused", async () => {
  const send = (input: object, isFifo = false): string =>
    outcome(() => sendRefusal(isFifo, { MessageBody: "x", ...input }));
  const text = { DataType: "String", StringValue: "1" };
  const lines: string[] = [];
  for (const name of NAMES) {
    lines.push(`name ${short(name)}: ${send({ MessageAttributes: { [name]: text } })}`);
  }
  for (const DataType of [undefined, ...TYPES]) {
    for (const value of VALUES) {
      const as = DataType?.startsWith("Binary") === true ? "BinaryValue" : "StringValue";
      const told = send({ MessageAttributes: { a: { DataType, [as]: value } } });
      lines.push(`${shown(DataType)} ${shown(value)}: ${told}`);
    }
  }
  for (const count of [1, 10, 11]) {
    const names = Array.from({ length: count }, (_, at) => [`a${at}`, text] as const);
    lines.push(`${count} attributes: ${send({ MessageAttributes: Object.fromEntries(names) })}`);
  }
  const inputs: readonly object[] = [
    ...[{ MessageBody: "" }, { MessageBody: "\u0000" }, { MessageBody: "\uffff" }, {}],
    ...[-1, 0, 900, 901, 1.5, "3"].map((DelaySeconds) => ({ DelaySeconds })),
    ...["", "g", "g h", "x".repeat(129)].map((MessageGroupId) => ({ MessageGroupId })),
    ...["", "d", "d e", "x".repeat(129)].map((one) => ({
      ...{ MessageGroupId: "g", MessageDeduplicationId: one },
    })),
  ];
  for (const input of inputs) {
    for (const isFifo of [false, true]) {
      const name = short(JSON.stringify(input));
      lines.push(`${isFifo ? "FIFO" : "standard"} ${name}: ${send(input, isFifo)}`);
    }
  }
  for (const bytes of [[SIZE_MAX], [SIZE_MAX, 0], [SIZE_MAX, 1], [SIZE_MAX / 2, SIZE_MAX / 2]]) {
    const entries = bytes.map((one) => ({ MessageBody: "x".repeat(one) }));
    lines.push(`batch of ${bytes.join(" and ")}: ${outcome(() => batchRefusal(entries))}`);
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("refused/sqs.txt");
});
