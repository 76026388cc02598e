import type { PageCode } from "../report/html-page.ts";
import type { Schema } from "./complete-scenario.ts";

/** A scenario that comes with the playground. */
export interface Example {
  readonly name: string;
  readonly text: string;
}

/** A producer that comes with the playground, for one broker. */
export interface ProducerExample extends Example {
  readonly broker: string;
}

/** What the file of the playground holds beside its program and its style. */
export interface PlaygroundData {
  readonly kitVersion: string;
  readonly schema: Schema;
  /** The first one is open at the start. */
  readonly examples: readonly Example[];
  /** The first one is open at the start. */
  readonly producers: readonly ProducerExample[];
  readonly brokers: readonly string[];
  /** The program and the style of a report. */
  readonly report: PageCode;
  /** The program of the worker. */
  readonly worker: string;
}

/** The style elements of the editor carry it; the policy of the page allows no others. */
export const STYLE_NONCE = "faultlane-editor";

/** The element that holds the data, as JSON. */
export const DATA_ID = "playground-data";
