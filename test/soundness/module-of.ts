import type { Row } from "./corpus.ts";

export type SubjectKind = "producer" | "operator";

/** Makes what a row returns visible in the run: as a pause of so many milliseconds. */
const PAUSE = `
function weightOf(text: string): number {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return sum % 40;
}
async function spice(): Promise<void> {
  const value = await each();
  const ms = weightOf(JSON.stringify(value) ?? "");
  await new Promise((resolve) => setTimeout(resolve, ms));
}
`;

/** Returns a module of a correct producer or operator that does what the row says in each method. */
export function moduleOf({ top = "", each }: Row, kind: SubjectKind, root: string): string {
  const head = `${top}\nasync function each(): Promise<unknown> { ${each} }\n${PAUSE}`;
  if (kind === "producer") {
    return `import { OrdersProducer } from "${root}scenarios/producers/orders.ts";
${head}
class Spiced extends OrdersProducer {
  override async *openStream(signal: AbortSignal): any {
    await spice();
    yield* super.openStream(signal);
  }
  override async advance(batch: any): Promise<void> {
    await spice();
    await super.advance(batch);
  }
}
export function createProducer({ client }: any): Spiced {
  return new Spiced(client);
}
`;
  }
  return `import { createJob as createPlain } from "${root}scenarios/operators/nightly-batch.ts";
${head}
export function createJob(client: any, surroundings: any): any {
  const job: any = createPlain(client, surroundings);
  const { submitJob, getJobStatus } = job;
  job.submitJob = async () => {
    await spice();
    return submitJob.call(job);
  };
  job.getJobStatus = async (id: any) => {
    await spice();
    return getJobStatus.call(job, id);
  };
  return job;
}
`;
}
