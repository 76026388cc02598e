import type { Dice } from "../../choices/dice.ts";
import type { SiteFault } from "../../codecs/scenario-parts.ts";
import { siteFaultAtRate } from "../drawn-parts.ts";
import type { TaskScenario } from "./task-scenario.ts";

const HTTP_FAULTS: readonly SiteFault[] = [
  siteFaultAtRate("api.http-state", "drop-reply", 8),
  siteFaultAtRate("api.http-state", "crash-after", 20),
  siteFaultAtRate("api.http-state", "duplicate-late", 8),
];

/** In one of four scenarios somebody looks at the state of tasks over HTTP, and may write there. */
export function drawDashboard(
  dice: Dice,
  { payloads, faults }: Omit<TaskScenario, "name">,
): Pick<TaskScenario, "dashboard" | "faults"> {
  if (!dice.oneIn(4) || payloads !== undefined) return { faults };
  const dashboard = { every: dice.from([1_000, 3_000, 10_000]), notes: dice.oneIn(2) };
  return { dashboard, faults: [...faults, ...dice.some(HTTP_FAULTS, 2)] };
}
