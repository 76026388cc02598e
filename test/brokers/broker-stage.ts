import type { Broker, BrokerLink, BrokerModel } from "../../sim/brokers/broker.ts";
import { CalmChoices, type Choices } from "../../sim/choices/choices.ts";
import { strikeNth } from "../../sim/faults/rule.ts";
import type { SiteName } from "../../sim/faults/site.ts";
import type { Verdict } from "../../sim/faults/verdict.ts";
import { Host } from "../../sim/hosts/host.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { Network } from "../../sim/hosts/network.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { World } from "../../sim/kernel/world.ts";

/** A broker in a world that is calm unless choices are given, and hosts whose clients use it. */
export class BrokerStage<Client> {
  readonly world: World;
  readonly network: Network<Host>;
  readonly broker: Broker<Client>;
  readonly links: BrokerLink<Client>[] = [];
  #published = 0;
  #hosts = 0;

  constructor(model: BrokerModel<Client>, choices: Choices = new CalmChoices()) {
    this.world = new World(choices, { keepTrace: true });
    this.network = new Network<Host>(this.world);
    this.broker = model.start(this.world, "broker");
    new Host(this.world, this.network, "broker", () => undefined).start();
  }

  /** Publishes records of one key, one after the other; their names count from ref-000001. */
  publish(count: number, key = "key-1"): void {
    for (let n = 0; n < count; n += 1) {
      this.#published += 1;
      this.broker.publish({ ref: `ref-${String(this.#published).padStart(6, "0")}`, key });
    }
  }

  strike(site: SiteName, verdict: Verdict, nth = 1, times = 1): void {
    this.world.injector.install(strikeNth({ site }, verdict, nth, times));
  }

  /** Runs `script` with a client on a host of its own until it ends; answers with its value. */
  async play<T>(
    script: (client: Client, life: Life) => Promise<T>,
    untilMs: number = this.world.now + 3_600_000,
  ): Promise<T> {
    const outcomes: ({ value: T } | { error: unknown })[] = [];
    this.#hosts += 1;
    const host = new Host(this.world, this.network, `client-${this.#hosts}`, (life) => {
      const link = this.broker.connect(life);
      this.links.push(link);
      void script(link.client, life).then(
        (value) => outcomes.push({ value }),
        (error: unknown) => outcomes.push({ error }),
      );
    });
    host.start();
    while (outcomes.length === 0 && this.world.now < untilMs) {
      await this.world.run(Math.min(untilMs, this.world.now + 100));
    }
    const [outcome] = outcomes;
    if (outcome === undefined) throw new Error("The script did not come to its end");
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  /** What the trace tells of one kind, in a few words each. */
  told<K extends TraceEvent["kind"]>(
    kind: K,
    words: (event: Extract<TraceEvent, { kind: K }>) => string,
  ): string[] {
    return this.world.trace
      .events()
      .flatMap((event) =>
        event.kind === kind ? [words(event as Extract<TraceEvent, { kind: K }>)] : [],
      );
  }
}

/** Waits on the clock of a life. */
export function pass(life: Life, ms: number): Promise<void> {
  return new Promise((resolve) => void life.after(ms, resolve));
}
