import { syncBuiltinModules } from "../../src/platform/mod.ts";
import { gateChance } from "./chance-gates.ts";
import { replaceMissingGates } from "./gate.ts";
import { gateIdentity } from "./identity-gates.ts";
import { gateLocale } from "./locale-gates.ts";
import { gateProcess } from "./process-gates.ts";
import { gateRefusals } from "./refusal-gates.ts";
import { gateTime } from "./time-gates.ts";
import { gateTimers } from "./timer-gates.ts";
import { gateWork } from "./work-gates.ts";

let isInstalled = false;

/**
 * Puts the gates in place, for as long as the process lives. Outside of runs they pass through.
 *
 * What captured a function before it keeps the machine's: install before the code under test is
 * loaded.
 *
 * @returns what ends a run: it puts back what another library had put over the gates
 */
export function installRealm(): () => void {
  if (isInstalled) return replaceMissingGates();
  isInstalled = true;
  gateTime();
  gateLocale();
  gateTimers();
  gateChance();
  gateIdentity();
  gateWork();
  gateRefusals();
  gateProcess();
  syncBuiltinModules();
  return () => undefined;
}
