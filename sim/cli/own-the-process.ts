import { installRealm } from "../realm/install.ts";
import { divertPrinting } from "../realm/printing.ts";
import { makeRealmExclusive } from "../realm/realm.ts";
import { useStateProbe } from "../run/state-probe.ts";
import { ModuleState } from "./module-state.ts";
import { complainText } from "./output.ts";

/**
 * Makes this process one that only simulates: the realm is in place before any module is loaded,
 * the time zone is UTC for worker threads, too, and what code under test prints goes to standard
 * error, because standard output is the report's.
 */
export function ownTheProcess(): void {
  process.env["TZ"] = "UTC";
  installRealm();
  makeRealmExclusive();
  useStateProbe(new ModuleState());
  divertPrinting((_, text) => complainText(text));
}
