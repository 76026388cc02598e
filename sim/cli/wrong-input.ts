import { NotVirtual } from "../run/real-io-guard.ts";
import { WrongInput } from "./output.ts";

/** Whether the input is to blame: a flag, a file, a scenario, or code that cannot be judged. */
export function isWrongInput(error: unknown): error is Error {
  return error instanceof WrongInput || error instanceof RangeError || error instanceof NotVirtual;
}
