import { expect, test } from "vitest";
import { writtenInput } from "../../sim/brokers/aws-input.ts";

test("what the AWS SDK writes leaves out fields of null, also in the entries of a batch", () => {
  const bytes = Uint8Array.of(1);
  const given = {
    StreamName: "orders",
    StreamARN: null,
    Records: [{ Data: bytes, PartitionKey: "a", ExplicitHashKey: null }],
    Blobs: [bytes, null, "text"],
  };
  const { Blobs, ...written } = writtenInput(given);
  expect(written).toEqual({
    StreamName: "orders",
    Records: [{ Data: bytes, PartitionKey: "a" }],
  });
  expect(Object.keys(written.Records[0] ?? {})).toEqual(["Data", "PartitionKey"]);
  expect(Blobs[0]).toBe(bytes);
});
