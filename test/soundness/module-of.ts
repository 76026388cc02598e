import type { Row } from "./corpus-row.ts";

export type SubjectKind = "producer" | "operator" | "manager" | "backend";

export const SUBJECT_KINDS = ["producer", "operator", "manager", "backend"] as const;

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

/** Returns a module of correct code under test that does what the row says in each method. */
export function moduleOf({ top = "", each }: Row, kind: SubjectKind, root: string): string {
  const head = `${top}\nasync function each(): Promise<unknown> { ${each} }\n${PAUSE}`;
  return MODULES[kind](head, root);
}

const MODULES: Readonly<Record<SubjectKind, (head: string, root: string) => string>> = {
  producer: (head, root) => `import { OrdersProducer } from "${root}scenarios/producers/orders.ts";
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
`,
  operator: (
    head,
    root,
  ) => `import { createJob as createPlain } from "${root}scenarios/operators/nightly-batch.ts";
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
`,
  // Both streams and the synchronous methods: a manager opens a stream when its group has begun.
  manager: (head, root) => `import { createManagerOf } from "${root}sim/worlds/manager/profiles.ts";
${head}
const createPlain = createManagerOf("faultlane");
export function createManager(...parts: any): any {
  const manager: any = createPlain(...(parts as [any, any, any]));
  const { subscribe, unsubscribe } = manager;
  const late = (open: any) => async function* (signal: AbortSignal) {
    await spice();
    if (!signal.aborted) yield* open(signal);
  };
  const spiced = (trigger: any): any => ({
    ...(trigger.openSharedStream && { openSharedStream: late(trigger.openSharedStream) }),
    ...(trigger.createSharedStreamProducer && {
      createSharedStreamProducer: () => {
        const producer = trigger.createSharedStreamProducer();
        return { ...producer, openStream: late(producer.openStream) };
      },
    }),
  });
  manager.subscribe = (s: any) => subscribe.call(manager, { ...s, trigger: spiced(s.trigger) });
  manager.unsubscribe = async (s: any) => {
    await unsubscribe.call(manager, s);
    await each();
  };
  return manager;
}
`,
  backend: (head, root) => `import { MemoryStateBackend } from "${root}src/store/mod.ts";
${head}
class Spiced extends MemoryStateBackend {
  override async get(...args: [any, any]): Promise<any> {
    await spice();
    return super.get(...args);
  }
  override async set(...args: [any, any, any, any]): Promise<any> {
    await spice();
    return super.set(...args);
  }
  override async sweepExpired(request: any): Promise<any> {
    await each();
    return super.sweepExpired(request);
  }
}
export function createBackend(): Spiced {
  return new Spiced();
}
`,
};
