type Attributes = Record<string, string>;

/** A counter of OpenTelemetry's API fits. */
export interface CounterPort {
  add(value: number, attributes?: Attributes): void;
}

/** A meter of OpenTelemetry's API fits. */
export interface MeterPort {
  createCounter(name: string): CounterPort;
}

/** A span of OpenTelemetry's API fits. */
export interface SpanPort {
  setAttribute(key: string, value: string): unknown;
  recordException(exception: Error | string): void;
  setStatus(status: { code: 2; message?: string }): unknown;
  end(): void;
}

/** A tracer of OpenTelemetry's API fits. */
export interface TracerPort {
  startSpan(name: string): SpanPort;
}

/** Where a decision is told. Nothing of it is asked between submit and persist. */
export interface ResumeTelemetry {
  readonly meter?: MeterPort;
  readonly tracer?: TracerPort;
  /** The tag and attribute `operator`; the name of the job's class unless given. */
  readonly operator?: string;
}

export type ResumeCounter =
  | "fresh_submit"
  | "reconnect_attempt"
  | "reconnect_success"
  | "already_succeeded"
  | "terminal_resubmit";

export const DECISION_SPAN = "resumable_job.resume_decision";

/** The code of OpenTelemetry's `SpanStatusCode.ERROR`. */
const STATUS_ERROR = 2;

/** Counts one `resumable_job.*` event of a decision. */
export function countFor(
  telemetry: ResumeTelemetry,
  operator: string,
  statsTags: Readonly<Record<string, string>> | undefined,
): (counter: ResumeCounter) => void {
  const team = statsTags?.["team_name"];
  const tags: Attributes =
    team === undefined || team === "" ? { operator } : { operator, team_name: team };
  return (counter) => telemetry.meter?.createCounter(`resumable_job.${counter}`).add(1, tags);
}

/** Runs `call` in a span that ends with it, with the error if there is one. */
export async function inSpan<T>(
  tracer: TracerPort | undefined,
  name: string,
  call: (setAttribute: (key: string, value: string) => void) => Promise<T>,
): Promise<T> {
  const span = tracer?.startSpan(name);
  try {
    return await call((key, value) => span?.setAttribute(key, value));
  } catch (error) {
    const exception = error instanceof Error ? error : String(error);
    span?.recordException(exception);
    span?.setStatus({ code: STATUS_ERROR, message: String(error) });
    throw error;
  } finally {
    span?.end();
  }
}
