import type { ClientPort } from "../../brokers/broker.ts";
import type { Life } from "../../hosts/life.ts";

/** The process as one client sees it; `onCall` is called before each of its calls. */
export function clientPortOf(life: Life, onCall: (site: string) => void): ClientPort {
  return {
    name: life.name,
    incarnation: life.incarnation,
    get alive() {
      return life.alive;
    },
    world: life.world,
    clock: life.clock,
    choices: (kind) => life.choices(kind),
    onDeath: (listener) => life.onDeath(listener),
    after: (ms, fn, options) => life.after(ms, fn, options),
    refused: (site) => life.refused(site),
    trace: (body) => life.trace(body),
    call(site, to, effect) {
      onCall(site);
      return life.call(site, to, effect);
    },
    callAsync(site, to, effect) {
      onCall(site);
      return life.callAsync(site, to, effect);
    },
  };
}
