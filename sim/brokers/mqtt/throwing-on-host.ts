import type { ClientPort } from "../broker.ts";

/** What a listener throws is not the model's to catch: it is thrown on the host. */
export function throwingOnHost(port: ClientPort, run: () => void): void {
  try {
    run();
  } catch (error) {
    port.after(0, () => {
      throw error;
    });
  }
}
