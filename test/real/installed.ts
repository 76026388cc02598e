import { fileURLToPath } from "node:url";

/** Where `install.ts` puts what it gets. */
export const INSTALLED: string = fileURLToPath(
  new URL("../../node_modules/.cache/real-servers", import.meta.url),
);
