import { adoptLibraryClass } from "../library-errors.ts";
import type { ConnackPacket } from "./packet.ts";

/** The words of the codes that a server refuses a message with. Source: MQTT 5.0, 2.4 */
const REASONS: Readonly<Record<number, string>> = {
  5: "Not authorized",
  128: "Unspecified error",
  135: "Not authorized",
  151: "Quota exceeded",
};

/** An answer of the server that refuses something. */
export class ErrorWithReasonCode extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
    adoptLibraryClass(this, "mqtt", "ErrorWithReasonCode");
    nameAs(this, "ErrorWithReasonCode");
  }
}

/** The error of a connection that the server refuses, if it does. */
export function connackError(packet: ConnackPacket): ErrorWithReasonCode | undefined {
  const code = packet.reasonCode ?? packet.returnCode ?? 0;
  if (code === 0) return undefined;
  return new ErrorWithReasonCode(`Connection refused: ${reasonText(code)}`, code);
}

/** A subscription without the answer that it needs. */
export class ErrorWithSubackPacket extends Error {
  readonly packet: unknown;

  constructor(message: string, packet: unknown) {
    super(message);
    this.packet = packet;
    adoptLibraryClass(this, "mqtt", "ErrorWithSubackPacket");
    nameAs(this, "ErrorWithSubackPacket");
  }
}

/** The library writes the name to its prototype when it makes the first error of the class. */
function nameAs(error: Error, value: string): void {
  Object.defineProperty(error, "name", { value, writable: true, configurable: true });
}

export function reasonText(code: number): string {
  return REASONS[code] ?? "Unspecified error";
}
