/** What the page knows of a run besides its trace; written into the page as JSON. */
export interface ReportData {
  /** Always this; a page shows no data of another format. */
  readonly format: typeof REPORT_FORMAT;
  readonly kitVersion: string;
  readonly runs: readonly RunData[];
  /** Panels that other verbs add, in order. */
  readonly sections: readonly ReportSection[];
}

export const REPORT_FORMAT = "faultlane-report-1";

/** One run of a page: the one that it is about, or the one that this is compared with. */
export interface RunData {
  readonly scenario: string;
  readonly world: string;
  readonly seed: number;
  readonly verdict: string;
  readonly digest: string;
  readonly virtualMs: number;
  readonly events: number;
  readonly story: string;
  readonly violations: readonly ViolationData[];
  readonly faults: readonly (readonly [fault: string, times: number])[];
  /** The scenario as a file. */
  readonly yaml: string;
  /** The command that makes the run again. */
  readonly rerun: string;
  /** How long the trace is in the page, as base64, so that a page cut short is noticed. */
  readonly traceLength: number;
}

/** A broken promise, without what only a search needs. */
export interface ViolationData {
  readonly checker: string;
  readonly promise: string;
  readonly at: number;
  readonly host: string;
  readonly detail: string;
  readonly ref?: string | undefined;
  readonly story: readonly string[];
}

/**
 * A panel of the page that a verb adds to the report of a run, such as the moment after which it
 * could not hold any more.
 */
export interface ReportSection {
  readonly title: string;
  readonly blocks: readonly SectionBlock[];
}

/** A part of a section; a virtual time `at` in milliseconds makes it a link to the timeline. */
export type SectionBlock =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "list";
      readonly items: readonly { readonly text: string; readonly at?: number }[];
    }
  | {
      readonly kind: "table";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | {
      /** A curve of shares from 0 to 1 with the interval that each lies in. */
      readonly kind: "curve";
      readonly x: string;
      readonly y: string;
      readonly points: readonly CurvePoint[];
    };

/** One point of a curve. */
export interface CurvePoint {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
  readonly at?: number;
}

/** The ids of the elements of a page that hold its data. */
export const ELEMENT_IDS: { readonly data: string; readonly trace: (run: number) => string } = {
  data: "report-data",
  trace: (run) => `report-trace-${run}`,
};
