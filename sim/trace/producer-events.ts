/** What a producer did that its contract forbids; errors as `errorWords` writes them. */
export type Breach =
  | { readonly what: "not-a-pair" }
  | { readonly what: "no-raw-event" }
  | { readonly what: "yield-after-abort" }
  | { readonly what: "payload-reused" }
  | { readonly what: "lane-calls-broker" }
  | { readonly what: "lane-promise" }
  | { readonly what: "lane-unstable" }
  /** So many events at one instant. */
  | { readonly what: "endless-yields"; readonly yields: number }
  /** So long after the abort of its signal. */
  | { readonly what: "stream-not-ended"; readonly ms: number }
  | { readonly what: "aclose-threw"; readonly error: string }
  | { readonly what: "unhandled-rejection"; readonly error: string }
  | { readonly what: "spinning"; readonly steps: number; readonly ms: number }
  | { readonly what: "asked-at-once"; readonly site: string; readonly times: number };

/** What a producer under test does outside the manager: breaches and open resources. */
export type ProducerEvent =
  | {
      readonly kind: "breach";
      readonly poll: number;
      readonly breach: Breach;
      /** The record that it is about; empty when it is about none. */
      readonly ref: string;
    }
  | {
      /** What the producer threw into the manager, as `errorWords` writes it. */
      readonly kind: "producer-error";
      readonly poll: number;
      readonly from: "advance" | "stream";
      readonly error: string;
    }
  | { readonly kind: "client-call"; readonly poll: number; readonly site: string }
  | {
      readonly kind: "disturbed";
      readonly name: string;
      /** Where a client may take it for the end of its group. */
      readonly isFatal?: true;
    }
  | {
      readonly kind: "still-open";
      readonly poll: number;
      /** What the client library has open, by its own names. */
      readonly what: readonly string[];
      /** How many timers are set and not cleared. */
      readonly timers: number;
    };
