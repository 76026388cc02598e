/**
 * A user's catch block kept a control-flow signal from the runner; `cause` is what came instead, if
 * anything.
 */
export class SignalSwallowed extends Error {
  override readonly name = "SignalSwallowed";
  readonly signalName: "TaskDeferred" | "TaskCheckpointed";
  readonly where: string;

  constructor(
    signalName: "TaskDeferred" | "TaskCheckpointed",
    where: string,
    options?: ErrorOptions,
  ) {
    super(
      `Cannot finish ${where} after it raised ${signalName}: a catch block swallowed the signal, throw it on`,
      options,
    );
    this.signalName = signalName;
    this.where = where;
  }
}

/** The operator has no method of the name that a deferral or a checkpoint stored. */
export class UnknownResumeMethod extends Error {
  override readonly name = "UnknownResumeMethod";
  readonly operator: string;
  readonly methodName: string;

  constructor(operator: string, methodName: string) {
    super(
      `Cannot resume ${operator} as it has no method "${methodName}": deploy it again, or clear the task`,
    );
    this.operator = operator;
    this.methodName = methodName;
  }
}
