/** An entry of the state store as a response over HTTP shows it. */
export interface ShownEntry {
  /** The key. */
  readonly key: string;
  /** As JSON. */
  readonly value: string;
  /** When it was written, in milliseconds since the epoch; null: not known. */
  readonly updatedAt: number | null;
  /** Likewise; null: never; absent where the response does not say. */
  readonly expiresAt?: number | null;
}

/** What somebody outside of all attempts asks of the state store over HTTP, and what is answered. */
export type HttpEvent =
  | {
      readonly kind: "http-asked";
      /** The number of the request, unique in the run. */
      readonly request: number;
      readonly method: "GET" | "PUT" | "PATCH" | "DELETE";
      readonly scope: string;
      /** Empty: all entries of the scope. */
      readonly key: string;
      /** What is written, as JSON; null: nothing. */
      readonly value: string | null;
      /** The value that has to be there, as JSON; null: none; absent: any. */
      readonly expected?: string | null;
      /** When the entry is to expire, in milliseconds since the epoch; absent where nothing is said. */
      readonly expiresAt?: number | null;
    }
  | {
      readonly kind: "http-answered";
      readonly request: number;
      readonly status: number;
      /** How many entries there are, as the response says. */
      readonly total: number;
      readonly shown: readonly ShownEntry[];
    };
