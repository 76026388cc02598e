import { FrozenGlobals } from "../realm/frozen-globals.ts";
import { NotVirtual } from "../realm/not-virtual.ts";
import { Unrecognisable } from "../worlds/producer/producer-observer.ts";
import { FactoryThrew, NoProducer } from "../worlds/producer/producer-under-test.ts";
import { WrongInput } from "./output.ts";

/** Whether the input causes an error: a flag, a file, a scenario, code that cannot be judged. */
export function isWrongInput(error: unknown): error is Error {
  return (
    error instanceof WrongInput ||
    error instanceof RangeError ||
    error instanceof NotVirtual ||
    error instanceof FrozenGlobals ||
    error instanceof FactoryThrew ||
    error instanceof NoProducer ||
    error instanceof Unrecognisable
  );
}
