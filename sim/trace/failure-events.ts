/** What a manager reports of those that it fails. */
export type FailureEvent =
  | {
      readonly kind: "force-failed";
      readonly trigger: number;
      readonly key: string;
      readonly reason: "ackTimeout" | "overflow";
      readonly failure?: number;
      /** What its error says, where that is another trigger or event than what was reported. */
      readonly saysOther?: string;
    }
  | { readonly kind: "group-failed"; readonly key: string };
