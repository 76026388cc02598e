import { CalmChoices, type Choices } from "../../sim/choices/choices.ts";
import { Host } from "../../sim/hosts/host.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { Network } from "../../sim/hosts/network.ts";
import { JobClient } from "../../sim/jobs/job-client.ts";
import { JobFacts } from "../../sim/checkers/task/job-facts.ts";
import { type JobSystemKnobs, TAME_SYSTEM } from "../../sim/jobs/job-knobs.ts";
import { JobSystem } from "../../sim/jobs/job-system.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { World } from "../../sim/kernel/world.ts";

/** A job system in a world of its own, spoken to directly and at chosen instants. */
export class JobBench {
  readonly world: World;
  readonly network: Network<Host>;
  readonly system: JobSystem;

  constructor(knobs: Partial<JobSystemKnobs> = {}, choices: Choices = new CalmChoices()) {
    this.world = new World(choices, { keepTrace: true });
    this.network = new Network<Host>(this.world);
    this.system = new JobSystem(this.world, "job-server", { ...TAME_SYSTEM, ...knobs });
  }

  submit(owner = "etl/load", more: { clientId?: string; idempotencyKey?: string } = {}): unknown {
    return this.system.submit({ owner, jobType: "batch", ...more });
  }

  /** The status at an instant from now on; "NOT_FOUND" instead of an error. */
  async statusAfter(ms: number, id: unknown, by = "etl/load"): Promise<string> {
    await this.passes(ms);
    try {
      return this.system.status(id, { by });
    } catch (error) {
      if (error instanceof Error && error.name === "JobNotFound") return "NOT_FOUND";
      throw error;
    }
  }

  passes(ms: number): Promise<void> {
    return this.world.run(this.world.now + ms);
  }

  /** Runs `act` in a process of its own, with a client for `task`. */
  async inProcess<T>(
    act: (client: JobClient, life: Life) => Promise<T>,
    task = "etl/load",
  ): Promise<T> {
    const answer = Promise.withResolvers<T>();
    const host = new Host(this.world, this.network, `process-${this.world.now}`, (life) => {
      void act(new JobClient(life, this.system, task), life).then(answer.resolve, answer.reject);
    });
    host.start();
    const [value] = await Promise.all([answer.promise, this.passes(600_000)]);
    return value;
  }

  events<Kind extends TraceEvent["kind"]>(kind: Kind): Extract<TraceEvent, { kind: Kind }>[] {
    return this.world.trace
      .events()
      .filter((event): event is Extract<TraceEvent, { kind: Kind }> => event.kind === kind);
  }

  facts(): JobFacts {
    return JobFacts.from(this.world.trace.events());
  }
}
