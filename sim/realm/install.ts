// Before any gate is in place.
import "./machine.ts";
import { syncBuiltinModules } from "../../src/platform/mod.ts";
import { gateChance } from "./chance-gates.ts";
import { gateContexts } from "./context-gates.ts";
import { gateDatabases } from "./database-gates.ts";
import { FrozenGlobals } from "./frozen-globals.ts";
import { replaceMissingGates, takeFrozen } from "./gate.ts";
import { gateIdentity } from "./identity-gates.ts";
import { gateKeys } from "./key-gates.ts";
import { gateLocale } from "./locale-gates.ts";
import { gateAsyncIds, gateMemory, gatePerformanceFigures } from "./runtime-gates.ts";
import { gatePromises } from "./promise-gates.ts";
import { gateProcessEvents } from "./process-events.ts";
import { gateProcess } from "./process-gates.ts";
import { gateRefusals } from "./refusal-gates.ts";
import { gateStandardInput } from "./standard-input.ts";
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
 * @throws {FrozenGlobals} when something has frozen what is to be replaced
 * @returns what ends a run: it puts back what another library had put over the gates
 */
export function installRealm(): () => void {
  if (isInstalled) {
    const putBack = replaceMissingGates();
    assertNoneFrozen();
    return putBack;
  }
  gateTime();
  gateLocale();
  gateTimers();
  gateChance();
  gateIdentity();
  // Before the work of the thread pool, of which making keys is a part.
  gateKeys();
  gateWork();
  gateRefusals();
  gateDatabases();
  gateProcess();
  gateProcessEvents();
  gateStandardInput();
  gateMemory();
  gateAsyncIds();
  gatePromises();
  gatePerformanceFigures();
  gateContexts();
  syncBuiltinModules();
  assertNoneFrozen();
  isInstalled = true;
  return () => undefined;
}

/** @throws {FrozenGlobals} when a gate could not be put in place */
function assertNoneFrozen(): void {
  const frozen = takeFrozen();
  if (frozen.length > 0) throw new FrozenGlobals(frozen);
}
