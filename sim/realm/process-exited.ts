/** What ends the code that called for the end of its process. */
export class ProcessExited extends Error {
  override readonly name = "ProcessExited";

  /** Creates the error for a call: "process.exit(0)". */
  constructor(call: string) {
    super(`the code called ${call}`);
  }
}
