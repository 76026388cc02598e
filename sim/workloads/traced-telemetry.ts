import type { ResumeTelemetry, SpanPort, TracerPort } from "../../src/resumable/mod.ts";
import type { Life } from "../hosts/life.ts";

/** The telemetry of an attempt's resume decision, traced: each count, and the span's outcome. */
export function tracedTelemetry(life: Life, attempt: number): ResumeTelemetry {
  return {
    meter: {
      createCounter: (name) => ({
        add: () => {
          const counter = name.replace("resumable_job.", "");
          life.trace({ kind: "resume-counted", attempt, counter });
        },
      }),
    },
    tracer: tracedDecisions(life, attempt),
  };
}

/** The spans of an attempt's resume decisions, traced. */
export function tracedDecisions(life: Life, attempt: number): TracerPort {
  return { startSpan: () => decisionSpan(life, attempt) };
}

function decisionSpan(life: Life, attempt: number): SpanPort {
  const attributes = new Map<string, string>();
  return {
    setAttribute: (name, value) => attributes.set(name, value),
    recordException: () => undefined,
    setStatus: () => undefined,
    end() {
      const decision = attributes.get("resumable.decision");
      if (decision === undefined) return;
      const key = attributes.get("resumable.external_id_key") ?? "";
      life.trace({ kind: "resume-decided", attempt, key, decision });
    },
  };
}
