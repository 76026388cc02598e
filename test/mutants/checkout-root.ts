import { fileURLToPath } from "node:url";

/** The checkout's own folder. */
export const checkoutRoot: string = fileURLToPath(new URL("../..", import.meta.url));
