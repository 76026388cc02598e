import { NotModelled } from "../../../sim/brokers/not-modelled.ts";

/** What an error of the SDK is told by, and one that no service sent by its text. */
export function errorSeen(error: unknown, textOf: (message: string) => string): unknown {
  if (error instanceof NotModelled) return error.message;
  const { name, message, $fault, $metadata } = error as Error & {
    readonly $fault?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  return [name, textOf(message), $fault ?? "", status ?? 0];
}
