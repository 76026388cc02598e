/** A counter; OpenTelemetry's `Counter` fits. */
export interface CounterPort {
  /** Adds `value` to the counter. */
  add(value: number, attributes?: Record<string, string>): void;
}

/** Creates counters; OpenTelemetry's `Meter` fits. */
export interface MeterPort {
  /** Returns the counter of this name. */
  createCounter(name: string): CounterPort;
}

/** A span; OpenTelemetry's `Span` fits. */
export interface SpanPort {
  /** Sets an attribute of the span. */
  setAttribute(key: string, value: string): unknown;
  /** Records an error as an event of the span. */
  recordException(exception: Error | string): void;
  /** Marks the span as failed: 2 is OpenTelemetry's `SpanStatusCode.ERROR`. */
  setStatus(status: { code: 2; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/** Starts spans; OpenTelemetry's `Tracer` fits. */
export interface TracerPort {
  /** Starts a span of this name. */
  startSpan(name: string): SpanPort;
}

/**
 * Where resume decisions are reported. Nothing is reported between `submitJob` and storing the id.
 */
export interface ResumeTelemetry {
  /** Counts decisions as `resumable_job.*`. */
  readonly meter?: MeterPort;
  /** Traces decisions as `resumable_job.resume_decision`. */
  readonly tracer?: TracerPort;
  /** The tag and attribute `operator`; by default the name of the job's class. */
  readonly operator?: string;
  /**
   * Returns what is called in place of the job, such as one whose calls are traced.
   *
   * @internal
   */
  readonly observe?: <J extends object>(job: J) => J;
}

/** The counters of a decision, without their prefix `resumable_job.`. */
export type ResumeCounter =
  | "fresh_submit"
  | "reconnect_attempt"
  | "reconnect_success"
  | "already_succeeded"
  | "terminal_resubmit";

/** The name of the span around a decision. */
export const DECISION_SPAN = "resumable_job.resume_decision";

/** OpenTelemetry's `SpanStatusCode.ERROR`. */
const STATUS_ERROR = 2;

/** Returns a function that increments a counter of a decision. */
export function countFor(
  telemetry: ResumeTelemetry,
  operator: string,
  statsTags: Readonly<Record<string, string>> | undefined,
): (counter: ResumeCounter) => void {
  const team = statsTags?.["team_name"];
  const tags: Record<string, string> =
    team === undefined || team === "" ? { operator } : { operator, team_name: team };
  return (counter) => telemetry.meter?.createCounter(`resumable_job.${counter}`).add(1, tags);
}

/** Runs `call` in a span, which records the error if there is one. */
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
