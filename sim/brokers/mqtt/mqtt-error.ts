import { adoptLibraryClass } from "../library-errors.ts";

/** The words of the codes that a server refuses a message with. Source: MQTT 5.0, 2.4 */
const REASONS: Readonly<Record<number, string>> = {
  128: "Unspecified error",
  135: "Not authorized",
  151: "Quota exceeded",
};

/** An answer of the server that refuses something. */
export class ErrorWithReasonCode extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "ErrorWithReasonCode" });
  }

  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
    adoptLibraryClass(this, "mqtt", "ErrorWithReasonCode");
  }
}

/** A subscription without the answer that it needs. */
export class ErrorWithSubackPacket extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "ErrorWithSubackPacket" });
  }

  readonly packet: unknown;

  constructor(message: string, packet: unknown) {
    super(message);
    this.packet = packet;
    adoptLibraryClass(this, "mqtt", "ErrorWithSubackPacket");
  }
}

export function reasonText(code: number): string {
  return REASONS[code] ?? "Unspecified error";
}
