import type { Checker } from "../checker.ts";
import { nothingIsUncaught } from "../uncaught.ts";
import type { ProducerFacts } from "./producer-facts.ts";
import { handlesAreUsedOnce, leasesAreKept } from "./producer-handles.ts";
import {
  lanesAreCoarseEnough,
  mannersAreKept,
  nothingIsUnhandled,
  onlyTheFatalThrows,
  resourcesAreReleased,
} from "./producer-manners.ts";
import { doneIsSettled, heldComesBack, nothingSpins } from "./producer-progress.ts";
import {
  commitPassesNothing,
  heldIsNotSettled,
  positionsOnlyGrow,
  rejectedIsDeadLettered,
  settledInOrder,
} from "./producer-settling.ts";

/** What a custom producer owes: G1 to G10, and what belongs to them without a number. */
export const PRODUCER_CHECKERS: readonly Checker<ProducerFacts>[] = Object.freeze([
  heldIsNotSettled,
  commitPassesNothing,
  rejectedIsDeadLettered,
  settledInOrder,
  handlesAreUsedOnce,
  positionsOnlyGrow,
  resourcesAreReleased,
  lanesAreCoarseEnough,
  heldComesBack,
  leasesAreKept,
  onlyTheFatalThrows,
  doneIsSettled,
  nothingSpins,
  mannersAreKept,
  nothingIsUnhandled,
  nothingIsUncaught,
]);
